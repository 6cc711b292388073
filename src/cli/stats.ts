/** `toolgate stats`: counts tool calls, how they ended, who decided, and how long they took. */
import { oneLine } from "../call/index.js";
import type { CallStatistics, Percentiles, StatisticsKey } from "../call/index.js";
import { columns, durationText } from "../view/index.js";
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
    const { showModelStats } = await import("./show-model-stats.js");
    return showModelStats({ days, cwd, ...flags });
  }
  const show = (statistics: readonly CallStatistics[]): void => {
    const text = flags.json ? jsonText({ by, statistics }) : statsTable(by, statistics);
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

/** The calls of each tool in a folder, and how they ended. */
export async function folderStatsText(cwd: string, flags: HistoryFlags, width = Infinity): Promise<string> {
  let text = "";
  await withArchive(flags, async (archive) => {
    text = statsTable("tool", await archive.statistics({ by: "tool", cwd }), width);
  });
  return text;
}

/** The widest table that fits: columns of zeros go first, then how long people took, then how long calls ran. */
export function statsTable(
  by: string,
  statistics: readonly CallStatistics[],
  width: number = process.stdout.isTTY ? process.stdout.columns : Infinity,
): string {
  if (statistics.length === 0) return "No calls are stored yet. Start with: toolgate run";
  const hasNumber = ([, field]: (typeof COUNTS)[number]): boolean => statistics.some((one) => one[field] > 0);
  const usual = COUNTS.filter((one) => !RARE.has(one[1]) || hasNumber(one));
  const counted = COUNTS.filter(hasNumber);
  const tables = [
    [usual, TIMES],
    [counted, TIMES],
    [counted, TIMES.slice(0, 1)],
    [counted, []],
  ] as const;
  const texts = tables.map(([counts, spans]) => {
    const head = [by, ...counts.map(([title]) => title), ...spans.map(([title]) => title)];
    const rows = statistics.map((one) => [
      oneLine(one.key, 40) || "(none)",
      ...counts.map(([, field]) => String(one[field])),
      ...spans.map(([, field]) => times(one[field])),
    ]);
    return alignedTable([head, ...rows]);
  });
  const fits = (text: string): boolean => text.split("\n").every((line) => columns(line) <= width);
  return texts.find(fits) ?? texts.at(-1) ?? "";
}

const TIMES = [
  ["ran p50/p95", "ranMs"],
  ["waited p50/p95", "waitedMs"],
] as const;
/** Left out where all their numbers are 0: many histories have none. */
const RARE: ReadonlySet<string> = new Set(["breaches", "contained"]);

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

/** Formatted as on a call's card. Statistics already leave out impossible durations. */
const spanText = (milliseconds: number): string => durationText(0, milliseconds) ?? "–";
