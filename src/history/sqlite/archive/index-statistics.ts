/** How many calls, how they ended, who decided, and how long they ran and waited, by what they have in common. */
import { storable } from "../../archive-text.js";
import { firstIdAt } from "./index-tables.js";
import type { SqlValue } from "../ledger-sql.js";
import type { SqliteDatabase } from "../sqlite-database.js";

export type StatisticsQuery = {
  readonly by: "tool" | "kind" | "agent" | "day" | "rule";
  readonly since?: number;
  readonly until?: number;
  readonly cwd?: string;
};

/** The half and the nineteen twentieths of them took no longer than this, in milliseconds. */
export type Percentiles = { readonly p50: number; readonly p95: number };

export type CallStatistics = {
  /** The tool's name, the day in UTC …; empty when nobody said. */
  readonly key: string;
  readonly calls: number;
  readonly done: number;
  readonly failed: number;
  readonly refused: number;
  readonly cancelled: number;
  readonly unknown: number;
  /** Not over yet. */
  readonly open: number;
  readonly decidedByRule: number;
  readonly decidedByPerson: number;
  /** Run by an agent although the rules deny them. */
  readonly breaches: number;
  /** None when none of them ran. */
  readonly ranMs?: Percentiles;
  /** From the question to its answer; none when nobody was asked. */
  readonly waitedMs?: Percentiles;
};

/** Fixed texts: nothing that is handed in becomes SQL. */
const KEYS = {
  tool: "calls.name",
  kind: "calls.kind",
  agent: "coalesce(sessions.agent, '')",
  day: "calls.day",
  rule: "coalesce(calls.rule, '')",
} as const;

export function callStatistics(index: SqliteDatabase, query: StatisticsQuery): readonly CallStatistics[] {
  const key = KEYS[query.by];
  if (!Object.hasOwn(KEYS, query.by)) {
    throw new RangeError(`There are no statistics by "${query.by}". Use ${Object.keys(KEYS).join(", ")}.`);
  }
  const { from, values } = counted(query);
  const ran = percentiles(index, "ran_ms", { key, from, values });
  const waited = percentiles(index, "waited_ms", { key, from, values });
  return index
    .select<Counts>(
      `select ${key} as key, count(*) as calls, ${count("status = 'done'")} as done,
         ${count("status = 'failed'")} as failed, ${count("status = 'refused'")} as refused,
         ${count("status = 'cancelled'")} as cancelled, ${count("status = 'unknown'")} as unknown,
         ${count("decided_by = 'rule'")} as decidedByRule, ${count("decided_by = 'person'")} as decidedByPerson,
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

function counted({ by, since, until, cwd }: StatisticsQuery): {
  readonly from: string;
  readonly values: readonly SqlValue[];
} {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  const add = (condition: string, value: SqlValue) => {
    conditions.push(condition);
    values.push(value);
  };
  if (since !== undefined) add("calls.id >= ?", firstIdAt(since));
  if (until !== undefined) add("calls.id < ?", firstIdAt(until));
  if (cwd !== undefined) add("sessions.cwd = ?", storable(cwd));
  const isAboutSession = by === "agent" || cwd !== undefined;
  const joined = isAboutSession ? "join sessions on sessions.number = calls.session" : "";
  const where = conditions.length === 0 ? "where true" : `where ${conditions.join(" and ")}`;
  return { from: `from calls ${joined} ${where}`, values };
}

/** By rank: one of the times that there were, never one in between. */
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
