/** Counts of calls and of models' responses, made by SQL over the index. */
import type {
  CallStatistics,
  ModelUsage,
  Percentiles,
  StatisticsKey,
  StatisticsQuery,
  UsageQuery,
} from "../../../call/index.js";
import { storedName } from "../../stored-json.js";
import { checkStatisticsKey } from "../../archive-queries.js";
import { Conditions } from "./conditions.js";
import { firstIdAt } from "./index-tables.js";
import type { SqlValue } from "../ledger-sql.js";
import type { SqliteDatabase } from "../sqlite-database.js";

/** Fixed texts: no argument becomes SQL. */
const KEYS: Readonly<Record<StatisticsKey, string>> = {
  tool: "calls.name",
  kind: "calls.kind",
  agent: "coalesce(sessions.agent, '')",
  day: "calls.day",
  rule: "coalesce(calls.rule, '')",
};

export function callStatistics(index: SqliteDatabase, query: StatisticsQuery): readonly CallStatistics[] {
  checkStatisticsKey(query.by);
  const key = KEYS[query.by];
  const { from, values } = countedCalls(query);
  const ran = percentiles(index, "ran_ms", { key, from, values });
  const waited = percentiles(index, "waited_ms", { key, from, values });
  return index
    .select<Counts>(
      `select ${key} as key, count(*) as calls, ${count("status = 'done'")} as done,
         ${count("status = 'failed'")} as failed, ${count("status = 'refused'")} as refused,
         ${count("status = 'cancelled'")} as cancelled, ${count("status = 'unknown'")} as unknown,
         ${count("decided_by = 'rule'")} as decidedByRule, ${count("decided_by = 'person'")} as decidedByPerson,
         ${count("decided_by = 'sandbox'")} as contained,
         ${count("breach is not null")} as breaches
       ${from} group by 1 order by calls desc, key`,
      values,
    )
    .map((row) => {
      const ranMs = ran.get(row.key);
      const waitedMs = waited.get(row.key);
      const over = row.done + row.failed + row.refused + row.cancelled + row.unknown;
      return { ...row, open: row.calls - over, ...(ranMs && { ranMs }), ...(waitedMs && { waitedMs }) };
    });
}

type Counts = Omit<CallStatistics, "open" | "ranMs" | "waitedMs">;

const count = (condition: string) => `count(*) filter (where ${condition})`;

function countedCalls({ by, since, until, ...ofSessions }: StatisticsQuery): Counted {
  const where = new Conditions();
  where.add("not calls.is_part");
  if (since !== undefined) where.add("calls.id >= ?", firstIdAt(since));
  if (until !== undefined) where.add("calls.id < ?", firstIdAt(until));
  where.addSessions(ofSessions);
  const { cwd, agent } = ofSessions;
  const isOfSessions = by === "agent" || cwd !== undefined || agent !== undefined;
  const joined = isOfSessions ? "join sessions on sessions.number = calls.session" : "";
  return { from: `from calls ${joined} ${where.sql}`, values: where.values };
}

type Counted = { readonly from: string; readonly values: readonly SqlValue[] };

/** Responses without a name count for the only model that signed any in their session. */
export function modelUsage(
  index: SqliteDatabase,
  { since, until, sessionId, ...ofSessions }: UsageQuery,
): readonly ModelUsage[] {
  const where = new Conditions();
  if (since !== undefined) where.add("steps.at >= ?", since);
  if (until !== undefined) where.add("steps.at < ?", until);
  where.addSessions(ofSessions);
  if (sessionId !== undefined) where.add("sessions.session_id = ?", storedName(sessionId));
  return index
    .select<Omit<ModelUsage, "isListPriced"> & { readonly isListPriced: number }>(
      `select coalesce(sessions.model, steps.model, sessions.signer, '') as model,
         sessions.model is not null and not sessions.is_elsewhere as isListPriced, count(*) as answers,
         coalesce(sum(input_tokens), 0) as inputTokens, coalesce(sum(output_tokens), 0) as outputTokens,
         coalesce(sum(reasoning_tokens), 0) as reasoningTokens, coalesce(sum(cached_tokens), 0) as cachedTokens,
         coalesce(sum(cache_written_tokens), 0) as cacheWrittenTokens,
         coalesce(sum(max(0, coalesce(input_tokens, 0) - coalesce(cached_tokens, 0)
           - coalesce(cache_written_tokens, 0))), 0) as freshTokens,
         coalesce(max(input_tokens), 0) as maxInputTokens,
         ${count("input_tokens is null or output_tokens is null")} as uncountedAnswers
       from steps join sessions on sessions.number = steps.session
       ${where.sql} group by 1, 2 order by answers desc, model, isListPriced`,
      where.values,
    )
    .map((row) => ({ ...row, isListPriced: row.isListPriced === 1 }));
}

/** Percentiles by rank: one of the measured times, never an interpolated one. */
function percentiles(
  index: SqliteDatabase,
  column: "ran_ms" | "waited_ms",
  { key, from, values }: { key: string; from: string; values: readonly SqlValue[] },
): ReadonlyMap<string, Percentiles> {
  const rows = index.select<{ key: string; p50: number; p95: number }>(
    `select key, max(time) filter (where rank = (n + 1) / 2) as p50,
       max(time) filter (where rank = (19 * n + 19) / 20) as p95
     from (
       select ${key} as key, ${column} as time, count(*) over (partition by ${key}) as n,
         row_number() over (partition by ${key} order by ${column}) as rank
       ${from} and ${column} is not null
     ) group by key`,
    values,
  );
  return new Map(rows.map(({ key: group, p50, p95 }) => [group, { p50, p95 }]));
}
