/**
 * Joins events in a row where the later one extends the earlier one. Agents send all of a growing output again and
 * again, and text in the smallest chunks: the joined events are stored once.
 */
import { joinedEvents } from "../../call/index.js";
import type { CallFields, SessionEvent, ToolCallContent } from "../../call/index.js";

type Revision = SessionEvent & { type: "call-revised" };

export class JoinedEvents {
  readonly #all: SessionEvent[] = [];
  /** Where a call's last event stands, while that is a revision and more of it may come. */
  readonly #revisions = new Map<string, number>();

  add(event: SessionEvent): void {
    const last = this.#all.at(-1);
    const joined = last && joinedEvents(last, event);
    if (joined) {
      this.#all[this.#all.length - 1] = joined;
      return;
    }
    if (event.type === "call-revised") return this.#addRevision(event);
    if ("toolCallId" in event) this.#revisions.delete(event.toolCallId);
    this.#all.push(event);
  }

  done(): readonly SessionEvent[] {
    return this.#all;
  }

  #addRevision(event: Revision): void {
    const { toolCallId } = event;
    const at = this.#revisions.get(toolCallId);
    const before = at === undefined ? undefined : this.#all[at];
    if (at === undefined || before?.type !== "call-revised" || bringsTerminal(before, event)) {
      this.#revisions.set(toolCallId, this.#all.length);
      this.#all.push(event);
    } else this.#all[at] = { ...event, fields: joinedFields(before.fields, event.fields) };
  }
}

/** When a list leaves a terminal out, its output is gone: the next list has another terminal. */
function bringsTerminal(before: Revision, after: Revision): boolean {
  const kept = before.fields.content && terminalsOf(before.fields.content);
  return kept !== undefined && terminalsOf(after.fields.content ?? []).some((one) => !kept.includes(one));
}

const terminalsOf = (content: readonly ToolCallContent[]): readonly string[] =>
  content.flatMap((item) => (item.type === "terminal" ? [item.terminalId] : []));

const joinedFields = (before: CallFields, after: CallFields): CallFields => ({ ...before, ...after });
