/**
 * `toolgate stats --by model`: how many responses each model gave, the tokens used, and their cost where the price is
 * known.
 */
import { oneLine } from "../call/index.js";
import type { ModelUsage, Usage } from "../call/index.js";
import { alignedTable } from "./aligned-table.js";
import { isNothingYet, withArchive } from "./history.js";
import type { HistoryFlags } from "./history.js";
import { jsonText } from "./json-text.js";
import { grouped } from "../call/amounts.js";
import { usageCost } from "./usage-cost.js";
import { dollars, sumOf, totalOf } from "./usage-text.js";

export type ModelStatsFlags = HistoryFlags & {
  readonly days?: number | undefined;
  readonly cwd?: string | undefined;
};

type ModelStatistics = Usage & {
  readonly key: string;
  readonly answers: number;
  /** US dollars; missing where a price is not known. */
  readonly cost?: number;
};

export async function showModelStats({ days, cwd, ...flags }: ModelStatsFlags): Promise<number> {
  const show = (used: readonly ModelUsage[]): void => {
    const statistics = statisticsOf(used);
    const text = flags.json ? jsonText({ by: "model", statistics }) : table(statistics);
    process.stdout.write(`${text}\n`);
  };
  if (isNothingYet(flags)) {
    show([]);
    return 0;
  }
  const since = days === undefined ? {} : { since: Date.now() - days * 86_400_000 };
  return withArchive(flags, async (archive) => {
    show(await archive.modelUsage({ ...since, ...(cwd !== undefined && { cwd }) }));
  });
}

/** One line for each model, also when only some of its responses have a price. */
function statisticsOf(used: readonly ModelUsage[]): readonly ModelStatistics[] {
  const byModel = new Map<string, ModelUsage[]>();
  for (const one of used) byModel.set(one.model, [...(byModel.get(one.model) ?? []), one]);
  return [...byModel]
    .map(([model, parts]) => {
      const cost = sumOf(parts.map(usageCost));
      return {
        key: model === "" ? "(unknown)" : model,
        answers: parts.reduce((sum, { answers }) => sum + answers, 0),
        ...totalOf(parts),
        ...(cost !== undefined && { cost }),
      };
    })
    .toSorted((one, other) => other.answers - one.answers);
}

function table(statistics: readonly ModelStatistics[]): string {
  if (statistics.length === 0) return "No model was used yet. Start with: toolgate run";
  return alignedTable([
    ["model", "answers", "tokens in", "cached", "tokens out", "about"],
    ...statistics.map((one) => [
      oneLine(one.key, 60),
      grouped(one.answers),
      grouped(one.inputTokens ?? 0),
      grouped(one.cachedTokens ?? 0),
      grouped(one.outputTokens ?? 0),
      one.cost === undefined ? "–" : dollars(one.cost),
    ]),
  ]);
}
