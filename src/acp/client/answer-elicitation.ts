/** A foreign agent's question to the person: `elicit` shows it; without `elicit` it is declined. */
import { oneLine, visibleText } from "../../call/index.js";
import type { Elicit } from "../../run/index.js";
import type { AskReply, AskRequest } from "../../tools/index.js";
import type { Asked } from "../connection/peer.js";
import { isJsonObject } from "../json.js";

const MAX_MESSAGE_CHARS = 4_000;
const MAX_FORM_CHARS = 64_000;

export async function answerElicitation(
  { params, signal }: Asked,
  agent: string,
  elicit: Elicit | undefined,
): Promise<AskReply> {
  const request = elicit && readElicitation(params, agent);
  if (!elicit || !request) return { action: "decline" };
  const toolCallId = isJsonObject(params) ? params["toolCallId"] : undefined;
  const reply = await elicit(request, {
    toolCallId: typeof toolCallId === "string" ? toolCallId : "",
    signal,
  });
  return reply.action === "accept" && request.url !== undefined ? { action: "accept", content: {} } : reply;
}

/** Undefined when it cannot be shown. */
function readElicitation(params: unknown, agent: string): AskRequest | undefined {
  if (!isJsonObject(params) || typeof params["message"] !== "string") return undefined;
  const words = visibleText(params["message"].slice(0, MAX_MESSAGE_CHARS), { keepNewlines: true });
  const message = `${oneLine(agent, 80)} asks: ${words}`;
  const { mode, url, requestedSchema: schema } = params;
  if (mode === "url")
    return typeof url === "string" && /^https?:\/\//.test(url) ? { message, url } : undefined;
  if (mode !== "form" || !isJsonObject(schema) || JSON.stringify(schema).length > MAX_FORM_CHARS)
    return undefined;
  return { message, schema };
}
