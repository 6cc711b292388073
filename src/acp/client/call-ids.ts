/**
 * The ids under which calls of a foreign agent are recorded. Some are ours: a second question about a call, what was done
 * through us, and (`id#2`) a second call of one id. An id of the agent that looks like one of these is written another
 * way, so that no agent can pass a call off as one that was asked about.
 */
import { isJsonObject } from "../json.js";

/** The id of the call that stands for the question which was asked about another call, under way, for the second time or later. */
export const askedId = (toolCallId: string, count: number): string => `${toolCallId}/asked-${count}`;

export const throughUsId = (count: number): string => `through_us_${count}`;

export const isThroughUs = (toolCallId: string): boolean => toolCallId.startsWith("through_us_");

/** The id that an agent gives a call, in the space that is left to agents. */
export const agentsId = (toolCallId: string): string =>
  toolCallId
    .replace(/#(?=\d)/g, "%23")
    .replaceAll("/asked-", "%2Fasked-")
    .replace(/^through_us_/, "through%5Fus_");

/** The update of an agent with its call under that id. */
export function underAgentsId(update: unknown): unknown {
  if (!isJsonObject(update) || typeof update["toolCallId"] !== "string") return update;
  const toolCallId = agentsId(update["toolCallId"]);
  return toolCallId === update["toolCallId"] ? update : { ...update, toolCallId };
}
