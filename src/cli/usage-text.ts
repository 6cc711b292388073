/** The usage of a turn in one line: tokens as the provider counts them, and their cost where the price is known. */
import { countOf, grouped } from "../call/amounts.js";
import type { SessionBook, Usage } from "../call/index.js";
import { responseUsage } from "../call/response-usage.js";
import { costOf, PRICES_AS_OF } from "../model/index.js";
import type { ModelPrice } from "../model/index.js";

/** The usage of the newest turn; undefined when the provider reported none. */
export function usageText(book: SessionBook, price: ModelPrice | undefined): string | undefined {
  const responses = book.turn ? responseUsage(book, book.turn.turnId) : [];
  const used = responses.flatMap((usage) => usage ?? []);
  if (used.length === 0) return undefined;
  const cost = sumOf(responses.map((usage) => usage && costOf(usage, price)));
  const { inputTokens = 0, outputTokens = 0, cachedTokens = 0 } = totalOf(used);
  const cached = cachedTokens === 0 ? "" : ` (${grouped(cachedTokens)} cached)`;
  return `${countOf(inputTokens, "token")} in${cached}, ${grouped(outputTokens)} out${cost === undefined ? "" : `, about ${dollars(cost)} at prices of ${PRICES_AS_OF}`}`;
}

/** The usage of the session, or of its newest turn, in few words: "1,204 tokens in, 80 out, $0.01". */
export function shortUsage(
  book: SessionBook,
  price: ModelPrice | undefined,
  of: "session" | "turn",
): string | undefined {
  const responses = responseUsage(book, of === "turn" ? book.turn?.turnId : undefined);
  const used = responses.flatMap((usage) => usage ?? []);
  if (used.length === 0) return undefined;
  const { inputTokens = 0, outputTokens = 0 } = totalOf(used);
  const cost = sumOf(responses.map((usage) => usage && costOf(usage, price)));
  return `${countOf(inputTokens, "token")} in, ${grouped(outputTokens)} out${cost === undefined ? "" : `, ${dollars(cost)}`}`;
}

/** How full the model's window is after the last response: "34 % of 200k". Undefined where nobody counted. */
export function windowText(
  { steps, compactions }: Pick<SessionBook, "steps" | "compactions">,
  contextWindow: number,
): string | undefined {
  const last = steps.at(-1);
  const { inputTokens, outputTokens = 0 } = last?.usage ?? {};
  // A summary has replaced the response, and the next one is counted again.
  const isReplaced = compactions.at(-1)?.throughStepId === last?.stepId;
  if (inputTokens === undefined || isReplaced) return undefined;
  const percent = Math.round(((inputTokens + outputTokens) / contextWindow) * 100);
  return `${percent} % of ${roundTokens(contextWindow)}`;
}

/** "200k", "1M". */
export const roundTokens = (count: number): string =>
  count < 1_000
    ? `${count}`
    : count < 1_000_000
      ? `${Math.round(count / 1_000)}k`
      : `${Math.round(count / 100_000) / 10}M`;

export function totalOf(used: readonly Usage[]): Usage {
  const sum = (name: keyof Usage) => used.reduce((total, usage) => total + (usage[name] ?? 0), 0);
  return {
    inputTokens: sum("inputTokens"),
    outputTokens: sum("outputTokens"),
    reasoningTokens: sum("reasoningTokens"),
    cachedTokens: sum("cachedTokens"),
    cacheWrittenTokens: sum("cacheWrittenTokens"),
  };
}

/** Undefined when one of them is not known: a partial sum would read as the whole. */
export function sumOf(costs: readonly (number | undefined)[]): number | undefined {
  return costs.reduce<number | undefined>(
    (sum, cost) => (sum === undefined || cost === undefined ? undefined : sum + cost),
    0,
  );
}

/** Two significant digits, also below a cent. */
export function dollars(cost: number): string {
  if (cost > 0 && cost < 0.0001) return "less than $0.0001";
  return `$${cost === 0 || cost >= 0.1 ? cost.toFixed(2) : cost.toPrecision(2)}`;
}
