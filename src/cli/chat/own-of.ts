/** Our own agent, for commands that act on its model, mode and calls. */
import type { Chat } from "./chat.js";
import type { Conversation } from "./conversation.js";
import { NOT_HERE } from "./not-here.js";

export function ownOf(chat: Chat): NonNullable<Conversation["own"]> {
  const { own } = chat.conversation;
  if (!own) throw new Error(NOT_HERE);
  return own;
}
