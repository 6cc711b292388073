/**
 * Carries a running tool's output to the record, in order. Streamed output, progress and locations are batched, so
 * that a tool that reports a thousand times a second costs little more than one that reports now and then.
 */
import { isDeepStrictEqual } from "node:util";
import type { CallFields, Location, Meta, Progress, ToolCall, ToolCallContent } from "../call/index.js";
import { EMPTY_TEXT } from "../call/index.js";
import type { ToolContext, ToolTerminal } from "../tools/index.js";
import type { EventWriter } from "../record/index.js";
import { OutputStream } from "./output-stream.js";

type Showing = Pick<ToolContext, "progress" | "output" | "diff" | "locate" | "terminal" | "meta" | "report">;

type Gathered = { progress?: Progress; locations?: readonly Location[] };

const BATCH_MS = 50;
/** Each time the whole list is recorded; editors follow the newest. */
const MAX_LOCATIONS = 200;

export class CallReporter implements Showing {
  readonly #writer: Pick<EventWriter, "add">;
  readonly #toolCallId: string;
  readonly #now: () => number;
  readonly #streams = new Map<string, OutputStream>();
  #locations: readonly Location[];
  /** The content that the call shows; undefined once the tool has shown more. */
  #content: readonly ToolCallContent[] | undefined;
  #meta: Meta | undefined;
  /** The newest progress and places, not yet written, and when they will be. */
  #gathered: Gathered = {};
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(writer: Pick<EventWriter, "add">, call: ToolCall, now: () => number) {
    this.#writer = writer;
    this.#toolCallId = call.toolCallId;
    this.#now = now;
    this.#locations = call.locations;
    this.#content = call.content;
    this.#meta = call._meta;
  }

  readonly progress: ToolContext["progress"] = (done, total, message) => {
    this.#gather({
      progress: { done, ...(total !== undefined && { total }), ...(message !== undefined && { message }) },
    });
  };

  readonly output: ToolContext["output"] = (text) => {
    if (!this.#isClosed) this.#stream(`${this.#toolCallId}/output`).write(text);
  };

  readonly diff: ToolContext["diff"] = (content) => this.#append(content);

  readonly locate: ToolContext["locate"] = (path, line) => {
    const location = { path, ...(line !== undefined && { line }) };
    this.#locations = [...this.#locations, location].slice(-MAX_LOCATIONS);
    this.#gather({ locations: this.#locations });
  };

  readonly terminal: ToolContext["terminal"] = (name, known): ToolTerminal => {
    const own = name === undefined ? this.#toolCallId : `${this.#toolCallId}/${name}`;
    const terminalId = known?.terminalId ?? own;
    const stream = this.#stream(terminalId);
    return {
      terminalId,
      print: (text) => {
        if (!this.#isClosed) stream.write(text);
      },
      exit: (exit) => {
        stream.flush();
        if (this.#isClosed) return;
        this.#writer.add({ type: "terminal-exited", ...this.#here(), terminalId, exit });
      },
    };
  };

  readonly meta: ToolContext["meta"] = (meta) => {
    this.#meta = { ...this.#meta, ...meta };
    this.report({ _meta: this.#meta });
  };

  readonly report: ToolContext["report"] = (fields) => {
    // The batched values are older and must not replace this one.
    if (fields.progress !== undefined && this.#gathered.progress) delete this.#gathered.progress;
    if (fields.content) this.#content = undefined;
    if (fields.locations) {
      this.#locations = fields.locations;
      delete this.#gathered.locations;
    }
    this.#revise(fields);
  };

  /** Whether the call shows this content already, from its preview: then it need not be recorded again. */
  isShown(content: readonly ToolCallContent[]): boolean {
    return this.#content !== undefined && isDeepStrictEqual(content, this.#content);
  }

  /** Writes the gathered output. Later output is not shown. */
  flush(): void {
    for (const stream of this.#streams.values()) stream.flush();
    this.#writeGathered();
    this.#isClosed = true;
  }

  #gather(fields: Gathered): void {
    if (this.#isClosed) return;
    this.#gathered = { ...this.#gathered, ...fields };
    this.#timer ??= setTimeout(() => this.#writeGathered(), BATCH_MS);
  }

  #stream(terminalId: string): OutputStream {
    const known = this.#streams.get(terminalId);
    if (known) return known;
    this.#append({ type: "terminal", terminalId, output: EMPTY_TEXT });
    const stream = new OutputStream({
      emit: (text, skipped) => {
        if (this.#isClosed) return;
        const printed = { terminalId, text, ...(skipped > 0 && { skipped }) };
        this.#writer.add({ type: "terminal-output", ...this.#here(), ...printed });
      },
    });
    this.#streams.set(terminalId, stream);
    return stream;
  }

  #writeGathered(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const fields = this.#gathered;
    this.#gathered = {};
    if (Object.keys(fields).length > 0) this.#revise(fields);
  }

  #revise(fields: CallFields): void {
    if (this.#isClosed) return;
    this.#writer.add({ type: "call-revised", toolCallId: this.#toolCallId, at: this.#now(), fields });
  }

  #append(content: ToolCallContent): void {
    if (this.#isClosed) return;
    this.#content = undefined;
    this.#writer.add({ type: "content-appended", toolCallId: this.#toolCallId, at: this.#now(), content });
  }

  #here(): { readonly toolCallId: string; readonly at: number } {
    return { toolCallId: this.#toolCallId, at: this.#now() };
  }
}
