/** The ids by which the model is told of its calls. */
import type { ToolCall } from "../call/index.js";

/**
 * The provider's own ids for the calls of signed answers, since it may have signed those too; ours for all others, and
 * where its ids are not unique. One that looks like any of ours is not taken either.
 */
export function providerCallIds(
  calls: ReadonlyMap<string, ToolCall>,
  signed: ReadonlySet<string>,
): (call: ToolCall) => string {
  const uses = new Map<string, number>();
  for (const toolCallId of signed) {
    const id = calls.get(toolCallId)?.providerCallId ?? "";
    uses.set(id, (uses.get(id) ?? 0) + 1);
  }
  return ({ toolCallId, providerCallId = "" }) =>
    signed.has(toolCallId) &&
    providerCallId !== "" &&
    uses.get(providerCallId) === 1 &&
    !calls.has(providerCallId)
      ? providerCallId
      : toolCallId;
}
