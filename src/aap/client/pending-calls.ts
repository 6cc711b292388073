/**
 * The calls that a client has to answer to resume a session of which it has only the history: those of the last
 * assistant message without a result.
 */
import { checkOptions, ITERABLE, LIST, required } from "../../call/check-options.js";
import type { HistoryMessage, ToolUseBlock } from "./protocol.js";

export type PendingCalls = {
  /** To be run here; their results are sent as `tool` messages. */
  readonly client: readonly ToolUseBlock[];
  /** To be granted or denied; sent as `tool_permission` messages. */
  readonly server: readonly ToolUseBlock[];
};

export function pendingCalls(
  history: readonly HistoryMessage[],
  clientToolNames: Iterable<string>,
): PendingCalls {
  checkOptions(
    "pendingCalls",
    { history, clientToolNames },
    { history: required(LIST), clientToolNames: required(ITERABLE) },
  );
  const answered = new Set(
    history.flatMap((message) => (message.role === "tool" ? [message.toolCallId] : [])),
  );
  const last = history.findLast(({ role }) => role === "assistant");
  const blocks = last && typeof last.content !== "string" ? last.content : [];
  const open = blocks.filter(
    (block): block is ToolUseBlock => block.type === "tool_use" && !answered.has(block.toolCallId),
  );
  return bySide(open, clientToolNames);
}

/** A name that the app has not declared is the server's, known or not. */
export function bySide(calls: readonly ToolUseBlock[], clientToolNames: Iterable<string>): PendingCalls {
  const own = new Set(clientToolNames);
  return {
    client: calls.filter(({ name }) => own.has(name)),
    server: calls.filter(({ name }) => !own.has(name)),
  };
}
