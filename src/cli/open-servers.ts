/**
 * The MCP servers of the user's settings (`mcp.json`), of `--mcp` and of the project (`.mcp.json`), as tools. A server
 * is started only when this exact configuration of it was approved for this folder; a person at the terminal is asked
 * once.
 */
import { createInterface } from "node:readline/promises";
import { oneLine, visibleText } from "../call/index.js";
import type { McpServerConfigs, McpServersOptions, ServerStatus, ServerToApprove } from "../mcp/index.js";
import { ApprovedServers, settingsFolder } from "../settings/index.js";
import type { AgentFlags } from "./commands/agent-options.js";
import { openLog } from "./open-log.js";
import type { LogFlags } from "./open-log.js";
import { packageVersion } from "./package-version.js";
import { readServers } from "./read-servers.js";
import { startServers } from "./start-servers.js";
import type { StartedServers } from "./start-servers.js";
import { note } from "./stderr.js";

/** Undefined when no server is configured. */
export async function openServers(
  flags: Pick<AgentFlags, "mcp"> & LogFlags,
  cwd: string,
  { mayAsk }: { readonly mayAsk: boolean },
): Promise<StartedServers | undefined> {
  const configs = await readServers({ ...flags, project: cwd });
  if (!configs) return undefined;
  const approved = new ApprovedServers(settingsFolder());
  let asked: Promise<unknown> = Promise.resolve();
  let mayAskNow = mayAsk;
  const unbound = new Set<string>();
  const approve = async (server: ServerToApprove): Promise<boolean> => {
    const { name, fingerprint, isLasting } = server;
    if (isLasting && approved.isApproved(name, fingerprint, cwd)) return true;
    if (!isLasting) unbound.add(name);
    if (!mayAskNow) return false;
    const answer = asked.then(() => isWanted(server));
    asked = answer.catch(() => undefined);
    if (!(await answer)) return false;
    if (isLasting) await approved.approve({ name, fingerprint, projectRoot: cwd, approvedAt: Date.now() });
    return true;
  };
  const opened = await startAndReport(configs, { approve, cwd }, flags);
  // From here on the turn uses the terminal.
  mayAskNow = false;
  for (const { server, status } of opened.servers.status()) {
    if (status === "not-approved" && !mayAsk)
      note(
        `the MCP server ${visibleText(server)} is not approved for ${visibleText(cwd)} and was not started. ${unbound.has(server) ? NAME_THE_SCRIPT : APPROVE_ONCE}`,
      );
  }
  return opened;
}

const APPROVE_ONCE = 'Approve it once in a terminal: toolgate run --mcp FILE "…"';
const NAME_THE_SCRIPT =
  "Files of this folder choose what it runs, so it needs approval at each start, in a terminal. Name its script instead (node server.mjs) to approve it once.";

/** Starts the servers and reports those that are missing. */
export async function startAndReport(
  configs: McpServerConfigs,
  options: Pick<McpServersOptions, "approve" | "cwd">,
  flags: LogFlags,
): Promise<StartedServers> {
  const opened = await startServers(configs, {
    ...options,
    clientInfo: { name: "toolgate", version: packageVersion() },
    onProblem: note,
    onLate: noteLate,
  });
  try {
    await noteUnreached(opened.servers.status(), flags);
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** A user who waits must know for which servers. */
function noteLate(servers: readonly string[], left: number): void {
  const names = servers.map((server) => visibleText(server)).join(", ");
  const who = servers.length === 1 ? `server ${names}` : `servers ${names}`;
  note(`waiting for the MCP ${who} to answer, for ${Math.round(left / 1000)} s more at most.`);
}

/** Reports missing servers: without a note, their tools would be missing silently. */
async function noteUnreached(servers: readonly ServerStatus[], flags: LogFlags): Promise<void> {
  for (const one of servers) {
    if (one.status !== "starting" && one.status !== "restarting" && one.status !== "failed") continue;
    const reason = "reason" in one ? one.reason : "it has not answered in time";
    // The reason may end with several lines of the server's last output, so it gets a line and its mark.
    const why = oneLine(reason.replaceAll(/\s+/g, " "), MAX_REASON_LENGTH).replace(/\.$/, "");
    note(`the MCP server ${visibleText(one.server)} could not be reached; continuing without it:\n${why}.`);
    const log = await openLog(flags);
    log?.to.warn(
      { server: log.redacted(one.server), error: log.redacted(reason) },
      "MCP server could not be reached",
    );
  }
}

const MAX_REASON_LENGTH = 600;

async function isWanted({ name, description, isLasting }: ServerToApprove): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // Readline would keep Ctrl-C from the process.
  terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  try {
    process.stdout.write(`MCP server ${visibleText(name)}: ${visibleText(description)}\n`);
    const answer = await terminal.question(
      isLasting
        ? "Start it here, now and later, as long as it stays as it is? [y]es, [n]o: "
        : "Start it here, this time only? Files of this folder choose what it runs. [y]es, [n]o: ",
    );
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
