/** `toolgate stats`: counts tool calls, how they ended, who decided, and how long they took. */
import { oneLine } from "../call/index.js";
import type { CallStatistics, Percentiles, StatisticsKey } from "../call/index.js";
import { durationText } from "../view/index.js";
import { alignedTable } from "./aligned-table.js";
import { isNothingYet, withArchive } from "./history.js";
import type { HistoryFlags } from "./history.js";
import { jsonText } from "./json-text.js";
import { recordedFolder } from "./shown-folder.js";

export type StatsFlags = HistoryFlags & {
  readonly by: StatisticsKey | "model";
  readonly days?: number;
  readonly cwd?: string;
};

export async function showStats({ by, days, cwd: wanted, ...flags }: StatsFlags): Promise<number> {
  const cwd = wanted === undefined ? undefined : recordedFolder(wanted);
  if (by === "model") {
    const { showModelStats } = await import("./model-stats.js");
    return showModelStats({ days, cwd, ...flags });
  }
  const show = (statistics: readonly CallStatistics[]): void => {
    const text = flags.json ? jsonText({ by, statistics }) : table(by, statistics);
    process.stdout.write(`${text}\n`);
  };
  if (isNothingYet(flags)) {
    show([]);
    return 0;
  }
  return withArchive(flags, async (archive) => {
    const since = days === undefined ? {} : { since: Date.now() - days * 86_400_000 };
    show(await archive.statistics({ by, ...since, ...(cwd !== undefined && { cwd }) }));
  });
}

/** The calls of each tool in a folder, and how they ended; only the columns that have a number. */
export async function folderStatsText(cwd: string, flags: HistoryFlags): Promise<string> {
  let text = "";
  await withArchive(flags, async (archive) => {
    const every = new Set(COUNTS.map(([, field]) => field));
    text = table("tool", await archive.statistics({ by: "tool", cwd }), every);
  });
  return text;
}

/** `rare`: columns that are left out where all their numbers are 0. Many histories have none, and the table is wide. */
function table(
  by: string,
  statistics: readonly CallStatistics[],
  rare: ReadonlySet<string> = new Set(["breaches", "contained"]),
): string {
  if (statistics.length === 0) return "No calls are stored yet. Start with: toolgate run";
  const shown = COUNTS.filter(([, field]) => !rare.has(field) || statistics.some((one) => one[field] > 0));
  return alignedTable([
    [by, ...shown.map(([title]) => title), "ran p50/p95", "waited p50/p95"],
    ...statistics.map((one) => [
      oneLine(one.key, 40) || "(none)",
      ...shown.map(([, field]) => String(one[field])),
      times(one.ranMs),
      times(one.waitedMs),
    ]),
  ]);
}

const COUNTS = [
  ["calls", "calls"],
  ["done", "done"],
  ["failed", "failed"],
  ["refused", "refused"],
  ["cancelled", "cancelled"],
  ["unknown", "unknown"],
  ["open", "open"],
  ["by rule", "decidedByRule"],
  ["by a person", "decidedByPerson"],
  ["contained", "contained"],
  ["breaches", "breaches"],
] as const;

const times = (percentiles: Percentiles | undefined): string =>
  percentiles ? `${spanText(percentiles.p50)}/${spanText(percentiles.p95)}` : "–";

/** As on the card of a call. Statistics already leave out impossible durations. */
const spanText = (milliseconds: number): string => durationText(0, milliseconds) ?? "–";
