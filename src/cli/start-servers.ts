/**
 * Starts MCP servers so that none outlives this process. Each runs in its own process group, which our signals do not
 * reach, and a process killed by a signal closes nothing. So this file handles signals as long as there are servers.
 *
 * Invariants: a signal aborts the start of servers, whatever other handlers do; a signal without another handler, between
 * two turns for example, stops the servers and then this process; a second signal exits at once.
 */
import type { McpServerConfigs, McpServers, McpServersOptions } from "../mcp/index.js";
import { signalExitCode, exitNow, SIGNALS, noteStopping } from "./signals.js";

export type StartedServers = { readonly servers: McpServers; readonly close: () => Promise<void> };

const starting = new Set<AbortController>();
const started = new Set<StartedServers>();
let isStopping = false;

/** Rejects with StoppedBySignal when a signal arrives before the servers are up; none of them runs then. */
export async function startServers(
  configs: McpServerConfigs,
  options: McpServersOptions,
): Promise<StartedServers> {
  const start = new AbortController();
  if (starting.size + started.size === 0)
    // Prepended: `once` handlers must still be registered when onSignal counts them.
    for (const signal of SIGNALS) process.prependListener(signal, onSignal);
  starting.add(start);
  try {
    const { McpServers } = await import("../mcp/index.js");
    const servers = await McpServers.start(configs, { ...options, signal: start.signal });
    const opened: StartedServers = {
      servers,
      close: async () => {
        await servers.close();
        started.delete(opened);
        removeHandlersIfIdle();
      },
    };
    started.add(opened);
    return opened;
  } finally {
    starting.delete(start);
    removeHandlersIfIdle();
  }
}

function onSignal(signal: NodeJS.Signals): void {
  const isOurs = starting.size > 0 || process.listenerCount(signal) === 1;
  const isSecond = isStopping;
  // Abort even when another handler stops the process: it may already wait for the servers when the next signal
  // arrives.
  isStopping = true;
  if (!isOurs) return;
  if (isSecond) exitNow(signal);
  noteStopping(signal);
  const exitCode = signalExitCode(signal);
  for (const start of starting) start.abort(new StoppedBySignal(signal, exitCode));
  // The caller of startServers gets the error and stops.
  if (starting.size > 0) return;
  void Promise.allSettled([...started].map((one) => one.close())).then(() => process.exit(exitCode));
}

function removeHandlersIfIdle(): void {
  if (starting.size + started.size > 0) return;
  for (const signal of SIGNALS) process.off(signal, onSignal);
}

/** Ends the command with the exit code of the signal. */
export class StoppedBySignal extends Error {
  readonly code = "STOPPED_BY_SIGNAL";
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals, exitCode: number) {
    super(`The MCP servers were not started: ${signal} came before they were up. Nothing was run.`);
    this.name = "StoppedBySignal";
    this.exitCode = exitCode;
  }
}
