/** Asks the person at the client while a call runs, where the client can ask; elsewhere nobody is there to answer. */
import { randomUUID } from "node:crypto";
import type { Elicit } from "../../run/index.js";
import type { AskReply, AskRequest } from "../../tools/index.js";
import { isJsonObject } from "../json.js";
import type { ClientSide } from "./acp-host.js";

const NOBODY: AskReply = { action: "cancel" };

export function elicitFromClient({ capabilities, request }: ClientSide, sessionId: string): Elicit {
  const offered = isJsonObject(capabilities["elicitation"]) ? capabilities["elicitation"] : {};
  return async (asked, { toolCallId, signal }) => {
    const mode = asked.url === undefined ? "form" : "url";
    if (!isJsonObject(offered[mode])) return NOBODY;
    const params = { sessionId, toolCallId, message: asked.message, mode, ...contentOf(asked) };
    return replyOf(await request("elicitation/create", params, { signal }), mode);
  };
}

function contentOf({ url, schema }: AskRequest): object {
  if (url !== undefined) return { elicitationId: randomUUID(), url };
  return { requestedSchema: schema ?? { type: "object", properties: {} } };
}

/** An unreadable result counts as no answer. */
function replyOf(result: unknown, mode: "form" | "url"): AskReply {
  if (!isJsonObject(result)) return NOBODY;
  const { action, content } = result;
  if (action === "decline") return { action };
  if (action !== "accept") return NOBODY;
  if (mode === "url") return { action, content: {} };
  return isJsonObject(content) ? { action, content } : NOBODY;
}
