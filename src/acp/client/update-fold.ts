/**
 * Turns a batch of a foreign agent's updates into the events to record. The reader must see each update's
 * effect before it reads the next one, though none of them is recorded yet: what the batch has changed so far
 * is kept here, beside the book. What several updates of a batch say one after the other about the same thing
 * is one event: agents send all of a growing output again and again.
 */
import { applyEvent } from "../../call/index.js";
import type {
  AskedQuestion,
  CallFields,
  SessionBook,
  SessionEvent,
  TerminalExit,
  ToolCall,
} from "../../call/index.js";
import { isJsonObject } from "../json.js";
import type { ReadResult } from "../read-result.js";
import type { SessionSoFar } from "../reading.js";

export type UpdateReader = { read(update: unknown, at: number): ReadResult };

/** The book, and what was read and not yet recorded. */
class NotYetRecorded implements SessionSoFar {
  readonly #book: SessionBook;
  readonly #calls = new Map<string, ToolCall>();
  readonly #questions = new Map<string, AskedQuestion>();

  constructor(book: SessionBook) {
    this.#book = book;
  }

  get sessionId(): string {
    return this.#book.sessionId;
  }

  call(toolCallId: string): ToolCall | undefined {
    return this.#calls.get(toolCallId) ?? this.#book.call(toolCallId);
  }

  question(questionId: string): AskedQuestion | undefined {
    return this.#questions.get(questionId) ?? this.#book.question(questionId);
  }

  apply(event: SessionEvent): void {
    if ("toolCallId" in event) {
      this.#calls.set(event.toolCallId, applyEvent(this.call(event.toolCallId), event));
      if (event.type === "question-asked")
        this.#questions.set(event.question.questionId, {
          question: event.question,
          state: { status: "open" },
        });
    } else if (event.type === "question-withdrawn") {
      const asked = this.question(event.questionId);
      if (asked)
        this.#questions.set(event.questionId, {
          question: asked.question,
          state: { status: "withdrawn", reason: event.reason, at: event.at },
        });
    }
  }

  forget(): void {
    this.#calls.clear();
    this.#questions.clear();
  }
}

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
    const events = new Events();
    for (const update of updates) for (const event of this.#readOne(update, at)) events.add(event);
    return events.done();
  }

  /** A call as it is after what `read` has read. */
  call(toolCallId: string): ToolCall | undefined {
    return this.#seen.call(toolCallId);
  }

  #readOne(update: unknown, at: number): readonly SessionEvent[] {
    const result = this.#reader.read(update, at);
    if (!result.ok) return [repaired(at, "unreadable-update", result.problem)];
    if (this.#isEchoing() && result.events.every(isUsers)) return [];
    const events = result.events.some(showsTerminal)
      ? result.events.flatMap((event) => [event, ...this.#printed(event)])
      : result.events;
    for (const event of events) this.#seen.apply(event);
    const ended = events.findLast(isEnd);
    if (ended) return [...this.#allOurs(events, update), ...this.#endsWith(ended)];
    return this.#allOurs(events, update);
  }

  /** A command may have ended before the agent says which call shows it. */
  #printed(event: SessionEvent): readonly SessionEvent[] {
    if (event.type !== "call-revised" || !event.fields.content) return [];
    const { toolCallId, at } = event;
    const before = this.#seen.call(toolCallId)?.content ?? [];
    return event.fields.content.flatMap((item): SessionEvent[] => {
      if (item.type !== "terminal") return [];
      const { terminalId } = item;
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

  #allOurs(events: readonly SessionEvent[], update: unknown): readonly SessionEvent[] {
    if (!events.some(({ type }) => NOT_AS_IT_IS.has(type))) return events;
    return events.flatMap((event) => this.#ours(event, update));
  }

  /** What an agent says of its session must not look like what we say of ours; and what a repair means here. */
  #ours(event: SessionEvent, update: unknown): readonly SessionEvent[] {
    if (event.type === "mode-changed") return [{ ...event, modeId: `${this.#agent}/${event.modeId}` }];
    if (event.type === "info-changed") {
      const { title } = event.info;
      return title === undefined ? [] : [{ ...event, info: { title } }];
    }
    return event.type === "traffic-repaired" ? this.#explained(event, update) : [event];
  }

  #explained(event: SessionEvent & { type: "traffic-repaired" }, update: unknown): readonly SessionEvent[] {
    const { repair, toolCallId = "" } = event.repair;
    const call = this.#seen.call(toolCallId);
    const said = isJsonObject(update) ? update : {};
    // That a refused call has failed is what agents say of it.
    if (repair === "late-update" && call?.state.status === "refused" && said["status"] === "failed")
      return [];
    if (repair !== "input-changed" || !call) return [event];
    const input = JSON.stringify(said["rawInput"]).slice(0, LONGEST_INPUT);
    const isDecided = call.decision !== undefined;
    if (!isDecided) return [event];
    const detail = `changed after approval: the agent reports another input than the one that was decided on: ${input}`;
    return [event, repaired(event.at, "changed-after-approval", detail, toolCallId)];
  }
}

const LONGEST_INPUT = 10_000;

const NOT_AS_IT_IS: ReadonlySet<string> = new Set(["traffic-repaired", "mode-changed", "info-changed"]);

export function repaired(at: number, repair: string, detail: string, toolCallId?: string): SessionEvent {
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

type Chunk = SessionEvent & { type: "message-chunk" };
type Revision = SessionEvent & { type: "call-revised" };

/** Events in order, those that say more of the same joined to the one before. */
class Events {
  readonly #all: SessionEvent[] = [];
  /** Where a call's last event stands, while that is a revision and more of it may come. */
  readonly #revisions = new Map<string, number>();
  #chunk: { readonly first: Chunk; readonly at: number; readonly texts: string[] } | undefined;

  add(event: SessionEvent): void {
    if (event.type === "message-chunk") return this.#addChunk(event);
    this.#endChunk();
    if (event.type === "call-revised") return this.#addRevision(event);
    if ("toolCallId" in event) this.#revisions.delete(event.toolCallId);
    this.#all.push(event);
  }

  done(): readonly SessionEvent[] {
    this.#endChunk();
    return this.#all;
  }

  #addRevision(event: Revision): void {
    const { toolCallId } = event;
    const at = this.#revisions.get(toolCallId);
    const before = at === undefined ? undefined : this.#all[at];
    if (at === undefined || before?.type !== "call-revised") {
      this.#revisions.set(toolCallId, this.#all.length);
      this.#all.push(event);
    } else this.#all[at] = { ...event, fields: joined(before.fields, event.fields) };
  }

  #addChunk(event: Chunk): void {
    const { block, messageId, role } = event;
    const last = this.#chunk;
    if (isPlainText(event) && last && last.first.messageId === messageId && last.first.role === role) {
      if (block.type === "text") last.texts.push(block.text);
      return;
    }
    this.#endChunk();
    if (isPlainText(event) && block.type === "text")
      this.#chunk = { first: event, at: this.#all.length, texts: [block.text] };
    this.#all.push(event);
  }

  #endChunk(): void {
    const chunk = this.#chunk;
    this.#chunk = undefined;
    if (!chunk || chunk.texts.length < 2) return;
    this.#all[chunk.at] = { ...chunk.first, block: { type: "text", text: chunk.texts.join("") } };
  }
}

const joined = (before: CallFields, after: CallFields): CallFields => ({ ...before, ...after });

const isPlainText = ({ block }: Chunk): boolean =>
  block.type === "text" && !block.annotations && !block._meta;
