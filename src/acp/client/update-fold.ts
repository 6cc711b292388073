/**
 * Turns a batch of a foreign agent's updates into the events to record: read one after the other, in our terms,
 * and joined where they say more of the same. What the agent says of its session must not look like what we say
 * of ours, and what it changes after someone here has decided is flagged.
 */
import type { Repair, SessionBook, SessionEvent, TerminalExit, ToolCall } from "../../call/index.js";
import { isJsonObject } from "../json.js";
import type { ReadResult } from "../read-result.js";
import type { SessionSoFar } from "../reading.js";
import { JoinedEvents } from "./joined-events.js";
import { NotYetRecorded } from "./not-yet-recorded.js";

export type UpdateReader = { read(update: unknown, at: number): ReadResult };

export type TerminalEnd = { readonly text: string; readonly exit: TerminalExit };

export type FoldOptions = {
  readonly book: SessionBook;
  /** The agent's name: what it calls its modes must not be taken for one of ours. */
  readonly agent: string;
  readonly reader: (session: SessionSoFar) => UpdateReader;
  /** Leaves out what the person says, which is on record already. */
  readonly isEchoing: () => boolean;
  /** What a command printed that we ran for the agent, once it has ended. */
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
  /** In words, and of which call. */
  readonly #repaired = new Set<string>();
  /** What the agent last reported as the input of a call after that was decided on. */
  readonly #changedInputs = new Map<string, unknown>();
  /** The last status that was reported of each refused call. */
  readonly #onRefused = new Map<string, string>();

  constructor({ book, agent, reader, isEchoing, terminalEnd, now }: FoldOptions) {
    this.#agent = agent;
    this.#isEchoing = isEchoing;
    this.#terminalEnd = terminalEnd;
    this.#seen = new NotYetRecorded(book);
    this.#reader = reader(this.#seen);
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

  /** A call as it is after what `read` has read. */
  call(toolCallId: string): ToolCall | undefined {
    return this.#seen.call(toolCallId);
  }

  /** What the updates since the last time report of refused calls. */
  takeReportsOnRefused(): readonly (readonly [toolCallId: string, status: string])[] {
    if (this.#onRefused.size === 0) return [];
    const reports = [...this.#onRefused];
    this.#onRefused.clear();
    return reports;
  }

  /** The other inputs that the updates since the last time report of calls that were decided on. */
  takeChangedInputs(): readonly (readonly [toolCallId: string, rawInput: unknown])[] {
    if (this.#changedInputs.size === 0) return [];
    const inputs = [...this.#changedInputs];
    this.#changedInputs.clear();
    return inputs;
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
      this.#seen.apply(event);
      if (isEnd(event)) ended = event;
      else if (NOT_AS_IT_IS.has(event.type)) isAllOurs = false;
    }
    const ours = isAllOurs ? events : events.flatMap((event) => this.#ours(event, update));
    const also = ended ? this.#endsWith(ended) : [];
    return also.length > 0 ? [...ours, ...also] : ours;
  }

  /** A command may have ended before the agent says which call shows it. */
  #printed(event: SessionEvent): readonly SessionEvent[] {
    if (event.type !== "call-revised" || !event.fields.content) return [];
    const { toolCallId, at } = event;
    const before = this.#seen.call(toolCallId)?.content ?? [];
    const shown = event.fields.content.flatMap((item) => (item.type === "terminal" ? [item.terminalId] : []));
    // In a list that names it twice it is one terminal all the same.
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

  /** A question that was asked about a call under way is a call of its own: what was allowed by it ended with that call. */
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

  /** What an agent says of its session must not look like what we say of ours; and what a repair means here. */
  #ours(event: SessionEvent, update: unknown): readonly SessionEvent[] {
    if (event.type === "mode-changed") return [{ ...event, modeId: `${this.#agent}/${event.modeId}` }];
    if (event.type === "info-changed") {
      const { title } = event.info;
      return title === undefined ? [] : [{ ...event, info: { title } }];
    }
    if (event.type !== "traffic-repaired") return [event];
    return this.#explained(event, update).filter(({ repair }) => this.#isNew(repair));
  }

  /** What an agent gets wrong it gets wrong in every message: of one call it is recorded once. */
  #isNew({ repair, toolCallId, detail }: Repair): boolean {
    const key = JSON.stringify([repair, toolCallId, detail]);
    if (this.#repaired.has(key)) return false;
    if (this.#repaired.size >= MOST_REPAIRED) this.#repaired.clear();
    this.#repaired.add(key);
    return true;
  }

  #explained(event: RepairEvent, update: unknown): readonly RepairEvent[] {
    const { repair, toolCallId = "" } = event.repair;
    const call = this.#seen.call(toolCallId);
    const said = isJsonObject(update) ? update : {};
    const status = said["status"];
    if (repair === "late-update" && call?.state.status === "refused" && typeof status === "string") {
      this.#onRefused.set(toolCallId, status);
      // That a refused call has failed is what agents say of it.
      if (status === "failed") return [];
    }
    if (repair !== "input-changed" || !call) return [event];
    const input = JSON.stringify(said["rawInput"]).slice(0, LONGEST_INPUT);
    const isDecided = call.decision !== undefined;
    if (!isDecided) return [event];
    this.#changedInputs.set(toolCallId, said["rawInput"]);
    const detail = `changed after approval: the agent reports another input than the one that was decided on: ${input}`;
    return [event, repaired(event.at, "changed-after-approval", detail, toolCallId)];
  }
}

type RepairEvent = SessionEvent & { readonly type: "traffic-repaired" };

const LONGEST_INPUT = 10_000;
/** Repairs that are remembered; those of more are recorded again. */
const MOST_REPAIRED = 1_000;

const NOT_AS_IT_IS: ReadonlySet<string> = new Set(["traffic-repaired", "mode-changed", "info-changed"]);

export function repaired(at: number, repair: string, detail: string, toolCallId?: string): RepairEvent {
  return {
    type: "traffic-repaired",
    at,
    repair: { repair, detail, ...(toolCallId !== undefined && { toolCallId }) },
  };
}

/** The id of the call that stands for the question which was asked about another call, under way, for the second time or later. */
export const askedId = (toolCallId: string, count: number): string => `${toolCallId}/asked-${count}`;

const isUsers = (event: SessionEvent): boolean => event.type === "message-chunk" && event.role === "user";

const showsTerminal = (event: SessionEvent): boolean =>
  event.type === "call-revised" && (event.fields.content?.some(({ type }) => type === "terminal") ?? false);

type CallEnd = SessionEvent & { type: "call-done" | "call-failed" };

const isEnd = (event: SessionEvent): event is CallEnd =>
  event.type === "call-done" || event.type === "call-failed";
