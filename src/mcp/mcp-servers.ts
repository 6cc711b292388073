/**
 * MCP servers as a live source of tools. Each server starts only when it is approved; a server that is late or fails
 * does not delay the others.
 */
import { resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { AMOUNT, checkOptions, FUNCTION, OBJECT, required, SIGNAL, TEXT } from "../call/check-options.js";
import { errorMessage } from "../call/error-message.js";
import type { OptionChecks } from "../call/check-options.js";
import { oneLine } from "../call/index.js";
import type { Tool, ToolSource } from "../tools/index.js";
import type { ReportProblem } from "./bounded-problems.js";
import { McpConfigError, readServer } from "./config.js";
import type { McpServerConfig, McpServerConfigs } from "./config.js";
import type { ClientInfo } from "./connection.js";
import { describeServer, fingerprint, isApprovalLasting } from "./fingerprint.js";
import { ServerLink } from "./server-link.js";
import { isComing } from "./server-state.js";
import type { ServerState } from "./server-state.js";

/** The exact configuration to approve. `description` explains what starting the server runs. */
export type ServerToApprove = {
  readonly name: string;
  readonly fingerprint: string;
  readonly description: string;
  /**
   * False when the code can change while the configuration does not, such as a script of `npm run`: the fingerprint
   * then changes at each start, and the approval is for this start only.
   */
  readonly isLasting: boolean;
};

export type McpServersOptions = {
  /** Only a server for which this returns true is started. */
  readonly approve: (server: ServerToApprove) => Promise<boolean>;
  /** Called with each problem, as one line. */
  readonly onProblem?: ReportProblem;
  readonly clientInfo?: ClientInfo;
  /** The folder that servers run in, unless their configuration says another; our own when left out. */
  readonly cwd?: string;
  /**
   * How long `start`, and a call on a server that is not ready, wait for it. In milliseconds; default 10,000. The
   * clock of `start` pauses during `approve`: a person needs longer than a server.
   */
  readonly startTimeoutMs?: number;
  /**
   * Called once when `start` has waited for a second, with the servers it still waits for and the milliseconds left.
   */
  readonly onLate?: (servers: readonly string[], left: number) => void;
  /** Cancels the start: ends all servers that have started, and `start` rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** The longest time that a call may run without progress. In milliseconds; default 60,000. */
  readonly callTimeoutMs?: number;
  /** The longest time that a call may take in all. In milliseconds; default ten minutes. */
  readonly maxCallTime?: number;
};

const SERVERS_OPTIONS: OptionChecks<McpServersOptions> = {
  approve: required(FUNCTION),
  onProblem: FUNCTION,
  clientInfo: OBJECT,
  cwd: TEXT,
  startTimeoutMs: AMOUNT,
  onLate: FUNCTION,
  signal: SIGNAL,
  callTimeoutMs: AMOUNT,
  maxCallTime: AMOUNT,
};

export type ServerStatus = ServerState & { readonly server: string };

export class McpServers implements ToolSource {
  /** A link for each, or why there is none. */
  readonly #servers: readonly (ServerLink | ServerStatus)[];
  readonly #listeners = new Set<() => void>();
  #offered: ReadonlyMap<string, Tool> = new Map();
  #known: ReadonlyMap<string, Tool> = new Map();

  /**
   * Settles when every server has come up or failed, or the start timeout after the last was approved or not. Never
   * rejects for a server's sake.
   */
  static async start(configs: McpServerConfigs, options: McpServersOptions): Promise<McpServers> {
    checkOptions("McpServers.start", { configs }, { configs: required(OBJECT) });
    checkOptions("McpServers.start", options, SERVERS_OPTIONS);
    const { signal } = options;
    signal?.throwIfAborted();
    const servers = new McpServers(configs, options);
    const enough = new AbortController();
    // Closing settles the wait below.
    const giveUp = () => void servers.close();
    signal?.addEventListener("abort", giveUp, { once: true });
    const started = Promise.all(servers.#links().map((link) => link.start()));
    const timeout = servers.#startTimeoutMs(options, enough.signal).catch((error: unknown) => {
      if (!enough.signal.aborted) throw error;
    });
    try {
      await Promise.race([started, timeout]);
    } catch (error) {
      // `onLate` threw: nobody will have the servers to close them.
      await servers.close();
      throw error;
    } finally {
      enough.abort();
      signal?.removeEventListener("abort", giveUp);
    }
    if (signal?.aborted === true) await servers.close();
    signal?.throwIfAborted();
    return servers;
  }

  private constructor(configs: McpServerConfigs, options: McpServersOptions) {
    this.#servers = Object.entries(configs).map(([name, config]) => {
      const read = readConfig(name, config);
      return "status" in read ? read : this.#link(read, options);
    });
  }

  /** The tools of the servers that are there, or will be again. */
  tools(): readonly Tool[] {
    return [...this.#offered.values()];
  }

  /** Includes the tools of a failed server: a call of one reports the reason. */
  get(name: string): Tool | undefined {
    return this.#known.get(name);
  }

  /** Calls the listener on every change of tools or states. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  status(): readonly ServerStatus[] {
    return this.#servers.map((one) => (one instanceof ServerLink ? { server: one.name, ...one.state } : one));
  }

  /** Tries once more with a server that has failed or was not approved. False when there is none of that name. */
  async restart(server: string): Promise<boolean> {
    const link = this.#links().find(({ name }) => name === server);
    await link?.restart();
    return link !== undefined;
  }

  /** Ends all servers, with everything they started. */
  async close(): Promise<void> {
    this.#listeners.clear();
    await Promise.all(this.#links().map((link) => link.close()));
  }

  async #startTimeoutMs(
    { startTimeoutMs = START_TIMEOUT_MS, onLate }: McpServersOptions,
    signal: AbortSignal,
  ): Promise<void> {
    await Promise.all(this.#links().map((link) => link.untilDecided()));
    const untilLate = Math.min(LATE_AFTER_MS, startTimeoutMs);
    await setTimeout(untilLate, undefined, { signal });
    const left = startTimeoutMs - untilLate;
    if (left > 0) {
      onLate?.(this.#coming(), left);
      await setTimeout(left, undefined, { signal });
    }
  }

  #coming(): readonly string[] {
    return this.#links()
      .filter(({ state }) => isComing(state))
      .map(({ name }) => name);
  }

  #links(): readonly ServerLink[] {
    return this.#servers.filter((one) => one instanceof ServerLink);
  }

  #link({ name, config }: NamedConfig, options: McpServersOptions): ServerLink {
    const folder = options.cwd ?? process.cwd();
    const description = describeServer(config, folder);
    return new ServerLink({
      name,
      config,
      cwd: resolve(folder, "url" in config ? "." : (config.cwd ?? ".")),
      clientInfo: options.clientInfo ?? { name: "toolgate", version: "0" },
      startTimeoutMs: options.startTimeoutMs ?? START_TIMEOUT_MS,
      callTimeoutMs: options.callTimeoutMs ?? CALL_TIMEOUT_MS,
      maxCallTime: options.maxCallTime ?? MAX_CALL_TIME,
      fingerprint: (start) => fingerprint(config, folder, start),
      isApprovalLasting: () => isApprovalLasting(config, folder),
      approval: (seen) => {
        const isLasting = isApprovalLasting(config, folder);
        return approval({ name, fingerprint: seen, description, isLasting }, options.approve);
      },
      onChange: () => this.#changed(),
      onProblem: options.onProblem ?? (() => undefined),
    });
  }

  #changed(): void {
    const known = new Map<string, Tool>();
    const offered = new Map<string, Tool>();
    for (const { tools, state } of this.#links()) {
      const isThere = state.status === "ready" || state.status === "restarting";
      for (const tool of tools) {
        // Reached only by two names with the same hash: the first stays.
        if (known.has(tool.name)) continue;
        known.set(tool.name, tool);
        if (isThere) offered.set(tool.name, tool);
      }
    }
    this.#known = known;
    this.#offered = offered;
    for (const listener of this.#listeners) listener();
  }
}

const START_TIMEOUT_MS = 10_000;
const LATE_AFTER_MS = 1_000;
const CALL_TIMEOUT_MS = 60_000;
const MAX_CALL_TIME = 600_000;

type NamedConfig = { readonly name: string; readonly config: McpServerConfig };

/** The same strict reading for configurations that did not come from a file. */
function readConfig(name: string, { written, ...given }: McpServerConfig): NamedConfig | ServerStatus {
  try {
    return { name, config: { ...readServer(name, given), ...(written && { written }) } };
  } catch (error) {
    if (!(error instanceof McpConfigError)) throw error;
    return { server: oneLine(name, 128), status: "failed", reason: error.message };
  }
}

async function approval(
  server: ServerToApprove,
  approve: McpServersOptions["approve"],
): Promise<string | undefined> {
  try {
    const isApproved: unknown = await approve(server);
    if (isApproved === true) return undefined;
    return `nobody has approved that it ${server.description}. The server was not started.`;
  } catch (error) {
    const why = oneLine(errorMessage(error), 300);
    return `its approval could not be checked (${why}). The server was not started.`;
  }
}
