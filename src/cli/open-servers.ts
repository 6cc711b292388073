/**
 * The MCP servers of the user's settings (`mcp.json`) and of `--mcp`, as tools. A server is started only when
 * this very configuration of it was approved for this folder; whoever sits at the terminal is asked once.
 */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { visibleText } from "../call/index.js";
import type { McpServerConfigs, McpServers, ServerToApprove } from "../mcp/index.js";
import { ApprovedServers, settingsFolder } from "../settings/index.js";
import { packageVersion } from "./package-version.js";
import { tell } from "./tell.js";

export type ServersFlags = { readonly mcp?: readonly string[] };

/** Undefined when none is configured. */
export async function openServers(
  { mcp = [] }: ServersFlags,
  cwd: string,
  { mayAsk }: { readonly mayAsk: boolean },
): Promise<McpServers | undefined> {
  const folder = settingsFolder();
  const own = join(folder, "mcp.json");
  const files = [...(existsSync(own) ? [own] : []), ...mcp.map((file) => resolve(file))];
  if (files.length === 0) return undefined;
  // Loaded where it is needed: it brings a client of its own.
  const { McpServers, readMcpConfig } = await import("../mcp/index.js");
  const configs: McpServerConfigs = Object.assign(
    {},
    ...files.map((file) => readMcpConfig(JSON.parse(readFileSync(file, "utf8")))),
  );
  if (Object.keys(configs).length === 0) return undefined;
  const approved = new ApprovedServers(folder);
  let asked: Promise<unknown> = Promise.resolve();
  const approve = async (server: ServerToApprove): Promise<boolean> => {
    const { name, fingerprint } = server;
    if (approved.isApproved(name, fingerprint, cwd)) return true;
    if (!mayAsk) return false;
    const answer = asked.then(() => isWanted(server));
    asked = answer.catch(() => undefined);
    if (!(await answer)) return false;
    await approved.approve({ name, fingerprint, projectRoot: cwd, approvedAt: Date.now() });
    return true;
  };
  const servers = await McpServers.start(configs, {
    approve,
    cwd,
    clientInfo: { name: "toolgate", version: packageVersion() },
    onProblem: tell,
    ...(mayAsk && { startTimeout: TIME_TO_ANSWER }),
  });
  for (const { server, status } of servers.status()) {
    if (status === "not-approved" && !mayAsk)
      tell(
        `the MCP server ${visibleText(server)} is not approved for ${visibleText(cwd)} and was not started. Approve it once in a terminal: toolgate run --mcp FILE "…"`,
      );
  }
  return servers;
}

/** Whoever is asked needs longer than a server. */
const TIME_TO_ANSWER = 120_000;

async function isWanted({ name, description }: ServerToApprove): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    process.stdout.write(`MCP server ${visibleText(name)}: ${visibleText(description)}\n`);
    const answer = await terminal.question(
      "Start it here, now and later, as long as it stays as it is? [y]es, [n]o: ",
    );
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
