/** Counts of calls and of models' responses, made from the sessions themselves. */
import type {
  CallStatistics,
  ModelUsage,
  Percentiles,
  PeriodQuery,
  StatisticsKey,
  StatisticsQuery,
  UsageQuery,
  Usage,
} from "../../call/index.js";
import { checkStatisticsKey } from "../archive-queries.js";
import { storable } from "../archive-text.js";
import { modelResponse } from "../model-response.js";
import type { ArchivedCall, ArchivedSession } from "./archived-documents.js";

const KEYS: Readonly<Record<StatisticsKey, (call: ArchivedCall) => string>> = {
  tool: ({ facts }) => facts.name,
  kind: ({ facts }) => facts.kind,
  agent: ({ of }) => of.facts.agent ?? "",
  day: ({ facts }) => facts.day,
  rule: ({ facts }) => facts.rule ?? "",
};

export function callStatistics(
  calls: readonly ArchivedCall[],
  { by, since = 0, until = Infinity, ...ofSessions }: StatisticsQuery,
): readonly CallStatistics[] {
  checkStatisticsKey(by);
  const counted = calls.filter(
    ({ found, facts, of }) =>
      !facts.isPart &&
      found.at >= Math.floor(since) &&
      found.at < Math.floor(until) &&
      isOfQuery(ofSessions)(of),
  );
  return groups(counted, KEYS[by])
    .map(([key, group]) => statisticsOf(key, group))
    .toSorted((one, other) => other.calls - one.calls || compare(one.key, other.key));
}

/** Whether a session is of the folder and the agent that are asked for. */
export const isOfQuery =
  ({ cwd, agent }: Pick<PeriodQuery, "cwd" | "agent">) =>
  ({ facts }: Pick<ArchivedSession, "facts">): boolean =>
    (cwd === undefined || facts.cwd === storable(cwd)) &&
    (agent === undefined || facts.agent === storable(agent));

function statisticsOf(key: string, calls: readonly ArchivedCall[]): CallStatistics {
  const count = (isCounted: (call: ArchivedCall["facts"]) => boolean) =>
    calls.filter(({ facts }) => isCounted(facts)).length;
  const ended = {
    done: count(({ status }) => status === "done"),
    failed: count(({ status }) => status === "failed"),
    refused: count(({ status }) => status === "refused"),
    cancelled: count(({ status }) => status === "cancelled"),
    unknown: count(({ status }) => status === "unknown"),
  };
  const ranMs = percentiles(calls.map(({ facts }) => facts.ranMs));
  const waitedMs = percentiles(calls.map(({ facts }) => facts.waitedMs));
  return {
    key,
    calls: calls.length,
    ...ended,
    open: calls.length - Object.values(ended).reduce((sum, number) => sum + number, 0),
    decidedByRule: count(({ decidedBy }) => decidedBy === "rule"),
    decidedByPerson: count(({ decidedBy }) => decidedBy === "person"),
    contained: count(({ decidedBy }) => decidedBy === "sandbox"),
    breaches: count(({ breach }) => breach !== null),
    ...(ranMs && { ranMs }),
    ...(waitedMs && { waitedMs }),
  };
}

/** Percentiles by rank: one of the measured times, never an interpolated one. */
function percentiles(times: readonly (number | null)[]): Percentiles | undefined {
  const sorted = times.filter((time) => time !== null).toSorted((one, other) => one - other);
  const ranked = (rank: number) => sorted[Math.floor(rank) - 1];
  const [p50, p95] = [ranked((sorted.length + 1) / 2), ranked((19 * sorted.length + 19) / 20)];
  return p50 === undefined || p95 === undefined ? undefined : { p50, p95 };
}

type Answer = { readonly model: string; readonly isListPriced: boolean; readonly usage: Usage };

export function modelUsage(
  sessions: readonly ArchivedSession[],
  { since = -Infinity, until = Infinity, sessionId, ...ofSessions }: UsageQuery,
): readonly ModelUsage[] {
  const answers = sessions
    .filter(isOfQuery(ofSessions))
    .filter(({ found }) => sessionId === undefined || found.sessionId === sessionId)
    .flatMap((session) => answersIn(session, since, until));
  return groups(answers, ({ model, isListPriced }) => `${isListPriced ? 1 : 0} ${model}`)
    .map(([, group]) => usageOf(group))
    .toSorted((one, other) => other.answers - one.answers || compare(one.model, other.model));
}

function answersIn({ events, facts }: ArchivedSession, since: number, until: number): readonly Answer[] {
  const steps = events.flatMap(({ event }) => modelResponse(event) ?? []);
  const signers = new Set(steps.flatMap(({ model }) => model ?? []));
  // Responses without a name count for the only model that signed any.
  const signer = signers.size === 1 ? [...signers][0] : undefined;
  const isListPriced = facts.model !== null && !facts.isElsewhere;
  return steps
    .filter(({ at }) => at >= since && at < until)
    .map(({ model, usage = {} }) => ({
      model: facts.model ?? model ?? signer ?? "",
      isListPriced,
      usage,
    }));
}

function usageOf(answers: readonly Answer[]): ModelUsage {
  const { model = "", isListPriced = false } = answers[0] ?? {};
  const sum = (count: (usage: Usage) => number | undefined) =>
    answers.reduce((total, { usage }) => total + (count(usage) ?? 0), 0);
  return {
    model,
    isListPriced,
    answers: answers.length,
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    reasoningTokens: sum(({ reasoningTokens }) => reasoningTokens),
    cachedTokens: sum(({ cachedTokens }) => cachedTokens),
    cacheWrittenTokens: sum(({ cacheWrittenTokens }) => cacheWrittenTokens),
    freshTokens: sum(({ inputTokens = 0, cachedTokens = 0, cacheWrittenTokens = 0 }) =>
      Math.max(0, inputTokens - cachedTokens - cacheWrittenTokens),
    ),
    maxInputTokens: Math.max(0, ...answers.map(({ usage }) => usage.inputTokens ?? 0)),
    uncountedAnswers: answers.filter(
      ({ usage }) => usage.inputTokens === undefined || usage.outputTokens === undefined,
    ).length,
  };
}

function groups<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): readonly [string, readonly Item[]][] {
  const found = new Map<string, Item[]>();
  for (const item of items) {
    const group = found.get(keyOf(item)) ?? [];
    group.push(item);
    found.set(keyOf(item), group);
  }
  return [...found];
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
