/** A call's `_meta` on the wire: what came with the call, and what ACP has no field for. */
import { plainJson } from "../call/index.js";
import type { Meta, ToolCall } from "../call/index.js";
import { toolgateMeta } from "./toolgate-meta.js";

export function wireMeta(call: ToolCall): Meta {
  const toolgate = toolgateMeta(call);
  // A plain JSON object stays an object when it is made safe; only odd values inside it change.
  return call._meta ? { ...(plainJson(call._meta) as Meta), toolgate } : { toolgate };
}

/** Whether `_meta` may have changed between two values of a call, without making it. */
export function mayDifferInMeta(before: ToolCall, after: ToolCall): boolean {
  return (
    before.state !== after.state ||
    before.progress !== after.progress ||
    before.times !== after.times ||
    before.decision !== after.decision ||
    before.breach !== after.breach ||
    before.title !== after.title ||
    before.kindSource !== after.kindSource ||
    before.providerCallId !== after.providerCallId ||
    before.parentToolCallId !== after.parentToolCallId ||
    before._meta !== after._meta
  );
}
