/**
 * The archive: all recorded sessions, to list, search, count, verify, export and forget.
 *
 * Invariants of every implementation (the contract suite in `history/` checks them): a query sees everything that was
 * recorded before it; a page starts after the last item of the page before; texts in results and exports are redacted,
 * unless an export asks for the secrets.
 */
import type { Usage } from "./step.js";
import type { DecidedBy } from "./tool-call.js";

export interface Archive {
  /** Sessions, the most recently written first. */
  sessions(query?: SessionQuery): Promise<Page<FoundSession>>;
  /** Calls, the newest first. */
  calls(query?: CallQuery): Promise<Page<FoundCall>>;
  /** Messages and calls that have all the words, the newest first. */
  search(query: SearchQuery): Promise<Page<SearchHit>>;
  /** Outcomes and durations of calls, in groups, the group with the most calls first. */
  statistics(query: StatisticsQuery): Promise<readonly CallStatistics[]>;
  /** Token usage by model, the model with the most responses first. */
  modelUsage(query?: UsageQuery): Promise<readonly ModelUsage[]>;
  /** Checks that nobody has altered the recorded events, or the files that they kept. */
  verify(options?: VerifyOptions): Promise<Verified>;
  /** One session, piece by piece. Throws LedgerError NO_SUCH_SESSION. */
  export(
    sessionId: string,
    format: ExportFormat,
    options?: { readonly redacted?: boolean },
  ): AsyncIterable<string>;
  /**
   * Removes sessions, and the kept files that no recorded call refers to any more. Throws LEASE_HELD while someone holds
   * a session that is named.
   */
  forget(options?: ForgetOptions): Promise<Forgotten>;
  /** Brings an index up to date, where there is one; each query does so first. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/** `next` is the `before` of the next page; the last page has none. */
export type Page<Item> = { readonly items: readonly Item[]; readonly next?: string };

export type PageOptions = { readonly limit?: number; readonly before?: string };

export const DEFAULT_PAGE_LIMIT = 50;
export const MAX_PAGE_LIMIT = 1_000;

/** Milliseconds since 1970: from `since` on, and before `until`. */
export type Period = { readonly since?: number; readonly until?: number };

export type PeriodQuery = Period & {
  /** Only sessions of this folder. */
  readonly cwd?: string;
  /** Only sessions of this agent. */
  readonly agent?: string;
};

export type UsageQuery = PeriodQuery & {
  /** Only this session. */
  readonly sessionId?: string;
};

export type SessionQuery = PageOptions & { readonly cwd?: string };

export type FoundSession = {
  readonly sessionId: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly title?: string;
  readonly agent?: string;
  readonly cwd?: string;
  readonly calls: number;
  readonly messages: number;
  /** Calls that an agent ran although the rules deny them. */
  readonly breaches: number;
};

export type CallQuery = PageOptions &
  PeriodQuery & {
    readonly sessionId?: string;
    readonly tool?: string;
    readonly kind?: string;
    readonly status?: string;
  };

export type FoundCall = {
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly at: number;
  readonly tool: string;
  readonly kind: string;
  readonly title: string;
  readonly status: string;
  readonly decidedBy?: DecidedBy;
  readonly who?: string;
  readonly rule?: string;
  readonly ranMs?: number;
  readonly waitedMs?: number;
  readonly outputSize: number;
  /** The sentence of a call that broke the rules. */
  readonly breach?: string;
};

export type SearchQuery = PageOptions &
  Period & {
    /** Words, "phrases" and begin*; all of them must be there. */
    readonly text: string;
    readonly sessionId?: string;
    readonly tool?: string;
    readonly kind?: string;
  };

/** A call, or a message of that role. */
export type SearchHit = {
  readonly sessionId: string;
  readonly at: number;
  readonly call?: FoundCall;
  readonly role?: string;
  /** A piece of the text around the first match, cut where matches begin and end. */
  readonly excerpt: readonly { readonly text: string; readonly isMatch: boolean }[];
};

export type StatisticsQuery = PeriodQuery & { readonly by: StatisticsKey };

export const STATISTICS_KEYS = ["tool", "kind", "agent", "day", "rule"] as const;
export type StatisticsKey = (typeof STATISTICS_KEYS)[number];

/** Percentiles of durations, in milliseconds. */
export type Percentiles = { readonly p50: number; readonly p95: number };

export type CallStatistics = {
  /** The tool's name, the day in UTC …; empty where the log has none. */
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
  /** Run unasked in the sandbox. */
  readonly contained: number;
  /** Run by an agent although the rules deny them: breaches. */
  readonly breaches: number;
  /** Left out when none of them ran. */
  readonly ranMs?: Percentiles;
  /** From the question to its answer; left out when nobody was asked. */
  readonly waitedMs?: Percentiles;
};

/** The responses of one model, with the sums of their tokens. */
export type ModelUsage = Required<Usage> & {
  /** Empty where neither the session nor a response names one. */
  readonly model: string;
  /** The session named this model at its provider's own address, so the provider's prices hold. */
  readonly isListPriced: boolean;
  readonly answers: number;
  /** Input tokens that were neither cached nor written to the cache. */
  readonly freshTokens: number;
  /** The longest input of one response. */
  readonly maxInputTokens: number;
  /** Responses whose provider counted no input or no output tokens. */
  readonly uncountedAnswers: number;
};

export type ArchiveProgress = {
  readonly sessions: number;
  readonly ofSessions: number;
  readonly events: number;
  readonly ofEvents: number;
  /** How many kept files `verify` has read. */
  readonly keptFiles?: number;
};

export type BrokenLink = {
  readonly sessionId: string;
  readonly seq: number;
  readonly problem: "changed" | "missing" | "added";
  readonly detail: string;
};

/** The last link of a session's hash chain, to be stored where the ledger's writer cannot change it. */
export type ChainHead = { readonly sessionId: string; readonly seq: number; readonly link: string };

export type Verified = {
  readonly sessions: number;
  readonly events: number;
  /** Events that no chain covers, which cannot be verified. */
  readonly notCovered: number;
  readonly brokenCount: number;
  /** The first broken links, at most `maxBroken`, in the order in which the sessions were started. */
  readonly broken: readonly BrokenLink[];
  readonly heads: readonly ChainHead[];
};

export type VerifyOptions = {
  readonly onProgress?: (progress: ArchiveProgress) => void;
  /** Heads from an earlier check: each must still be part of its session's chain. */
  readonly heads?: readonly ChainHead[];
  readonly maxBroken?: number;
};

/** Formats for programs. `toolgate/view` renders a session for people. */
export type ExportFormat = "ndjson" | "csv";

export type ForgetOptions = {
  readonly sessionIds?: readonly string[];
  /** Also removes sessions that were last written longer ago than this. */
  readonly olderThanMs?: number;
  /** Keeps this many of the most recently written sessions, unless they are named. */
  readonly keepLast?: number;
  /** Also removes old sessions with open questions, which then can no longer be answered. */
  readonly evenWaiting?: boolean;
  /** Gives the space of removed sessions back to the disk, which takes longer. */
  readonly compact?: boolean;
};

export type Forgotten = {
  readonly removed: readonly string[];
  /** Sessions that are old enough and were not removed. */
  readonly kept: readonly { readonly sessionId: string; readonly why: "held" | "waiting" | "written" }[];
  /** How many kept files were removed. */
  readonly blobs: number;
};
