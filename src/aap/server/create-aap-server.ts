/**
 * AAP v3 and our extensions of it, as a function from requests to responses. Access is checked before, by the HTTP door
 * (`serve-aap.ts`): every request that reaches this function is served.
 */
import {
  AMOUNT,
  BadOption,
  checkOptions,
  FUNCTION,
  LEDGER,
  listOf,
  OBJECT,
  required,
  STRING,
  TEXT,
  WORKSPACE,
} from "../../call/check-options.js";
import type { OptionChecks } from "../../call/check-options.js";
import { randomBytes } from "node:crypto";
import { Hono } from "hono";
import type { Agent, Loop } from "../../agent/index.js";
import type { Ledger } from "../../call/index.js";
import type { RedactionPattern } from "../../history/index.js";
import { PATTERNS } from "../../history/redaction/redaction-pattern.js";
import { STATUSES } from "../../http/index.js";
import { FlushTimer } from "../../record/index.js";
import type { Tool, Workspace } from "../../tools/index.js";
import { sealing } from "../server-context.js";
import type { ServerContext } from "../server-context.js";
import type { OpenSink } from "../stream/event-stream.js";
import { isTrustable } from "../turns/session-judge.js";
import { AapProblem, problemOf, problemResponse, wrongMethod } from "../api/aap-problem.js";
import { EXTENSION_ENDPOINTS, PROTOCOL_ENDPOINTS } from "../api/endpoints.js";
import { methodsIn } from "../api/methods-in.js";
import { addRoutes } from "./add-routes.js";
import type { AapEnv } from "./add-routes.js";
import { KEY_BYTES } from "../sessions/seal-secret.js";
import { served } from "../sessions/served-agent.js";
import type { ExternalAgent, Served, ServedAgent } from "../sessions/served-agent.js";
import { takeOverWork } from "../turns/take-over-work.js";
import type { TakesOver } from "../turns/take-over-work.js";
import { TurnEngine } from "../turns/turn-engine.js";
import { turnOutlook } from "../turns/turn-outlook.js";
import type { OutlookOf, RunsTurns } from "../turns/turn-outlook.js";

export type AapServerOptions = {
  readonly agents: readonly (Agent | Loop | ExternalAgent | ServedAgent)[];
  /** A redacting ledger (`redactingLedger`) has no exact history; apps receive the redacted events. */
  readonly ledger: Ledger;
  /** Where the agents' tools act. */
  readonly workspace: Workspace;
  /** The version of agents that have none of their own, as semver. */
  readonly version?: string;
  /**
   * The tools that an app may let run without asking. By default those whose author declared them to read, search or
   * think.
   */
  readonly trustable?: (tool: Tool) => boolean;
  /** How long questions can be answered with yes, for agents without a limit of their own; by default for ever. */
  readonly questionLifetimeMs?: number;
  /** Secrets to take out of session events and questions, beside those that are known by their shape. */
  readonly redactPatterns?: readonly RedactionPattern[];
  /**
   * 32 bytes to encrypt secret options with in the log. Without it only this process can read them, and after a
   * restart an app must send them again.
   */
  readonly secretKey?: Uint8Array;
  /** Called with unexpected errors: bugs, a full or broken disk. Apps get no details of a bug. */
  readonly onError?: (error: unknown) => void;
  readonly now?: () => number;
};

export type AapServer = {
  /** With `openSink`, a stream of events goes there instead of into the response's body. */
  fetch(request: Request, openSink?: OpenSink): Promise<Response>;
  /** Cancels the running turns and returns when that is recorded. Parked turns stay parked. */
  close(): Promise<void>;
};

const UNVERSIONED = "0.0.0";

const methodsOf = methodsIn({ ...PROTOCOL_ENDPOINTS, ...EXTENSION_ENDPOINTS });

export const SERVER_OPTIONS: OptionChecks<AapServerOptions> = {
  agents: required(listOf(OBJECT)),
  ledger: required(LEDGER),
  workspace: required(WORKSPACE),
  version: TEXT,
  trustable: FUNCTION,
  questionLifetimeMs: AMOUNT,
  redactPatterns: PATTERNS,
  secretKey: OBJECT,
  onError: FUNCTION,
  now: FUNCTION,
};

/** Throws when there is none, or when one is described wrongly. */
export function checkAgents(where: string, agents: AapServerOptions["agents"]): void {
  if (agents.length === 0)
    throw new BadOption(`${where}: "agents" is empty, so nothing could be served.`, "agents");
  for (const one of agents)
    if ("agent" in one) checkOptions<ServedAgent>(`${where}, an agent`, one, SERVED_AGENT);
}

const SERVED_AGENT: OptionChecks<ServedAgent> = {
  agent: required(OBJECT),
  title: STRING,
  description: STRING,
  version: TEXT,
  served: OBJECT,
  options: listOf({
    expected: "an option with a name and a type",
    isRight: (value) => typeof value === "object" && value !== null && "name" in value && "type" in value,
  }),
  withOptions: FUNCTION,
  isExposed: FUNCTION,
};

export function createAapServer(options: AapServerOptions): AapServer {
  checkOptions("createAapServer", options, SERVER_OPTIONS);
  checkAgents("createAapServer", options.agents);
  const server = openServer(options);
  return { fetch: (request, openSink) => server.fetch(request, openSink), close: () => server.close() };
}

/** For the figures of a server. */
export type ServerEvents = { readonly onTakenOver?: () => void };

/** With the engine of its turns, for another API on the same server. */
export type OpenedServer = AapServer & {
  readonly turns: TurnEngine;
  /** Adds another part of the server that runs turns, and may take over those of other instances. */
  readonly addPart: (part: ServerPart) => void;
  readonly outlookOf: OutlookOf;
  /** Takes no new turns, and resolves when those under way are over or parked. */
  readonly drain: () => Promise<void>;
  readonly isDraining: () => boolean;
};

type ServerPart = RunsTurns & { readonly takeOver: TakesOver };

/** The same for options that are checked already. */
export function openServer(options: AapServerOptions & ServerEvents): OpenedServer {
  const { version = UNVERSIONED, secretKey = randomBytes(KEY_BYTES) } = options;
  if (secretKey.byteLength !== KEY_BYTES)
    throw new RangeError(`The key for secrets must have ${KEY_BYTES} bytes. No server was made.`);
  const server: ServerContext = {
    agents: byName(options.agents.map(served)),
    ledger: options.ledger,
    workspace: options.workspace,
    flushTimer: new FlushTimer(),
    trustable: options.trustable ?? isTrustable,
    questionLifetimeMs: options.questionLifetimeMs,
    isRedacted: options.ledger.storesVerbatim === false,
    redactPatterns: options.redactPatterns ?? [],
    onError: options.onError ?? (() => undefined),
    now: options.now ?? Date.now,
    ...sealing(secretKey),
  };
  const turns = new TurnEngine(server);
  const app = new Hono<AapEnv>();
  app.onError((error) => {
    const problem = problemOf(error);
    if (STATUSES[problem.code] >= 500) server.onError(error);
    return problemResponse(problem);
  });
  app.notFound(({ req: { method, path } }) => {
    const allowed = methodsOf(path);
    const problem = new AapProblem("NOT_FOUND", `There is no ${method} ${path}. Nothing was done.`);
    return problemResponse(allowed.length === 0 ? problem : wrongMethod(method, path, allowed));
  });
  const runsTurns: RunsTurns[] = [turns];
  const outlookOf: OutlookOf = (sessionId, state) =>
    turnOutlook({ ledger: server.ledger, parts: runsTurns }, sessionId, state);
  addRoutes(app, { server, turns, version, outlookOf });
  const closed = new AbortController();
  const parts: TakesOver[] = [(sessionId) => turns.takeOver(sessionId)];
  void takeOverWork({ ...server, parts, onTaken: options.onTakenOver ?? (() => undefined) }, closed.signal);
  const close = () => {
    closed.abort();
    return turns.close();
  };
  return {
    fetch: async (request, openSink) => app.fetch(request, { openSink }),
    close,
    turns,
    addPart: (part) => {
      runsTurns.push(part);
      parts.push(part.takeOver);
    },
    outlookOf,
    drain: () => {
      closed.abort();
      return turns.drain();
    },
    isDraining: () => closed.signal.aborted,
  };
}

function byName(agents: readonly Served[]): ReadonlyMap<string, Served> {
  const named = new Map(agents.map((agent) => [agent.name, agent]));
  if (named.size === agents.length) return named;
  throw new DuplicateAgent(agents.map(({ name }) => name));
}

export class DuplicateAgent extends Error {
  readonly code = "DUPLICATE_AGENT";

  constructor(names: readonly string[]) {
    super(
      `The agents of a server have different names, since sessions name theirs: ${names.join(", ")}. No server was made.`,
    );
    this.name = "DuplicateAgent";
  }
}
