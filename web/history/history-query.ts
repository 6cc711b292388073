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
  /** "1", "7", "30" or "" for all. */
  readonly days: string;
  /** Only this session's calls. */
  readonly session: string;
  /** The call whose life is shown, in `session`. */
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

const DECIDERS = ["rule", "person", "sandbox", "nobody"] as const;
const DAY_MS = 86_400_000;

export function historyQuery(filters: Filters, now: number): HistoryQuery {
  const decidedBy = DECIDERS.find((one) => one === filters.decidedBy);
  const days = Number(filters.days);
  return {
    ...(filters.text !== "" && { text: filters.text }),
    ...(filters.agent !== "" && { agent: filters.agent }),
    ...(filters.tool !== "" && { tool: filters.tool }),
    ...(filters.kind !== "" && { kind: filters.kind }),
    ...(filters.status !== "" && { status: filters.status }),
    ...(filters.path !== "" && { path: filters.path }),
    ...(decidedBy && { decidedBy }),
    ...(days > 0 && { since: now - days * DAY_MS }),
  };
}
