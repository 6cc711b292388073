/**
 * The owner of a call: the task of the sub-agent that made it, or the call of a foreign agent for which we read or wrote a
 * file or ran a command (a proxied call). Such an agent reports its own call, and the proxied one stands beside it in the
 * record; side by side they would read as two deeds. This only adds words: nothing is left out because of it.
 */
import type { ToolCall } from "../call/index.js";
import { isOver } from "../call/index.js";
import { isProxied, pathsOf } from "../call/call-parts.js";

const ALLOWED_WITH = "allowed with ";

/** Undefined when it is its own, and when it is not certain whose it is. */
export function callOwner(call: ToolCall, calls: Iterable<ToolCall>): ToolCall | undefined {
  if (call.parentToolCallId !== undefined)
    return only(calls, (one) => one.toolCallId === call.parentToolCallId);
  return isProxied(call) ? servedCall(call, calls) : undefined;
}

/** The owner has the same yes, shows the same terminal, or else works on the same file at the same time. */
function servedCall(served: ToolCall, calls: Iterable<ToolCall>): ToolCall | undefined {
  const others = [...calls].filter((one) => !isProxied(one));
  const { reason = "" } = served.decision ?? {};
  const allowedWith = reason.startsWith(ALLOWED_WITH) ? reason.slice(ALLOWED_WITH.length) : undefined;
  const [terminalId] = terminalsOf(served);
  const [path] = pathsOf(served);
  return (
    only(others, ({ toolCallId }) => toolCallId === allowedWith) ??
    only(others, (one) => terminalId !== undefined && terminalsOf(one).includes(terminalId)) ??
    only(others, (one) => path !== undefined && isUnderWayWith(one, served) && pathsOf(one).includes(path))
  );
}

function only(calls: Iterable<ToolCall>, isMeant: (call: ToolCall) => boolean): ToolCall | undefined {
  let found: ToolCall | undefined;
  for (const call of calls) {
    if (!isMeant(call)) continue;
    if (found) return undefined;
    found = call;
  }
  return found;
}

function isUnderWayWith({ times, state }: ToolCall, served: ToolCall): boolean {
  const { announced } = served.times;
  return times.announced <= announced && (!isOver(state) || (times.ended ?? 0) >= announced);
}

const terminalsOf = ({ content }: ToolCall): readonly string[] =>
  content.flatMap((item) => (item.type === "terminal" ? [item.terminalId] : []));
