/**
 * Parts of a call. A foreign agent reports its own call, and asks us to read or write the file or to run the command of it:
 * our call for that (a proxied call) stands below the agent's in the record. Both are one act, so they count as one.
 */
import type { ToolCall } from "./tool-call.js";

/** The ids of proxied calls; `through_us_1` in records of earlier versions. */
const PROXIED = /^(?:proxied|through_us)_\d+$/;

export const isProxied = ({ toolCallId }: ToolCall): boolean => PROXIED.test(toolCallId);

/** The call that the given one is a part of. */
export const partOf = (call: ToolCall): string | undefined =>
  isProxied(call) ? call.parentToolCallId : undefined;

/** A refused part counts as its own call: the agent reports its call as failed, or not at all. */
export const isCounted = (call: ToolCall): boolean =>
  partOf(call) === undefined || call.state.status === "refused";

/** The parts of each call that has any, by its id. */
export function partsByCall(calls: Iterable<ToolCall>): ReadonlyMap<string, readonly ToolCall[]> {
  const parts = new Map<string, ToolCall[]>();
  for (const call of calls) {
    const owner = partOf(call);
    if (owner !== undefined) parts.set(owner, [...(parts.get(owner) ?? []), call]);
  }
  return parts;
}

/** The files that a call names: its input, its locations, its diffs. */
export function pathsOf({ locations, content, rawInput }: ToolCall): readonly string[] {
  const input = typeof rawInput === "object" && rawInput !== null && "path" in rawInput ? rawInput.path : "";
  return [
    ...(typeof input === "string" && input !== "" ? [input] : []),
    ...locations.map(({ path }) => path),
    ...content.flatMap((item) => (item.type === "diff" ? [item.path] : [])),
  ];
}
