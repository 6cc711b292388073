/**
 * Checks what an archive is asked for: an option that is misspelt would find, verify or delete something else than its
 * author means.
 */
import {
  AMOUNT,
  checkOptions,
  FLAG,
  FUNCTION,
  listOf,
  required,
  STRING,
  TEXT,
} from "../call/check-options.js";
import type { OptionCheck, OptionChecks } from "../call/check-options.js";
import type {
  CallQuery,
  ExportFormat,
  ForgetOptions,
  SearchQuery,
  SessionQuery,
  StatisticsQuery,
  UsageQuery,
  VerifyOptions,
} from "../call/index.js";

type Queries = {
  readonly sessions: SessionQuery;
  readonly calls: CallQuery;
  readonly search: SearchQuery;
  readonly statistics: StatisticsQuery;
  readonly modelUsage: UsageQuery;
  readonly verify: VerifyOptions;
  readonly export: {
    readonly sessionId: string;
    readonly format: ExportFormat;
    readonly redacted?: boolean;
  };
  readonly forget: ForgetOptions;
};

const NUMBER: OptionCheck = {
  expected: "a number",
  isRight: (value) => typeof value === "number" && !Number.isNaN(value),
};
const HEAD: OptionCheck = {
  expected: "a head ({ sessionId, seq, link }) as verify returns it",
  isRight: (value) =>
    typeof value === "object" &&
    value !== null &&
    "sessionId" in value &&
    typeof value.sessionId === "string" &&
    "seq" in value &&
    typeof value.seq === "number" &&
    "link" in value &&
    typeof value.link === "string",
};

const PAGE = { limit: NUMBER, before: STRING };
const PERIOD = { since: NUMBER, until: NUMBER };
const PLACE = { cwd: STRING, agent: STRING };

const CHECKS: { readonly [Name in keyof Queries]: OptionChecks<Queries[Name]> } = {
  sessions: { ...PAGE, cwd: STRING },
  calls: { ...PAGE, ...PERIOD, ...PLACE, sessionId: STRING, tool: STRING, kind: STRING, status: STRING },
  search: { ...PAGE, ...PERIOD, text: required(STRING), sessionId: STRING, tool: STRING, kind: STRING },
  statistics: { ...PERIOD, ...PLACE, by: required(STRING) },
  modelUsage: { ...PERIOD, ...PLACE, sessionId: STRING },
  verify: { onProgress: FUNCTION, heads: listOf(HEAD), maxBroken: AMOUNT },
  export: { sessionId: required(TEXT), format: required(STRING), redacted: FLAG },
  forget: {
    sessionIds: listOf(TEXT),
    olderThanMs: AMOUNT,
    keepLast: AMOUNT,
    evenWaiting: FLAG,
    compact: FLAG,
  },
};

export function checkQuery<Name extends keyof Queries>(name: Name, query: Queries[Name]): void {
  checkOptions<Queries[Name]>(`archive.${name}`, query, CHECKS[name]);
}
