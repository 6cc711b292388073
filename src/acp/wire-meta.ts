/** A call's `_meta` on the wire: what came with the call, and what ACP has no field for. */
import { plainJson } from "../call/index.js";
import type { Meta, ToolCall } from "../call/index.js";
import { toolgateMeta } from "./toolgate-meta.js";

export function wireMeta(call: ToolCall): Meta {
  const toolgate = toolgateMeta(call);
  // A plain JSON object stays an object when it is made safe; only odd values inside it change.
  return call._meta ? { ...(plainJson(call._meta) as Meta), toolgate } : { toolgate };
}
