/** Counts of calls and of models' responses, made by SQL over the archive's tables. */
import type {
  CallStatistics,
  ModelUsage,
  StatisticsKey,
  StatisticsQuery,
  UsageQuery,
} from "../../../call/index.js";
import { checkStatisticsKey } from "../../archive-queries.js";
import { storedName } from "../../stored-json.js";
import type { SqlValue } from "../sql-connections.js";
import { Conditions } from "./archive-pages.js";
import type { ArchiveTables } from "./archive-pages.js";

/** Fixed texts: no argument becomes SQL. */
const KEYS: Readonly<Record<StatisticsKey, string>> = {
  tool: "i.name",
  kind: "i.kind",
  agent: "coalesce(a.agent, '')",
  day: "i.day",
  rule: "coalesce(i.rule, '')",
};

type CountRow = Omit<CallStatistics, "open" | "ranMs" | "waitedMs"> &
  Readonly<Record<"ran50" | "ran95" | "waited50" | "waited95", number | null>>;

const count = (condition: string) => `count(*) filter (where ${condition})`;
/** By rank: one of the measured times, never an interpolated one. */
const ranked = (share: number, column: string) =>
  `percentile_disc(${share}) within group (order by ${column})`;

export async function callStatistics(
  { sql, redaction }: ArchiveTables,
  query: StatisticsQuery,
): Promise<readonly CallStatistics[]> {
  checkStatisticsKey(query.by);
  const { schema } = sql.address;
  const where = new Conditions();
  where.add("i.redaction = ?", redaction);
  where.add("i.tool_call_id is not null");
  where.add("not i.is_part");
  where.addPeriod(query);
  where.addSessions(query);
  const rows = await sql.retried<SqlValue[], CountRow>(
    {
      sql: `select ${KEYS[query.by]} collate "C" as key, count(*) as calls, ${count("status = 'done'")} as done,
          ${count("status = 'failed'")} as failed, ${count("status = 'refused'")} as refused,
          ${count("status = 'cancelled'")} as cancelled, ${count("status = 'unknown'")} as unknown,
          ${count("decided_by = 'rule'")} as "decidedByRule", ${count("decided_by = 'person'")} as "decidedByPerson",
          ${count("decided_by = 'sandbox'")} as contained, ${count("breach is not null")} as breaches,
          ${ranked(0.5, "ran_ms")} as ran50, ${ranked(0.95, "ran_ms")} as ran95,
          ${ranked(0.5, "waited_ms")} as waited50, ${ranked(0.95, "waited_ms")} as waited95
        from ${schema}.archive_items i
        join ${schema}.archive_sessions a on a.redaction = i.redaction and a.session = i.session
        ${where.sql} group by 1 order by 2 desc, 1`,
    },
    ...where.values,
  );
  return rows.map(({ ran50, ran95, waited50, waited95, ...counts }) => {
    const { done, failed, refused, cancelled, unknown } = counts;
    return {
      ...counts,
      open: counts.calls - done - failed - refused - cancelled - unknown,
      ...(ran50 !== null && ran95 !== null && { ranMs: { p50: ran50, p95: ran95 } }),
      ...(waited50 !== null && waited95 !== null && { waitedMs: { p50: waited50, p95: waited95 } }),
    };
  });
}

const sum = (column: string, name: string) => `coalesce(sum(${column}), 0)::float8 as "${name}"`;

/** Responses without a name count for the only model that signed any in their session. */
export async function modelUsage(
  { sql, redaction }: ArchiveTables,
  { since, until, sessionId, ...ofSessions }: UsageQuery,
): Promise<readonly ModelUsage[]> {
  const { schema } = sql.address;
  const where = new Conditions();
  where.add("t.redaction = ?", redaction);
  if (since !== undefined) where.add("t.at >= ?::float8", since);
  if (until !== undefined) where.add("t.at < ?::float8", until);
  where.addSessions(ofSessions);
  if (sessionId !== undefined) where.add("s.session_id = ?", storedName(sessionId));
  return sql.retried<SqlValue[], ModelUsage>(
    {
      sql: `select coalesce(a.model, t.model, a.signer, '') collate "C" as model,
          a.model is not null and not a.is_elsewhere as "isListPriced", count(*) as answers,
          ${sum("input_tokens", "inputTokens")}, ${sum("output_tokens", "outputTokens")},
          ${sum("reasoning_tokens", "reasoningTokens")}, ${sum("cached_tokens", "cachedTokens")},
          ${sum("cache_written_tokens", "cacheWrittenTokens")},
          ${sum(
            "greatest(0, coalesce(input_tokens, 0) - coalesce(cached_tokens, 0) - coalesce(cache_written_tokens, 0))",
            "freshTokens",
          )},
          coalesce(max(input_tokens), 0) as "maxInputTokens",
          ${count("input_tokens is null or output_tokens is null")} as "uncountedAnswers"
        from ${schema}.archive_steps t
        join ${schema}.archive_sessions a on a.redaction = t.redaction and a.session = t.session
        join ${schema}.sessions s on s.number = t.session
        ${where.sql} group by 1, 2 order by 3 desc, 1, 2`,
    },
    ...where.values,
  );
}
