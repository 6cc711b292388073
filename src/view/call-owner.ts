/**
 * Finds the call that another call belongs to: the task of the sub-agent that made it, or the call of an external agent
 * that we served a file or a terminal for. Such an agent reports its call, and the file or terminal request to us is a
 * second call in the record; without the owner they would read as two actions. The owner only adds to a view: no call
 * is hidden because of it.
 */
import type { ToolCall } from "../call/index.js";
import { isOver } from "../call/index.js";

/** The recorded id of a call that we serve for an external agent. */
const PROXIED_ID = /^through_us_\d+$/;
const ALLOWED_WITH = "allowed with ";

/** Undefined when the call belongs to no other, or when the owner is not certain. */
export function callOwner(call: ToolCall, calls: Iterable<ToolCall>): ToolCall | undefined {
  if (call.parentToolCallId !== undefined)
    return only(calls, (one) => one.toolCallId === call.parentToolCallId);
  return isProxied(call) ? servedCall(call, calls) : undefined;
}

export const isProxied = ({ toolCallId }: ToolCall): boolean => PROXIED_ID.test(toolCallId);

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

function pathsOf({ locations, content, rawInput }: ToolCall): readonly string[] {
  const input = typeof rawInput === "object" && rawInput !== null && "path" in rawInput ? rawInput.path : "";
  return [
    ...(typeof input === "string" && input !== "" ? [input] : []),
    ...locations.map(({ path }) => path),
    ...content.flatMap((item) => (item.type === "diff" ? [item.path] : [])),
  ];
}
