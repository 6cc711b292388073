/** The filters of the history, in the address so that a link keeps them. */
import type { HistoryQuery } from "toolgate/serve/client";

export type Filters = {
  readonly text: string;
  readonly agent: string;
  readonly tool: string;
  readonly kind: string;
  readonly status: string;
  readonly decidedBy: string;
  readonly path: string;
  /** "1", "7", "30", "range" for `from` to `to`, or "" for all. */
  readonly days: string;
  /** The first and the last day, as "2026-11-19" in this browser's time; each may be "". */
  readonly from: string;
  readonly to: string;
  /** The session of `call`. */
  readonly session: string;
  /** The call whose life is shown. */
  readonly call: string;
};

const FILTER_NAMES = [
  "text",
  "agent",
  "tool",
  "kind",
  "status",
  "decidedBy",
  "path",
  "days",
  "from",
  "to",
  "session",
  "call",
] as const;

export function readFilters(search: string): Filters {
  const query = new URLSearchParams(search);
  return Object.fromEntries(FILTER_NAMES.map((name) => [name, query.get(name) ?? ""])) as Filters; // The names are its keys.
}

export function filterPath(filters: Filters): string {
  const query = new URLSearchParams();
  for (const name of FILTER_NAMES) if (filters[name] !== "") query.set(name, filters[name]);
  const text = query.toString();
  return text === "" ? "/history" : `/history?${text}`;
}

/** The chosen call filters nothing. */
export const isFiltered = (filters: Filters): boolean =>
  filterPath({ ...filters, session: "", call: "" }) !== "/history";

const DECIDERS = ["rule", "person", "sandbox", "nobody"] as const;
export const STATES = [
  "waiting",
  "running",
  "done",
  "failed",
  "refused",
  "cancelled",
  "unknown",
  "undone",
  "breach",
] as const;
/** The value of `days` for a choice of days. */
export const RANGE = "range";
const DAY_MS = 86_400_000;

export function historyQuery(filters: Filters, now: number): HistoryQuery {
  const decidedBy = DECIDERS.find((one) => one === filters.decidedBy);
  const status = STATES.find((one) => one === filters.status);
  return {
    ...(filters.text !== "" && { text: filters.text }),
    ...(filters.agent !== "" && { agent: filters.agent }),
    ...(filters.tool !== "" && { tool: filters.tool }),
    ...(filters.kind !== "" && { kind: filters.kind }),
    ...(status && { status }),
    ...(filters.path !== "" && { path: filters.path }),
    ...(decidedBy && { decidedBy }),
    ...period(filters, now),
  };
}

function period({ days, from, to }: Filters, now: number): Pick<HistoryQuery, "since" | "until"> {
  if (days !== RANGE) return Number(days) > 0 ? { since: now - Number(days) * DAY_MS } : {};
  const since = dayStart(from);
  // The whole last day: a day of a change of clocks has 23 or 25 hours.
  const until = dayStart(to, 1);
  return { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
}

/** Undefined for a text that is no day. */
function dayStart(day: string, later = 0): number | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  if (date === undefined) return undefined;
  return new Date(Number(year), Number(month) - 1, Number(date) + later).getTime();
}
