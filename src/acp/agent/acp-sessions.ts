/** The sessions of one connection: opened, reopened, listed, closed and deleted. */
import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { LedgerError, readSessionInfo } from "../../call/index.js";
import type { Ledger, SessionSummary } from "../../call/index.js";
import { CODE, invalidParams, RpcError } from "../connection/message.js";
import type { Peer } from "../connection/peer.js";
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";
import type { AgentDialect } from "../agent-dialect.js";
import type { AcpHost, ClientSide } from "./acp-host.js";
import { LiveSession } from "./live-session.js";
import { folderParam, foldersParam, listParam, optionalText } from "./params.js";

export type AcpSessionsOptions = {
  readonly host: AcpHost;
  readonly peer: Peer;
  readonly client: ClientSide;
  readonly dialect: () => AgentDialect;
};

const PAGE_SIZE = 50;
const LEASE = { milliseconds: 60_000 };

export class AcpSessions {
  readonly #options: AcpSessionsOptions;
  readonly #live = new Map<string, LiveSession>();
  #isClosed = false;
  readonly #opening = new Set<Promise<unknown>>();

  constructor(options: AcpSessionsOptions) {
    this.#options = options;
  }

  get(sessionId: string): LiveSession {
    const live = this.#live.get(sessionId);
    if (!live) throw notFound(sessionId);
    return live;
  }

  /** The one of this id, if it is open here. */
  find(sessionId: string): LiveSession | undefined {
    return this.#live.get(sessionId);
  }

  async open(params: JsonObject): Promise<LiveSession> {
    return this.#open(`session_${randomUUID()}`, params);
  }

  /** Opens a recorded session. If it is open here already, that one closes first. */
  async reopen(sessionId: string, params: JsonObject): Promise<LiveSession> {
    folderParam(params, "cwd");
    foldersParam(params, "additionalDirectories");
    listParam(params, "mcpServers");
    await this.close(sessionId);
    if (!(await this.#ledger.has(sessionId))) throw notFound(sessionId);
    return this.#open(sessionId, params);
  }

  async close(sessionId: string): Promise<boolean> {
    const live = this.#live.get(sessionId);
    this.#live.delete(sessionId);
    await live?.close();
    return live !== undefined;
  }

  async delete(sessionId: string): Promise<void> {
    await this.close(sessionId);
    // A session that does not exist counts as deleted.
    if (!(await this.#ledger.has(sessionId))) return;
    await refusing(async () => {
      await this.#ledger.remove(await this.#ledger.claim(sessionId, `delete ${randomUUID()}`, LEASE));
    });
  }

  async list(params: JsonObject): Promise<object> {
    const cwd = optionalText(params, "cwd");
    const cursor = optionalText(params, "cursor");
    let before = cursor === undefined ? undefined : readCursor(cursor);
    const found: { readonly at: SessionSummary; readonly session: object }[] = [];
    for (;;) {
      const batch = await this.#ledger.sessions({ limit: PAGE_SIZE, ...(before && { before }) });
      for (const at of batch) {
        // A log that cannot be read must not hide the others.
        const session = await this.#listed(at, cwd).catch(() => undefined);
        if (session) found.push({ at, session });
        // A store may block the whole process while it reads a log: other requests are served between two reads.
        await setImmediate();
      }
      before = batch.at(-1);
      if (batch.length < PAGE_SIZE || found.length > PAGE_SIZE) break;
    }
    const page = found.slice(0, PAGE_SIZE);
    const last = page.at(-1);
    const sessions = page.map(({ session }) => session);
    return { sessions, ...(found.length > PAGE_SIZE && last && { nextCursor: cursorAt(last.at) }) };
  }

  async closeAll(): Promise<void> {
    this.#isClosed = true;
    // A session that is still being opened is closed as soon as it is open.
    await Promise.allSettled(this.#opening);
    await setImmediate();
    await Promise.allSettled([...this.#live.keys()].map((sessionId) => this.close(sessionId)));
  }

  get #ledger(): Ledger {
    return this.#options.host.ledger;
  }

  async #open(sessionId: string, params: JsonObject): Promise<LiveSession> {
    const { host, peer, client, dialect } = this.#options;
    const request = {
      sessionId,
      cwd: folderParam(params, "cwd"),
      additionalDirectories: foldersParam(params, "additionalDirectories"),
      mcpServers: listParam(params, "mcpServers"),
      client,
      // Not recorded: the session belongs to another process as yet.
      onLeaseWait: (text: string) => {
        const block = { type: "text", text } as const;
        const messageId = `waiting_${randomUUID()}`;
        const update = dialect().event({
          type: "message-chunk",
          at: Date.now(),
          messageId,
          role: "thought",
          block,
        });
        peer.notify("session/update", { sessionId, update });
      },
    };
    const opening = refusing(() => host.openSession(request));
    this.#opening.add(opening);
    const hosted = await opening.finally(() => this.#opening.delete(opening));
    const live = new LiveSession({ hosted, peer, dialect: dialect(), clientName: client.name });
    // The client may have gone while the session was being opened.
    this.#live.set(sessionId, live);
    if (this.#isClosed) throw new RpcError(CODE.cancelled, "The client is gone.");
    return live;
  }

  async #listed(at: SessionSummary, cwd: string | undefined): Promise<object | undefined> {
    const { sessionId, updatedAt } = at;
    const info = await readSessionInfo(this.#ledger, sessionId);
    if (info.cwd === undefined || (cwd !== undefined && info.cwd !== cwd)) return undefined;
    return {
      sessionId,
      cwd: info.cwd,
      updatedAt: new Date(updatedAt).toISOString(),
      ...(info.title !== undefined && { title: info.title }),
    };
  }
}

/** Sends the client the reason why a session cannot be opened or removed. */
async function refusing<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof LedgerError) throw new RpcError(CODE.invalidRequest, error.message);
    if (error instanceof Error && "code" in error && PARAM_ERROR_CODES.has(error.code))
      throw invalidParams(error.message);
    throw error;
  }
}

/** A folder that is not there; MCP servers that cannot be read. */
const PARAM_ERROR_CODES: ReadonlySet<unknown> = new Set(["NOT_A_FOLDER", "MCP_CONFIG"]);

const notFound = (sessionId: string): RpcError =>
  new RpcError(CODE.notFound, "There is no such session here. Nothing was done.", { sessionId });

function cursorAt({ sessionId, createdAt, updatedAt }: SessionSummary): string {
  return Buffer.from(JSON.stringify({ sessionId, createdAt, updatedAt })).toString("base64url");
}

function readCursor(cursor: string): SessionSummary {
  try {
    const at: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (isJsonObject(at)) {
      const { sessionId, createdAt, updatedAt } = at;
      if (typeof sessionId === "string" && typeof createdAt === "number" && typeof updatedAt === "number")
        return { sessionId, createdAt, updatedAt };
    }
  } catch {
    // Reported below.
  }
  throw invalidParams("This cursor is not one that this agent gave. Nothing was listed.");
}
