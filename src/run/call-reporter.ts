/**
 * What a running tool shows, on its way to the record: in order, with streamed output and progress gathered,
 * so that a tool which reports a thousand times a second costs no more than one that does so now and then.
 */
import type { CallFields, Location, Meta, SessionEvent, ToolCall } from "../call/index.js";
import { EMPTY_TEXT } from "../call/index.js";
import type { ToolContext, ToolTerminal } from "../tools/index.js";
import type { EventWriter } from "./event-writer.js";
import { OutputStream } from "./output-stream.js";

type Showing = Pick<ToolContext, "progress" | "output" | "diff" | "locate" | "terminal" | "meta" | "report">;

const PROGRESS_MILLISECONDS = 50;

export class CallReporter implements Showing {
  readonly #writer: EventWriter;
  readonly #toolCallId: string;
  readonly #now: () => number;
  readonly #streams = new Map<string, OutputStream>();
  #locations: readonly Location[];
  #meta: Meta | undefined;
  /** The newest progress, not yet written, and when it will be. */
  #progress: CallFields | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(writer: EventWriter, call: ToolCall, now: () => number) {
    this.#writer = writer;
    this.#toolCallId = call.toolCallId;
    this.#now = now;
    this.#locations = call.locations;
    this.#meta = call._meta;
  }

  readonly progress: ToolContext["progress"] = (done, total, message) => {
    this.#progress = {
      progress: { done, ...(total !== undefined && { total }), ...(message !== undefined && { message }) },
    };
    this.#timer ??= setTimeout(() => this.#writeProgress(), PROGRESS_MILLISECONDS);
  };

  readonly output: ToolContext["output"] = (text) => this.#stream(`${this.#toolCallId}/output`).write(text);

  readonly diff: ToolContext["diff"] = (content) => this.#add({ type: "content-appended", content });

  readonly locate: ToolContext["locate"] = (path, line) => {
    this.#locations = [...this.#locations, { path, ...(line !== undefined && { line }) }];
    this.report({ locations: this.#locations });
  };

  readonly terminal: ToolContext["terminal"] = (name): ToolTerminal => {
    const terminalId = name === undefined ? this.#toolCallId : `${this.#toolCallId}/${name}`;
    const stream = this.#stream(terminalId);
    return {
      terminalId,
      print: (text) => stream.write(text),
      exit: (exit) => {
        stream.flush();
        this.#add({ type: "terminal-exited", terminalId, exit });
      },
    };
  };

  readonly meta: ToolContext["meta"] = (meta) => {
    this.#meta = { ...this.#meta, ...meta };
    this.report({ _meta: this.#meta });
  };

  readonly report: ToolContext["report"] = (fields) => {
    if (fields.locations) this.#locations = fields.locations;
    this.#add({ type: "call-revised", fields });
  };

  /** Writes what was gathered. Nothing that comes later is shown. */
  flush(): void {
    for (const stream of this.#streams.values()) stream.flush();
    this.#writeProgress();
  }

  #stream(terminalId: string): OutputStream {
    const known = this.#streams.get(terminalId);
    if (known) return known;
    this.#add({ type: "content-appended", content: { type: "terminal", terminalId, output: EMPTY_TEXT } });
    const stream = new OutputStream({
      emit: (text, skipped) =>
        this.#add({ type: "terminal-output", terminalId, text, ...(skipped > 0 && { skipped }) }),
    });
    this.#streams.set(terminalId, stream);
    return stream;
  }

  #writeProgress(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#progress) this.#add({ type: "call-revised", fields: this.#progress });
    this.#progress = undefined;
  }

  #add(event: DistributiveOmit<Shown, "toolCallId" | "at">): void {
    this.#writer.add({ ...event, toolCallId: this.#toolCallId, at: this.#now() });
  }
}

type Shown = SessionEvent & {
  type: "call-revised" | "content-appended" | "terminal-output" | "terminal-exited";
};

type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;
