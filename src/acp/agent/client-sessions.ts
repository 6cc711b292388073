/**
 * One client's sessions, and the methods on them by their names. The methods of one version of ACP come from
 * `v1-sessions.ts` or `v2-sessions.ts`; this file has those that both versions share.
 */
import { randomUUID } from "node:crypto";
import { setImmediate, setTimeout } from "node:timers/promises";
import { LedgerError } from "../../call/index.js";
import type { ContentBlock } from "../../call/index.js";
import type { AgentDialect } from "../agent-dialect.js";
import { CODE, invalidParams, RpcError } from "../connection/message.js";
import type { Asked, Peer } from "../connection/peer.js";
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";
import type { AcpHost, ClientSide, Command, HostedSession } from "./acp-host.js";
import { listSessions } from "./list-sessions.js";
import { LiveSession } from "./live-session.js";
import { WatchedSession } from "./watched-session.js";
import { folderParam, foldersParam, listParam, objectParams, promptBlocks, textParam } from "./params.js";

export type ClientSessionsOptions = {
  readonly host: AcpHost;
  readonly peer: Peer;
  readonly client: ClientSide;
  /** The base of relative folders; undefined for a client on another machine. */
  readonly base?: string | undefined;
};

/** The methods of one version of ACP. */
export type ProtocolMethods = {
  readonly dialect: () => AgentDialect;
  readonly methods: (sessions: ClientSessions) => Methods;
  /** Sends the updates that a client gets when it opens a session. */
  readonly afterOpen: (live: LiveSession) => void;
};

export type Methods = {
  readonly [method: string]: (params: JsonObject, signal: AbortSignal) => unknown;
};

/** A prompt of a client. One that a person typed as `/name …` is a command of ours. */
export type Prompt = {
  readonly live: LiveSession;
  readonly blocks: readonly ContentBlock[];
  readonly found?: { readonly command: Command; readonly words: string } | undefined;
};

const LEASE = { milliseconds: 60_000 };
/** A session that is open elsewhere for longer is watched. Another editor that ends gives it back sooner. */
const WATCH_AFTER_MS = 2_000;
const TAKE_OVER_EVERY_MS = 1_000;
const NEEDS_OWNER = /^session\/(?:prompt|set_\w+)$/;

export class ClientSessions {
  readonly #options: ClientSessionsOptions & ProtocolMethods;
  readonly #methods: Methods;
  readonly #live = new Map<string, LiveSession>();
  /** Tries to take over each session that is watched; resolves to whether the watching is over. */
  readonly #watched = new Map<string, () => Promise<boolean>>();
  #isClosed = false;
  readonly #opening = new Set<Promise<unknown>>();

  constructor(options: ClientSessionsOptions & ProtocolMethods) {
    this.#options = options;
    this.#methods = { ...this.#sharedMethods, ...options.methods(this) };
  }

  request({ method, params, signal }: Asked): unknown {
    const known = Object.hasOwn(this.#methods, method) ? this.#methods[method] : undefined;
    if (!known) throw new RpcError(CODE.methodNotFound, `This agent has no method ${method}.`);
    const fields = objectParams(params);
    // Only the session's owner may run this method, and the owner may have left since: try to take over.
    const takeOver = NEEDS_OWNER.test(method) ? this.#watched.get(String(fields["sessionId"])) : undefined;
    return takeOver ? takeOver().then(() => known(fields, signal)) : known(fields, signal);
  }

  notification(method: string, params: unknown): void {
    if (method !== "session/cancel" || !isJsonObject(params)) return;
    const live = this.#live.get(String(params["sessionId"]));
    // The end is reported as the version does it: in the prompt's response, or by a state update.
    live?.cancel().catch(() => undefined);
  }

  /** Leaves every session of the connection: a client that is gone has cancelled nothing. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // A session that is still being opened is closed as soon as it is open.
    await Promise.allSettled(this.#opening);
    await setImmediate();
    const left = [...this.#live.values()];
    this.#live.clear();
    await Promise.allSettled(left.map((live) => live.leave()));
  }

  session(params: JsonObject): LiveSession {
    const sessionId = textParam(params, "sessionId");
    const live = this.#live.get(sessionId);
    if (!live) throw notFound(sessionId);
    return live;
  }

  readPrompt(params: JsonObject): Prompt {
    const live = this.session(params);
    const blocks = promptBlocks(params);
    return { live, blocks, found: commandIn(blocks, live.hosted.commands) };
  }

  async open(params: JsonObject): Promise<LiveSession> {
    return this.#open(`session_${randomUUID()}`, params);
  }

  /** Opens a recorded session. If it is open here already, that one closes first. */
  async reopen(params: JsonObject): Promise<LiveSession> {
    const sessionId = textParam(params, "sessionId");
    folderParam(params, "cwd", this.#options.base);
    foldersParam(params, "additionalDirectories", this.#options.base);
    listParam(params, "mcpServers");
    await this.#close(sessionId);
    if (!(await this.#options.host.ledger.has(sessionId))) throw notFound(sessionId);
    return this.#open(sessionId, params, { leaseWaitMs: WATCH_AFTER_MS }).catch((error: unknown) => {
      if (!(error instanceof SessionHeld)) throw error;
      return this.#watch(sessionId, params, error.owner);
    });
  }

  /** Shows a session that is open elsewhere, until it is free: then it is opened here. */
  async #watch(sessionId: string, params: JsonObject, owner: string | undefined): Promise<LiveSession> {
    const { host, dialect, peer, client } = this.#options;
    const session = await WatchedSession.open(host.ledger, sessionId, owner);
    const hosted: HostedSession = {
      session,
      choices: [],
      commands: [],
      isWatched: true,
      aside: session.prompt,
      close: () => session.close(),
    };
    const encoder = dialect();
    const live = new LiveSession({ hosted, peer, dialect: encoder, clientName: client.name });
    this.#live.set(sessionId, live);
    let running: Promise<boolean> | undefined;
    const takeOver = () =>
      (running ??= this.#takeOver(live, params, encoder).finally(() => (running = undefined)));
    this.#watched.set(sessionId, takeOver);
    void this.#untilTakenOver(sessionId, takeOver);
    return live;
  }

  async #untilTakenOver(sessionId: string, takeOver: () => Promise<boolean>): Promise<void> {
    do await setTimeout(TAKE_OVER_EVERY_MS, undefined, { ref: false });
    while (!(await takeOver()));
    if (this.#watched.get(sessionId) === takeOver) this.#watched.delete(sessionId);
  }

  /** False as long as the session is open elsewhere. */
  async #takeOver(watching: LiveSession, params: JsonObject, dialect: AgentDialect): Promise<boolean> {
    const { sessionId } = watching.hosted.session;
    const { ledger } = this.#options.host;
    if (this.#isClosed || this.#live.get(sessionId) !== watching) return true;
    try {
      // Cheaper than to open the session in vain.
      await ledger.release(await ledger.claim(sessionId, `watcher ${randomUUID()}`, LEASE));
      const live = await this.#open(sessionId, params, { leaseWaitMs: 0, dialect });
      await watching.leave();
      this.#options.afterOpen(live);
      return true;
    } catch (error) {
      return !(error instanceof SessionHeld || isLeaseHeld(error));
    }
  }

  readonly #sharedMethods: Methods = {
    initialize: () => {
      throw new RpcError(CODE.invalidRequest, "The connection is initialized already. Nothing was changed.");
    },
    authenticate,
    "auth/login": authenticate,
    "session/list": (params) => listSessions(this.#options.host.ledger, params),
    "session/close": async (params) => {
      const sessionId = textParam(params, "sessionId");
      if (!(await this.#close(sessionId))) throw notFound(sessionId);
      return {};
    },
    "session/delete": async (params) => {
      await this.#delete(textParam(params, "sessionId"));
      return {};
    },
  };

  async #close(sessionId: string): Promise<boolean> {
    const live = this.#live.get(sessionId);
    this.#live.delete(sessionId);
    await live?.close();
    return live !== undefined;
  }

  async #delete(sessionId: string): Promise<void> {
    const { ledger } = this.#options.host;
    await this.#close(sessionId);
    // A session that does not exist counts as deleted.
    if (!(await ledger.has(sessionId))) return;
    await refusing(async () => {
      await ledger.remove(await ledger.claim(sessionId, `delete ${randomUUID()}`, LEASE));
    });
  }

  async #open(
    sessionId: string,
    params: JsonObject,
    { leaseWaitMs, dialect = this.#options.dialect() }: Opening = {},
  ): Promise<LiveSession> {
    const { host, peer, client, base } = this.#options;
    const request = {
      sessionId,
      cwd: folderParam(params, "cwd", base),
      additionalDirectories: foldersParam(params, "additionalDirectories", base),
      mcpServers: listParam(params, "mcpServers"),
      client,
      ...(leaseWaitMs !== undefined && { leaseWaitMs }),
      // Not recorded: the session belongs to another process as yet.
      onLeaseWait: (text: string) => {
        const block = { type: "text", text } as const;
        const chunk = { type: "message-chunk", at: Date.now(), role: "thought", block } as const;
        const update = dialect.event({ ...chunk, messageId: `waiting_${randomUUID()}` });
        peer.notify("session/update", { sessionId, update });
      },
    };
    const opening = refusing(() => host.openSession(request));
    this.#opening.add(opening);
    const hosted = await opening.finally(() => this.#opening.delete(opening));
    const live = new LiveSession({ hosted, peer, dialect, clientName: client.name });
    // The client may have gone while the session was being opened.
    this.#live.set(sessionId, live);
    if (this.#isClosed) throw new RpcError(CODE.cancelled, "The client is gone.");
    return live;
  }
}

/** The command that a prompt is, and the words after its name. An unknown name goes to the model as text. */
function commandIn(blocks: readonly ContentBlock[], commands: readonly Command[]): Prompt["found"] {
  const [block, ...others] = blocks;
  if (block?.type !== "text" || others.length > 0) return undefined;
  const [, name, words = ""] = /^\/(\S+)(?:\s+([^]*))?$/.exec(block.text.trim()) ?? [];
  const command = commands.find((known) => known.name === name);
  return command && { command, words: words.trim() };
}

/** Sends the client the reason why a session cannot be opened or removed. */
async function refusing<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (isLeaseHeld(error)) throw new SessionHeld(error);
    if (error instanceof LedgerError) throw new RpcError(CODE.invalidRequest, error.message);
    if (error instanceof Error && "code" in error && PARAM_ERROR_CODES.has(error.code))
      throw invalidParams(error.message);
    throw error;
  }
}

const isLeaseHeld = (error: unknown): error is LedgerError =>
  error instanceof LedgerError && error.code === "LEASE_HELD";

class SessionHeld extends RpcError {
  readonly owner: string | undefined;

  constructor({ message, owner }: LedgerError) {
    super(CODE.invalidRequest, message);
    this.owner = owner;
  }
}

type Opening = {
  readonly leaseWaitMs?: number;
  /** The dialect of the client's view so far. */
  readonly dialect?: AgentDialect;
};

/** A folder that is not there; MCP servers that cannot be read. */
const PARAM_ERROR_CODES: ReadonlySet<unknown> = new Set(["NOT_A_FOLDER", "MCP_CONFIG"]);

const notFound = (sessionId: string): RpcError =>
  new RpcError(CODE.notFound, "There is no such session here. Nothing was done.", { sessionId });

/** Keys come from the environment or the key file; the client learns whether they suffice. */
function authenticate(params: JsonObject): object {
  if (params["methodId"] === "keys") return {};
  throw new RpcError(CODE.invalidParams, 'The only way to authenticate here is "keys". Nothing was changed.');
}
