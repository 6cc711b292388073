/** The ids of calls in a prompt. */
import type { ToolCall } from "../call/index.js";

/**
 * Calls of signed responses keep the provider's id, since its signature may cover the id. All other calls get our id, as
 * do calls whose provider id is not unique or equals one of ours.
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
