/** The figures of a period: calls by day, tool, kind, agent and rule, waiting times, models, breaches. */
import type { z } from "zod";
import type { CallStatistics, FoundCall, PeriodQuery } from "../../call/index.js";
import type { HistoryCall, Statistics, statisticsQuery } from "../api/history-bodies.js";
import { decidingRules } from "../../policy/verdict.js";
import type { ServeContext } from "../server/serve-context.js";

const BUCKETS_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000] as const;
const PAGE_SIZE = 1_000;
/** Calls that are read one by one, for percentiles of all and for the waiting times. */
const MAX_CALLS = 20_000;
const MAX_BREACHES = 50;

export async function callStatistics(
  { archive, costOf, now }: ServeContext,
  { since, until, folder, agent }: z.output<typeof statisticsQuery>,
): Promise<Statistics> {
  const started = performance.now();
  const period: PeriodQuery = {
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(folder !== undefined && { cwd: folder }),
    ...(agent !== undefined && { agent }),
  };
  const by = async (key: "day" | "tool" | "kind" | "agent" | "rule") => [
    ...(await archive.statistics({ ...period, by: key })),
  ];
  const byDay = (await by("day")).toSorted((one, other) => (one.key < other.key ? -1 : 1));
  const calls = await callsOf(archive, period);
  const length = since === undefined ? undefined : (until ?? now()) - since;
  const earlier =
    since === undefined || length === undefined
      ? undefined
      : await archive.statistics({ ...period, since: since - length, until: since, by: "day" });
  const models = await archive.modelUsage(period);
  return {
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    total: total(byDay, calls),
    ...(earlier && { before: total(earlier, []) }),
    byDay,
    byTool: await by("tool"),
    byKind: await by("kind"),
    byAgent: await by("agent"),
    byRule: byRule(await by("rule"), calls),
    models: models.map((usage) => {
      const costUsd = usage.isListPriced ? costOf(usage.model, usage) : undefined;
      return { ...usage, ...(costUsd !== undefined && { costUsd }) };
    }),
    waits: waits(calls),
    breaches: calls
      .filter(({ breach }) => breach !== undefined)
      .slice(0, MAX_BREACHES)
      .map(historyCall),
    tookMs: Math.round(performance.now() - started),
  };
}

function historyCall(found: FoundCall): HistoryCall {
  const { outputSize: _, ...call } = found;
  return call;
}

async function callsOf(archive: ServeContext["archive"], period: PeriodQuery): Promise<readonly FoundCall[]> {
  const calls: FoundCall[] = [];
  for (let before: string | undefined; calls.length < MAX_CALLS;) {
    const page = await archive.calls({
      ...period,
      limit: PAGE_SIZE,
      ...(before !== undefined && { before }),
    });
    calls.push(...page.items);
    before = page.next;
    if (before === undefined) break;
  }
  return calls;
}

/** Several rules may have let one call through together: the call counts for each. */
function byRule(groups: readonly CallStatistics[], calls: readonly FoundCall[]): CallStatistics[] {
  const parts = new Map<string, { readonly groups: CallStatistics[]; readonly calls: FoundCall[] }>();
  for (const group of groups)
    for (const name of decidingRules(group.key)) {
      const part = parts.get(name) ?? { groups: [], calls: [] };
      part.groups.push(group);
      parts.set(name, part);
    }
  for (const call of calls)
    for (const name of decidingRules(call.rule ?? "")) parts.get(name)?.calls.push(call);
  return [...parts]
    .map(([key, part]) => {
      const [first, ...others] = part.groups;
      return first?.key === key && others.length === 0 ? first : { ...total(part.groups, part.calls), key };
    })
    .toSorted((one, other) => other.calls - one.calls);
}

const COUNTS = [
  "calls",
  "done",
  "failed",
  "refused",
  "cancelled",
  "unknown",
  "open",
  "decidedByRule",
  "decidedByPerson",
  "contained",
  "breaches",
] as const satisfies readonly (keyof CallStatistics)[];

function total(groups: readonly CallStatistics[], calls: readonly FoundCall[]): CallStatistics {
  const sum = (field: (typeof COUNTS)[number]): number =>
    groups.reduce((count, one) => count + one[field], 0);
  const ranMs = percentiles(calls.flatMap((call) => call.ranMs ?? []));
  const waitedMs = percentiles(calls.flatMap((call) => call.waitedMs ?? []));
  return {
    key: "",
    calls: sum("calls"),
    done: sum("done"),
    failed: sum("failed"),
    refused: sum("refused"),
    cancelled: sum("cancelled"),
    unknown: sum("unknown"),
    open: sum("open"),
    decidedByRule: sum("decidedByRule"),
    decidedByPerson: sum("decidedByPerson"),
    contained: sum("contained"),
    breaches: sum("breaches"),
    ...(ranMs && { ranMs }),
    ...(waitedMs && { waitedMs }),
  };
}

function percentiles(values: readonly number[]): CallStatistics["ranMs"] {
  if (values.length === 0) return undefined;
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return { p50: at(0.5), p95: at(0.95) };
}

function waits(calls: readonly FoundCall[]): Statistics["waits"] {
  const counts = Array.from({ length: BUCKETS_MS.length + 1 }, () => 0);
  for (const { waitedMs } of calls) {
    if (waitedMs === undefined) continue;
    const bucket = BUCKETS_MS.findIndex((underMs) => waitedMs < underMs);
    const at = bucket === -1 ? BUCKETS_MS.length : bucket;
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts.map((count, at) => {
    const underMs = BUCKETS_MS[at];
    return { count, ...(underMs !== undefined && { underMs }) };
  });
}
