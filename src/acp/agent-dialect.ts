/** How one version of ACP encodes a session for a client. The client's side is client-dialect.ts. */
import type { Answer, EventOf, Message, Question, SessionEvent, ToolCall } from "../call/index.js";
import type { AskedView } from "./show-more.js";

export type AgentDialect = {
  /** Whether the client expects its own prompts back. A v1 client has shown them already. */
  readonly echoesUser: boolean;
  /** The messages that bring the client's view of a call up to date. */
  call(call: ToolCall): readonly object[];
  /** Undefined for an event that the version cannot express. */
  event(event: SessionEvent): object | undefined;
  /** A message from before this client connected. `isFirst`: no part of it was sent yet. */
  message(message: Message, isFirst: boolean): readonly object[];
  /** The params of `session/request_permission`; with a view, a page of the whole question, or more answers to it. */
  permission(question: Question, call: ToolCall, view?: AskedView): object;
  /** The response to it, as an answer without its author. */
  answer(result: unknown, question: Question): Pick<Answer, "outcome" | "reason">;
};

export const compactionId = (throughStepId: string): string => `compaction-${throughStepId}`;

/** A message as the events that it was made of. */
export function chunksOf({ messageId, role, at, blocks }: Message): readonly SessionEvent[] {
  return blocks.map((block) => ({ type: "message-chunk", at, messageId, role, block }));
}

export const CHUNK_UPDATES = {
  user: "user_message_chunk",
  agent: "agent_message_chunk",
  thought: "agent_thought_chunk",
} as const;

export const compactionUpdate = ({ throughStepId, summary }: EventOf<"context-compacted">) =>
  ({
    sessionUpdate: "compaction_update",
    compactionId: compactionId(throughStepId),
    status: "completed",
    summary: [{ type: "text", text: summary }],
  }) as const;
