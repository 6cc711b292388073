/** The agents, the store and the clock that all parts of a server use. */
import type { Ledger } from "../call/index.js";
import type { RedactionPattern } from "../history/index.js";
import type { FlushTimer } from "../record/index.js";
import type { Tool, Workspace } from "../tools/index.js";
import { sealSecret, unsealSecret } from "./sessions/seal-secret.js";
import type { Served } from "./sessions/served-agent.js";

export type ServerContext = {
  readonly agents: ReadonlyMap<string, Served>;
  readonly ledger: Ledger;
  readonly workspace: Workspace;
  /** Sessions of one server write their text together. */
  readonly flushTimer: FlushTimer;
  readonly trustable: (tool: Tool) => boolean;
  /** For agents that have no limit of their own. */
  readonly questionLifetimeMs: number | undefined;
  /** Whether the ledger redacts events: streams then read them back from it. */
  readonly isRedacted: boolean;
  /** Secrets beside those that are known by their shape. */
  readonly redactPatterns: readonly RedactionPattern[];
  readonly sealFor: (sessionId: string) => (name: string, secret: string) => string;
  readonly unsealFor: (sessionId: string) => (name: string, sealed: string) => string | undefined;
  readonly onError: (error: unknown) => void;
  readonly now: () => number;
};

/** A secret is sealed for its session and its option: copied to another place of the log it cannot be opened. */
export function sealing(key: Uint8Array): Pick<ServerContext, "sealFor" | "unsealFor"> {
  return {
    sealFor: (sessionId) => (name, secret) => sealSecret(key, secret, purposeOf(sessionId, name)),
    unsealFor: (sessionId) => (name, sealed) => unsealSecret(key, sealed, purposeOf(sessionId, name)),
  };
}

const purposeOf = (sessionId: string, name: string): string => `${sessionId} ${name}`;
