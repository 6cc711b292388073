/** Our own agent, for commands that act on its model, mode and calls. */
import type { Chat } from "./chat.js";
import type { Conversation } from "./conversation.js";

export function ownOf(chat: Chat): NonNullable<Conversation["own"]> {
  const { own } = chat.conversation;
  if (!own) throw new Error("The agent that you talk with decides that itself. Nothing was changed.");
  return own;
}
