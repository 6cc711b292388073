/**
 * Calls that an agent asked about under an id that it never announced. Some agents ask first and give the call its id
 * when it starts: the next call that starts with the same input is the call that was asked about.
 */
import type { SessionBook, ToolCall } from "../../call/index.js";
import { isJsonObject, isNone, sameJson } from "../json.js";
import type { JsonObject } from "../json.js";

const MAX_CALLS = 100;

export class UnannouncedCalls {
  readonly #book: SessionBook;
  /** Asked about, and not started yet. */
  #asked: string[] = [];
  /** The ids that the agent gave such calls later, with the ids that they have here. */
  readonly #joined = new Map<string, string>();

  constructor(book: SessionBook) {
    this.#book = book;
  }

  add(toolCallId: string): void {
    this.#asked = [...this.#asked.slice(1 - MAX_CALLS), toolCallId];
  }

  /** The call was asked about and its agent has used the id for nothing else since. */
  has(toolCallId: string): boolean {
    return this.#asked.includes(toolCallId) || [...this.#joined.values()].includes(toolCallId);
  }

  /** The updates, each under the id of the call that was asked about, where it is one about such a call. */
  join(updates: readonly unknown[]): readonly unknown[] {
    if (this.#asked.length === 0 && this.#joined.size === 0) return updates;
    return updates.flatMap((update) => this.#joinOne(update));
  }

  #joinOne(update: unknown): unknown {
    if (!isJsonObject(update) || typeof update["toolCallId"] !== "string") return update;
    const { status, ...fields } = update;
    const toolCallId = update["toolCallId"];
    const known = this.#joined.get(toolCallId);
    if (known !== undefined) return { ...update, toolCallId: known };
    if (this.#asked.length === 0 || this.#book.call(toolCallId)) return update;
    const isPending = status === "pending" || isNone(status);
    const isIdle = isPending || status === "failed";
    const asked = this.#asked.find((id) => isAbout(this.#book.call(id), fields, isIdle));
    if (asked === undefined) return update;
    this.#asked = this.#asked.filter((id) => id !== asked);
    if (this.#joined.size >= MAX_CALLS) this.#joined.clear();
    this.#joined.set(toolCallId, asked);
    // A refused or cancelled call takes no more reports, and this one says only that it was not done.
    if (isIdle && isNotDone(this.#book.call(asked))) return [];
    // The question announced it.
    return {
      ...fields,
      sessionUpdate: "tool_call_update",
      toolCallId: asked,
      ...(!isPending && { status }),
    };
  }

  turnOver(): void {
    this.#asked = [];
  }
}

const isNotDone = (call: ToolCall | undefined): boolean =>
  call?.state.status === "refused" || call?.state.status === "cancelled";

/** Allowed, or not done and not at work; with the same input, and of calls without any input with the same title and kind. */
function isAbout(
  call: ToolCall | undefined,
  { rawInput, title, kind }: JsonObject,
  isIdle: boolean,
): boolean {
  if (!call || (call.state.status !== "cleared" && !(isNotDone(call) && isIdle))) return false;
  if (!isNone(rawInput) || !isNone(call.rawInput)) return sameJson(rawInput, call.rawInput);
  return title === call.title && kind === call.kind;
}
