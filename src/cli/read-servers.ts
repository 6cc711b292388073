/**
 * Reads the MCP servers from `mcp.json` of the user's settings and from the files of `--mcp`. A file with a mistake
 * starts nothing; the error names its line.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { McpServerConfigs } from "../mcp/index.js";
import { readJson, settingsFolder } from "../settings/index.js";
import type { AgentFlags } from "./commands/agent-options.js";
import { readText } from "./read-text.js";

/** Undefined when no server is configured. */
export async function readServers({
  mcp = [],
}: Pick<AgentFlags, "mcp">): Promise<McpServerConfigs | undefined> {
  const own = join(settingsFolder(), "mcp.json");
  const files = [...(existsSync(own) ? [own] : []), ...mcp.map((file) => resolve(file))];
  const read = await Promise.all(files.map(readFileOf));
  // When two servers have the same name, the later one wins.
  const servers = read.flatMap((configs) => Object.entries(configs));
  return servers.length === 0 ? undefined : Object.fromEntries(servers);
}

async function readFileOf(file: string): Promise<McpServerConfigs> {
  const json = readJson(await readText(file));
  if (!json.ok) throw broken(`${file}:${json.line}: ${json.what}. Nothing was started.`);
  // Loaded only when needed: it brings a client of its own.
  const { McpConfigError, readMcpConfig } = await import("../mcp/index.js");
  try {
    return readMcpConfig(json.value);
  } catch (error) {
    if (!(error instanceof McpConfigError)) throw error;
    throw broken(`${file}:${json.lineOf(error.path)}: ${error.message}`);
  }
}

const broken = (message: string): Error => Object.assign(new Error(message), { code: "MCP_CONFIG" });
