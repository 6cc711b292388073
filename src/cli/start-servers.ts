/**
 * MCP servers, started so that none is left behind. Each runs as a group of its own, which no signal to us reaches, and
 * a process that a signal ends says no goodbye. So as long as there are servers, signals are heard here.
 *
 * What must stay true: a signal ends the start of servers, whoever else hears it; one that nobody else hears, between
 * two turns for one, ends the servers in order and then us; the second one leaves at once.
 */
import type { McpServerConfigs, McpServers, McpServersOptions } from "../mcp/index.js";
import { signalExitCode, exitNow, SIGNALS, noteStopping } from "./signals.js";

export type StartedServers = { readonly servers: McpServers; readonly close: () => Promise<void> };

const starting = new Set<AbortController>();
const started = new Set<StartedServers>();
let isLeaving = false;

/** Rejects with StoppedBySignal when a signal comes before they are up; none of them runs then. */
export async function startServers(
  configs: McpServerConfigs,
  options: McpServersOptions,
): Promise<StartedServers> {
  const start = new AbortController();
  if (starting.size + started.size === 0)
    // Before those who hear a signal only once, so that they are still to be seen.
    for (const signal of SIGNALS) process.prependListener(signal, hear);
  starting.add(start);
  try {
    const { McpServers } = await import("../mcp/index.js");
    const servers = await McpServers.start(configs, { ...options, signal: start.signal });
    const opened: StartedServers = {
      servers,
      close: async () => {
        await servers.close();
        started.delete(opened);
        hearNoMore();
      },
    };
    started.add(opened);
    return opened;
  } finally {
    starting.delete(start);
    hearNoMore();
  }
}

function hear(signal: NodeJS.Signals): void {
  const isOurs = starting.size > 0 || process.listenerCount(signal) === 1;
  const isSecond = isLeaving;
  // Also when somebody else ends us: they may be done with their part, and wait for the servers, at the next one.
  isLeaving = true;
  if (!isOurs) return;
  if (isSecond) exitNow(signal);
  noteStopping(signal);
  const exitCode = signalExitCode(signal);
  for (const start of starting) start.abort(new StoppedBySignal(signal, exitCode));
  // Whoever waits for the start hears of it, and ends.
  if (starting.size > 0) return;
  void Promise.allSettled([...started].map((one) => one.close())).then(() => process.exit(exitCode));
}

function hearNoMore(): void {
  if (starting.size + started.size > 0) return;
  for (const signal of SIGNALS) process.off(signal, hear);
}

/** Ends the command with the exit code that shells have for the signal. */
export class StoppedBySignal extends Error {
  readonly code = "STOPPED_BY_SIGNAL";
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals, exitCode: number) {
    super(`The MCP servers were not started: ${signal} came before they were up. Nothing was run.`);
    this.name = "StoppedBySignal";
    this.exitCode = exitCode;
  }
}
