/** A call's raw input on the wire: while it is still being written, the fields that have fully arrived. */
import { completeFields, fieldCount, plainJson } from "../call/index.js";
import type { ToolCall } from "../call/index.js";

export function wireInput({ state, rawInput }: ToolCall): unknown {
  if (state.status === "drafting" && rawInput === undefined) {
    return fieldCount(state.draft) === 0 ? undefined : plainJson(completeFields(state.draft));
  }
  return wireRaw(rawInput);
}

/** Whether the input may have changed between two values of a call, without comparing its content. */
export function mayDifferInInput(before: ToolCall, after: ToolCall): boolean {
  if (before.rawInput !== after.rawInput) return true;
  if (after.state.status !== "drafting") return before.state.status === "drafting";
  return (
    before.state.status !== "drafting" || fieldCount(before.state.draft) !== fieldCount(after.state.draft)
  );
}

/** A raw value made safe for JSON; none stays none, since null on the wire means something else. */
export function wireRaw(value: unknown): unknown {
  return value === undefined ? undefined : plainJson(value);
}
