/** What a server was given, and all parts of it use. */
import type { Ledger } from "../call/index.js";
import type { RedactionPattern } from "../history/index.js";
import type { Tool, Workspace } from "../tools/index.js";
import { seal, unseal } from "./sessions/seal-secret.js";
import type { Served } from "./sessions/served-agent.js";

export type ServerContext = {
  readonly agents: ReadonlyMap<string, Served>;
  readonly ledger: Ledger;
  readonly workspace: Workspace;
  readonly trustable: (tool: Tool) => boolean;
  /** What is stored is redacted before: what is told is then read from the store. */
  readonly isRedacted: boolean;
  /** What is a secret beside what has the shape of one. */
  readonly redactPatterns: readonly RedactionPattern[];
  readonly sealFor: (sessionId: string) => (name: string, secret: string) => string;
  readonly unsealFor: (sessionId: string) => (name: string, sealed: string) => string | undefined;
  readonly onError: (error: unknown) => void;
  readonly now: () => number;
};

/** A secret is sealed for its session and its name: elsewhere in the record it opens nothing. */
export function sealing(key: Uint8Array): Pick<ServerContext, "sealFor" | "unsealFor"> {
  return {
    sealFor: (sessionId) => (name, secret) => seal(key, secret, about(sessionId, name)),
    unsealFor: (sessionId) => (name, sealed) => unseal(key, sealed, about(sessionId, name)),
  };
}

const about = (sessionId: string, name: string): string => `${sessionId} ${name}`;
