/** How one version of ACP says what a session shows. */
import type { Answer, Message, Question, SessionEvent, ToolCall } from "../../call/index.js";

export type Dialect = {
  /** Whether the client wants to hear what its person said. In v1 it has written that down itself. */
  readonly echoesUser: boolean;
  /** The messages that bring the client's view of a call up to date. */
  call(call: ToolCall): readonly object[];
  /** Undefined for what the version has no word for. */
  event(event: SessionEvent): object | undefined;
  /** A message that was said before this client came. `isFirst`: nothing of it was told yet. */
  message(message: Message, isFirst: boolean): readonly object[];
  /** The params of `session/request_permission`. */
  permission(question: Question, call: ToolCall): object;
  outcome(result: unknown, question: Question): Answer["outcome"] | "cancelled";
};

/** A message as the events that it was made of. */
export function chunksOf({ messageId, role, at, blocks }: Message): readonly SessionEvent[] {
  return blocks.map((block) => ({ type: "message-chunk", at, messageId, role, block }));
}
