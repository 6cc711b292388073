/** Reads a piece of a message or a thought. Pieces without a message id belong together until the role changes. */
import type { MessageRole, SessionEvent } from "../call/index.js";
import type { JsonObject } from "./json.js";
import type { BlockRules } from "./read-block.js";
import { readBlock } from "./read-block.js";
import { readMeta } from "./read-call.js";
import type { Reading } from "./reading.js";

const ROLES: ReadonlyMap<unknown, MessageRole> = new Map([
  ["user_message_chunk", "user"],
  ["agent_message_chunk", "agent"],
  ["agent_thought_chunk", "thought"],
]);

export class MessageChunks {
  #role: MessageRole | undefined;
  #unnamed = 0;

  constructor(
    readonly rules: BlockRules,
    readonly isIdRequired: boolean,
  ) {}

  /** Ends the current message: the next chunk without an id starts a new one. */
  interrupt(): void {
    this.#role = undefined;
  }

  /** Undefined when the update is no piece of a message. */
  read(update: JsonObject, reading: Reading): SessionEvent[] | undefined {
    const role = ROLES.get(update["sessionUpdate"]);
    if (!role) return undefined;
    readMeta(update["_meta"], false, reading);
    const messageId = this.#messageId(update["messageId"], role, reading);
    const block = readBlock(update["content"], this.rules, reading);
    return block ? [{ type: "message-chunk", at: reading.at, messageId, role, block }] : [];
  }

  #messageId(value: unknown, role: MessageRole, reading: Reading): string {
    if (typeof value === "string") return value;
    const mayBeAbsent = !this.isIdRequired && (value === undefined || value === null);
    if (!mayBeAbsent) reading.tolerate("bad-field", `"messageId" must be a text`);
    if (role !== this.#role) this.#unnamed += 1;
    this.#role = role;
    return `${role}-${this.#unnamed}`;
  }
}
