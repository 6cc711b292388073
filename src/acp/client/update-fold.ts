/**
 * Turns a batch of a foreign agent's updates into the events to record: reads them in order, translates them, and
 * joins updates of the same message. The agent's statements about its session must not look like ours, and a change
 * after a decision is flagged.
 */
import type { Repair, SessionBook, SessionEvent, TerminalExit, ToolCall } from "../../call/index.js";
import { isInputFixed } from "../../call/index.js";
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";
import type { UpdateReader } from "../read-result.js";
import type { SessionSoFar } from "../reading.js";
import { askedId } from "./call-ids.js";
import { JoinedEvents } from "./joined-events.js";
import { NotYetRecorded } from "./not-yet-recorded.js";
import { ReportedCalls } from "./reported-calls.js";

export type TerminalEnd = { readonly text: string; readonly exit: TerminalExit };

export type FoldOptions = {
  readonly book: SessionBook;
  /** The agent's name distinguishes its modes from ours. */
  readonly agent: string;
  readonly reader: (session: SessionSoFar) => UpdateReader;
  /** Leaves out what the person says, which is on record already. */
  readonly isEchoing: () => boolean;
  /** The output and the exit status of a command that we ran for the agent, once it has ended. */
  readonly terminalEnd: (terminalId: string) => TerminalEnd | undefined;
  readonly now: () => number;
};

export class UpdateFold {
  readonly #seen: NotYetRecorded;
  readonly #reader: UpdateReader;
  readonly #agent: string;
  readonly #terminalEnd: FoldOptions["terminalEnd"];
  readonly #isEchoing: () => boolean;
  readonly #now: () => number;
  /** The repairs so far, each as its text and its call. */
  readonly #repaired = new Set<string>();
  /** All reports of each call. */
  readonly reported = new ReportedCalls();
  /** Calls of which something else was reported after they were asked about or had ended. */
  readonly #changed = new Set<string>();
  /** Reads an update as if it were the first of its call. */
  readonly #alone: UpdateReader;
  /** The last status that was reported of each refused call. */
  readonly #onRefused = new Map<string, string>();

  constructor({ book, agent, reader, isEchoing, terminalEnd, now }: FoldOptions) {
    this.#agent = agent;
    this.#isEchoing = isEchoing;
    this.#terminalEnd = terminalEnd;
    this.#seen = new NotYetRecorded(book);
    this.#reader = reader(this.#seen);
    this.#alone = reader({
      sessionId: book.sessionId,
      call: () => undefined,
      question: () => undefined,
    });
    this.#now = now;
  }

  /** The events of these updates from the book as it is now; to be recorded before the next are read. */
  read(updates: readonly unknown[]): readonly SessionEvent[] {
    this.#seen.forget();
    const at = this.#now();
    const events = new JoinedEvents();
    for (const update of updates) for (const event of this.#readOne(update, at)) events.add(event);
    return events.done();
  }

  /** The call with all updates that `read` has read. */
  call(toolCallId: string): ToolCall | undefined {
    return this.#seen.call(toolCallId);
  }

  /** The reports on refused calls since the last take. */
  takeReportsOnRefused(): readonly (readonly [toolCallId: string, status: string])[] {
    if (this.#onRefused.size === 0) return [];
    const reports = [...this.#onRefused];
    this.#onRefused.clear();
    return reports;
  }

  /** The calls of which the updates since the last time report something else than was decided on, or had ended. */
  takeChanged(): readonly string[] {
    if (this.#changed.size === 0) return [];
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }

  #readOne(update: unknown, at: number): readonly SessionEvent[] {
    const result = this.#reader.read(update, at);
    if (!result.ok) return [repaired(at, "unreadable-update", result.problem)];
    if (this.#isEchoing() && result.events.every(isUsers)) return [];
    const events = result.events.some(showsTerminal)
      ? result.events.flatMap((event) => [event, ...this.#printed(event)])
      : result.events;
    let ended: CallEnd | undefined;
    let isAllOurs = true;
    for (const event of events) {
      this.#note(event);
      this.#seen.apply(event);
      if (isEnd(event)) ended = event;
      else if (NOT_AS_IT_IS.has(event.type)) isAllOurs = false;
    }
    const ours = isAllOurs ? events : events.flatMap((event) => this.#ours(event, update));
    const also = ended ? this.#endsWith(ended) : [];
    return also.length > 0 ? [...ours, ...also] : ours;
  }

  /** To be called before the event is applied. */
  #note(event: SessionEvent): void {
    if (event.type === "call-announced" || event.type === "input-ready" || event.type === "call-revised")
      this.#keep(event, this.#seen.call(event.toolCallId));
  }

  #keep(event: DescribingEvent, call: ToolCall | undefined): void {
    const isDraft = call?.times.started === undefined && (!call || !isInputFixed(call));
    const { toolCallId } = event;
    if (event.type === "call-announced") this.reported.add(toolCallId, { kind: event.kind, isDraft });
    else if (event.type === "input-ready")
      this.reported.add(toolCallId, { rawInput: event.rawInput, isDraft });
    else {
      const { rawInput, content, locations, kind, title } = event.fields;
      if ((rawInput ?? content ?? locations ?? kind ?? title) === undefined) return;
      this.reported.add(toolCallId, {
        ...(rawInput !== undefined && { rawInput }),
        ...(content && { content }),
        ...(locations && { locations }),
        ...(kind !== undefined && { kind }),
        ...(title !== undefined && title !== call?.title && !isDraft && { laterTitle: title }),
        isDraft,
      });
    }
  }

  /** A report that came too late to change the call still counts as a report. */
  #keepLate(toolCallId: string, call: ToolCall, update: JsonObject): void {
    const result = this.#alone.read({ ...update, toolCallId }, this.#now());
    const { rawInput, content, locations, title } = update;
    if (!result.ok || (rawInput ?? content ?? locations ?? title) === undefined) return;
    for (const event of result.events) {
      if (event.type === "call-announced" && event.title !== call.title && typeof title === "string")
        this.reported.add(toolCallId, { laterTitle: event.title, isDraft: false });
      if (event.type === "input-ready" || event.type === "call-revised") this.#keep(event, call);
      if (event.type === "call-announced" && update["kind"] !== undefined) this.#keep(event, call);
    }
    this.#changed.add(toolCallId);
  }

  /** A command may have ended before the agent says which call shows it. */
  #printed(event: SessionEvent): readonly SessionEvent[] {
    if (event.type !== "call-revised" || !event.fields.content) return [];
    const { toolCallId, at } = event;
    const before = this.#seen.call(toolCallId)?.content ?? [];
    const shown = event.fields.content.flatMap((item) => (item.type === "terminal" ? [item.terminalId] : []));
    // A terminal that a list names twice counts once.
    return [...new Set(shown)].flatMap((terminalId): SessionEvent[] => {
      const end = this.#terminalEnd(terminalId);
      const isShown = before.some(
        (one) => one.type === "terminal" && one.terminalId === terminalId && one.output,
      );
      if (!end || isShown) return [];
      return [
        { type: "terminal-output", toolCallId, at, terminalId, text: end.text },
        { type: "terminal-exited", toolCallId, at, terminalId, exit: end.exit },
      ];
    });
  }

  /** Ends the calls that stand for questions about this call: their permission ended with it. */
  #endsWith(end: CallEnd): readonly SessionEvent[] {
    const events: SessionEvent[] = [];
    for (let count = 2; ; count += 1) {
      const toolCallId = askedId(end.toolCallId, count);
      const call = this.#seen.call(toolCallId);
      if (!call) break;
      if (call.state.status !== "cleared") continue;
      const { content: _, rawOutput: __, ...same } = { ...end, toolCallId };
      events.push({ type: "run-started", toolCallId, at: end.at }, same);
    }
    for (const event of events) this.#seen.apply(event);
    return events;
  }

  /** Keeps the agent's statements distinct from ours, and explains repairs. */
  #ours(event: SessionEvent, update: unknown): readonly SessionEvent[] {
    if (event.type === "mode-changed") return [{ ...event, modeId: `${this.#agent}/${event.modeId}` }];
    if (event.type === "info-changed") {
      const { title } = event.info;
      return title === undefined ? [] : [{ ...event, info: { title } }];
    }
    if (event.type !== "traffic-repaired") return [event];
    return this.#explained(event, update).filter(({ repair }) => this.#isNew(repair));
  }

  /** An agent repeats its mistakes in every message: each kind is recorded once per call. */
  #isNew({ repair, toolCallId, detail }: Repair): boolean {
    const key = JSON.stringify([repair, toolCallId, detail]);
    if (this.#repaired.has(key)) return false;
    if (this.#repaired.size >= MAX_REPAIRED) this.#repaired.clear();
    this.#repaired.add(key);
    return true;
  }

  #explained(event: RepairEvent, update: unknown): readonly RepairEvent[] {
    const { repair, toolCallId = "" } = event.repair;
    const call = this.#seen.call(toolCallId);
    const fields = isJsonObject(update) ? update : {};
    const status = fields["status"];
    if (repair === "late-update" && call?.state.status === "refused" && typeof status === "string") {
      this.#onRefused.set(toolCallId, status);
      // Agents report a refused call as failed.
      if (status === "failed") return [];
    }
    if (repair === "late-update" && call) this.#keepLate(toolCallId, call, fields);
    if (repair !== "input-changed" || !call) return [event];
    this.reported.add(toolCallId, { rawInput: fields["rawInput"], isDraft: false });
    this.#changed.add(toolCallId);
    const input = JSON.stringify(fields["rawInput"]).slice(0, MAX_INPUT_CHARS);
    const isDecided = call.decision !== undefined;
    if (!isDecided) return [event];
    const detail = `changed after approval: the agent reports another input than the one that was decided on: ${input}`;
    return [event, repaired(event.at, "changed-after-approval", detail, toolCallId)];
  }
}

type DescribingEvent = SessionEvent & {
  readonly type: "call-announced" | "input-ready" | "call-revised";
};

type RepairEvent = SessionEvent & { readonly type: "traffic-repaired" };

const MAX_INPUT_CHARS = 10_000;
/** Repairs that are remembered; those of more are recorded again. */
const MAX_REPAIRED = 1_000;

const NOT_AS_IT_IS: ReadonlySet<string> = new Set(["traffic-repaired", "mode-changed", "info-changed"]);

export function repaired(at: number, repair: string, detail: string, toolCallId?: string): RepairEvent {
  return {
    type: "traffic-repaired",
    at,
    repair: { repair, detail, ...(toolCallId !== undefined && { toolCallId }) },
  };
}

const isUsers = (event: SessionEvent): boolean => event.type === "message-chunk" && event.role === "user";

const showsTerminal = (event: SessionEvent): boolean =>
  event.type === "call-revised" && (event.fields.content?.some(({ type }) => type === "terminal") ?? false);

type CallEnd = SessionEvent & { type: "call-done" | "call-failed" };

const isEnd = (event: SessionEvent): event is CallEnd =>
  event.type === "call-done" || event.type === "call-failed";
