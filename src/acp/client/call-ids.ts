/**
 * The ids under which calls of a foreign agent are recorded. Some are ours: a second question about a call, a call that we
 * run for the agent, and (`id#2`) a second call of one id. An id of the agent that looks like one of these is written
 * another way, so that no agent can pass a call off as one that was asked about.
 */
import type { SessionBook } from "../../call/index.js";
import { isJsonObject } from "../json.js";

/** The id of the call that stands for the question which was asked about another call, under way, for the second time or later. */
export const askedId = (toolCallId: string, count: number): string => `${toolCallId}/asked-${count}`;

/** The ids of calls that we run for an agent: `proxied_1`, `proxied_2` … */
export class ProxiedIds {
  readonly #book: SessionBook;
  #count = 0;

  constructor(book: SessionBook) {
    this.#book = book;
  }

  next(): string {
    do this.#count += 1;
    while (this.#book.call(`proxied_${this.#count}`));
    return `proxied_${this.#count}`;
  }
}

/** The id that an agent gives a call, in the space that is left to agents. Older records call proxied calls `through_us_1`. */
export const agentsId = (toolCallId: string): string =>
  toolCallId
    .replace(/#(?=\d)/g, "%23")
    .replaceAll("/asked-", "%2Fasked-")
    .replace(/^(proxied|through_us)_/, "$1%5F");

/** The update of an agent with its call under that id. */
export function underAgentsId(update: unknown): unknown {
  if (!isJsonObject(update) || typeof update["toolCallId"] !== "string") return update;
  const toolCallId = agentsId(update["toolCallId"]);
  return toolCallId === update["toolCallId"] ? update : { ...update, toolCallId };
}
