/** The lines for a conversation that did not fit the model's window: summarized, or refused by the model. */
import type { LearntWindow, Usage } from "../call/index.js";
import { grouped } from "../call/amounts.js";
import { visibleName } from "./visible-line.js";

export function compactionLine({ usage = {} }: { readonly usage?: Usage }): string {
  const { inputTokens, outputTokens } = usage;
  const tokens =
    inputTokens === undefined || outputTokens === undefined
      ? ""
      : ` (${grouped(inputTokens)} tokens in, ${grouped(outputTokens)} out)`;
  return `── the conversation so far was summarized to make room in the model's window${tokens}`;
}

export const learntWindowLine = ({ model, contextWindow }: LearntWindow): string =>
  `── ${visibleName(shortName(model))} refused the prompt as too long; from here on it gets at most about ${grouped(contextWindow)} tokens`;

/** The name that the user has chosen: the part of the provider's API is left out, as in `anthropic.messages/…`. */
const shortName = (model: string): string => model.replace(/^([\w-]+)\.\w+\//, "$1/");
