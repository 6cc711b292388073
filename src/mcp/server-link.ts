/**
 * The lifecycle of one server: approved, started, ready, dead and restarted, until it is closed. A failing server
 * affects no other: its calls fail with a message, and every wait for it ends.
 */
import { randomUUID } from "node:crypto";
import { SseError } from "@modelcontextprotocol/client";
import type { Client } from "@modelcontextprotocol/client";
import { oneLine } from "../call/index.js";
import { ToolFailure } from "../tools/index.js";
import type { Tool, ToolOrigin, ToolResult } from "../tools/index.js";
import { boundedProblems } from "./bounded-problems.js";
import type { ReportProblem } from "./bounded-problems.js";
import { startFailure } from "./call-failure.js";
import type { McpServerConfig } from "./config.js";
import { openConnection } from "./connection.js";
import type { ClientInfo, Connection } from "./connection.js";
import { answerElicitations } from "./answer-elicitations.js";
import type { ForeignCall } from "./foreign-tool.js";
import { listTools } from "./list-tools.js";
import { readTools } from "./read-tools.js";
import { RestartPolicy } from "./restart-policy.js";
import { RunningCalls } from "./running-calls.js";
import { WatchedState } from "./server-state.js";
import type { ServerState } from "./server-state.js";

export type ServerLinkOptions = {
  readonly name: string;
  readonly config: McpServerConfig;
  readonly cwd: string;
  readonly clientInfo: ClientInfo;
  /** How long a call waits for a server that is starting, in milliseconds. */
  readonly startTimeoutMs: number;
  readonly callTimeoutMs: number;
  readonly maxCallTime: number;
  /** A hash of the server as it is now; `start` distinguishes starts that nothing else does. */
  readonly fingerprint: (start: string) => string;
  /** Whether an approval holds for another start too. */
  readonly isApprovalLasting: () => boolean;
  /** Undefined when the server with this fingerprint may be started, otherwise why not. Never rejects. */
  readonly approval: (fingerprint: string) => Promise<string | undefined>;
  readonly onChange: () => void;
  readonly onProblem: ReportProblem;
};

/** The time limit for the handshake and for a list. */
const REQUEST_TIMEOUT_MS = 60_000;

const CHANGED_MEANWHILE = "its program changed while it was looked at. The server was not started.";

export class ServerLink {
  readonly name: string;
  readonly #options: ServerLinkOptions;
  readonly #problem: ReportProblem;
  readonly #restarts = new RestartPolicy();
  readonly #running = new RunningCalls();
  readonly #closing = new AbortController();
  readonly #state = new WatchedState();
  #connection: Connection | undefined;
  #tools: readonly Tool[] = [];
  /** The fingerprint for which the last approval was. */
  #approved = "";
  #restartTimer: NodeJS.Timeout | undefined;
  #decision: Promise<void> = Promise.resolve();
  /** The attempt to connect that is under way, if any. */
  #attempt: Promise<void> = Promise.resolve();
  /** Settles when the lost connections have ended. */
  #ending: Promise<unknown> = Promise.resolve();
  #listing: Promise<void> | undefined;
  #readySince = 0;

  constructor(options: ServerLinkOptions) {
    this.name = options.name;
    this.#options = options;
    this.#problem = boundedProblems(options.name, options.onProblem);
  }

  get state(): ServerState {
    return this.#state.current;
  }

  /** The tools that the server listed last, also while it restarts or has failed. */
  get tools(): readonly Tool[] {
    return this.#tools;
  }

  /** Starts the server once it is approved. Settles when it is ready, has failed, or may not be started. */
  start(): Promise<void> {
    this.#set({ status: "starting" });
    this.#decision = this.#startApproved();
    return this.#state.untilSettled();
  }

  /** Settles when it is known whether it may be started. */
  untilDecided(): Promise<void> {
    return this.#decision;
  }

  /** Tries once more with a server that has failed or was not approved. */
  restart(): Promise<void> {
    const { status } = this.state;
    return status === "failed" || status === "not-approved" ? this.start() : this.#state.untilSettled();
  }

  async close(): Promise<void> {
    clearTimeout(this.#restartTimer);
    const connection = this.#connection;
    this.#connection = undefined;
    this.#set({ status: "closed" });
    this.#closing.abort(new Error("The MCP servers were closed."));
    await Promise.all([connection?.close(), this.#attempt, this.#ending]);
  }

  async call(call: ForeignCall): Promise<ToolResult> {
    const { callTimeoutMs, config, maxCallTime } = this.#options;
    const connection = await this.#whenReady(call.tool, call.context.signal);
    this.#mustBeSame(call.origin);
    return this.#running.run(connection, call, {
      server: this.name,
      idle: config.timeout ?? callTimeoutMs,
      whole: maxCallTime,
      onLost: () => this.#lose(connection, "it could not be reached any more"),
    });
  }

  async #startApproved(): Promise<void> {
    const { fingerprint, approval } = this.#options;
    const start = randomUUID();
    const seen = fingerprint(start);
    const reason = (await approval(seen)) ?? (seen === fingerprint(start) ? undefined : CHANGED_MEANWHILE);
    if (this.#closing.signal.aborted) return;
    this.#approved = seen;
    if (reason === undefined) this.#attempt = this.#connect();
    else this.#set({ status: "not-approved", reason });
  }

  /** While a call waited for the server, another server may have taken its place. */
  #mustBeSame({ server, tool, definition, fingerprint }: ToolOrigin): void {
    const now = this.#tools.find(({ origin }) => origin?.tool === tool)?.origin;
    if (now && now.definition === definition && now.fingerprint === fingerprint) return;
    const what = now ? "changed the definition of this tool" : "no longer offers this tool";
    throw new ToolFailure(
      `${oneLine(server, 60)}/${oneLine(tool, 128)}: the server ${what} since the call was decided on. Nothing was run. Look at the tool again before you call it.`,
    );
  }

  async #connect(): Promise<void> {
    const { config, cwd, clientInfo } = this.#options;
    const { signal } = this.#closing;
    let connection: Connection | undefined;
    try {
      connection = await openConnection({
        config,
        cwd,
        clientInfo,
        timeout: REQUEST_TIMEOUT_MS,
        signal,
        prepare: (client) => this.#prepare(client),
        onToolsChanged: () => this.#toolsChanged(),
      });
      this.#tools = await this.#list(connection.client);
      signal.throwIfAborted();
      if (!connection.client.transport) throw new Error("it ended at once");
      this.#connection = connection;
      this.#readySince = performance.now();
      this.#set({ status: "ready" });
    } catch (error) {
      await connection?.close();
      if (signal.aborted) return;
      const { reason, isForGood } = startFailure(error, connection?.exitReport() ?? "");
      if (isForGood) this.#set({ status: "failed", reason });
      else this.#startAgain(reason);
    }
  }

  #prepare(client: Client): void {
    answerElicitations(client, { server: this.name, running: this.#running, onProblem: this.#problem });
    Object.assign(client, {
      onerror: (error: Error) => {
        this.#problem(error.message);
        // The server's only stream broke. A new stream would not belong to our session.
        if (error instanceof SseError) this.#loseClient(client);
      },
      onclose: () => this.#loseClient(client),
    });
  }

  #loseClient(client: Client): void {
    const connection = this.#connection;
    if (connection?.client !== client) return;
    this.#lose(connection, connection.exitReport() || "its connection was closed");
  }

  #lose(connection: Connection, reason: string): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#restarts.wasUp(performance.now() - this.#readySince);
    this.#startAgain(reason);
    this.#ending = Promise.all([this.#ending, connection.close()]);
  }

  #startAgain(reason: string): void {
    const delay = this.#restarts.nextDelay(performance.now());
    if (delay === undefined) {
      this.#set({ status: "failed", reason: `it ended too often within a minute; the last time ${reason}` });
      return;
    }
    this.#set({ status: "restarting", reason });
    this.#restartTimer = setTimeout(() => {
      // A program that was changed since it was approved is another one.
      const { fingerprint, isApprovalLasting } = this.#options;
      const isSame = isApprovalLasting() && fingerprint("") === this.#approved;
      if (isSame) this.#attempt = this.#connect();
      else this.#decision = this.#startApproved();
    }, delay);
  }

  async #list(client: Client): Promise<readonly Tool[]> {
    const { signal } = this.#closing;
    const listed = await listTools(client, { timeout: REQUEST_TIMEOUT_MS, signal, onProblem: this.#problem });
    return readTools(listed, {
      server: this.name,
      fingerprint: this.#approved,
      call: (call) => this.call(call),
      onProblem: this.#problem,
    });
  }

  /** Lists the tools again. A change that arrives meanwhile causes one more listing. */
  #toolsChanged(): void {
    const connection = this.#connection;
    if (!connection) return;
    const before = this.#listing ?? Promise.resolve();
    this.#listing = before.then(() => this.#listAgain(connection));
  }

  async #listAgain(connection: Connection): Promise<void> {
    if (this.#connection !== connection) return;
    try {
      const tools = await this.#list(connection.client);
      if (this.#connection !== connection) return;
      this.#tools = tools;
      this.#options.onChange();
    } catch (error) {
      if (this.#connection !== connection) return;
      this.#problem(
        `its tools could not be listed again (${String(error)}). Its earlier tools are still offered.`,
      );
    }
  }

  async #whenReady(tool: string, signal: AbortSignal): Promise<Connection> {
    const startTimeoutMs = AbortSignal.any([signal, AbortSignal.timeout(this.#options.startTimeoutMs)]);
    await this.#state.untilSettled(startTimeoutMs);
    signal.throwIfAborted();
    if (this.#connection) return this.#connection;
    const { state } = this;
    const why = "reason" in state ? `${state.status}: ${state.reason}` : state.status;
    const server = oneLine(this.name, 60);
    throw new ToolFailure(
      `${server}/${oneLine(tool, 128)}: the MCP server "${server}" is not available (${why}). Nothing was run. Try again later, or continue without it.`,
    );
  }

  #set(state: ServerState): void {
    this.#state.set(state);
    this.#options.onChange();
  }
}
