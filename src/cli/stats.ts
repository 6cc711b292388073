/** `toolgate stats`: how often tools were called, how it ended, who decided, and how long it took. */
import { oneLine } from "../call/index.js";
import type { CallStatistics, Percentiles, StatisticsQuery } from "../history/index.js";
import { withIndex } from "./history.js";
import type { HistoryFlags } from "./history.js";

export type StatsFlags = HistoryFlags & {
  readonly by: StatisticsQuery["by"];
  readonly days?: number;
  readonly cwd?: string;
};

export async function showStats({ by, days, cwd, ...flags }: StatsFlags): Promise<number> {
  return withIndex(flags, async (index) => {
    const statistics = await index.statistics({
      by,
      ...(days !== undefined && { since: Date.now() - days * 86_400_000 }),
      ...(cwd !== undefined && { cwd }),
    });
    const text = flags.json ? JSON.stringify({ by, statistics }) : table(by, statistics);
    process.stdout.write(`${text}\n`);
  });
}

function table(by: string, statistics: readonly CallStatistics[]): string {
  if (statistics.length === 0) return "No call is remembered here yet. Begin with: toolgate run";
  const rows = [
    [by, "calls", "done", "failed", "refused", "by rule", "by a person", "ran p50/p95", "waited p50/p95"],
    ...statistics.map((one) => [
      oneLine(one.key, 40) || "(none)",
      ...[one.calls, one.done, one.failed, one.refused, one.decidedByRule, one.decidedByPerson].map(String),
      times(one.ranMs),
      times(one.waitedMs),
    ]),
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const times = (percentiles: Percentiles | undefined): string =>
  percentiles ? `${short(percentiles.p50)}/${short(percentiles.p95)}` : "–";

function short(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  return seconds < 120 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds / 60)} min`;
}
