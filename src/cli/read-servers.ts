/**
 * Reads the MCP servers from `mcp.json` of the user's settings, from the files of `--mcp` and from the project's
 * `.mcp.json`. A file of the user with a mistake starts nothing; the error names its line.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { McpServerConfigs } from "../mcp/index.js";
import { readJson, settingsFolder } from "../settings/index.js";
import type { AgentFlags } from "./commands/agent-options.js";
import { readText } from "./read-text.js";
import { note } from "./stderr.js";
import { errorMessage } from "../call/error-message.js";

/** The project's file, in the place and the format that other agents use. */
export const projectServerFile = (cwd: string): string => join(cwd, ".mcp.json");

/** Undefined when no server is configured. When servers have the same name, --mcp wins, then the user's settings. */
export async function readServers({
  mcp = [],
  project,
}: Pick<AgentFlags, "mcp"> & { readonly project?: string }): Promise<McpServerConfigs | undefined> {
  const own = join(settingsFolder(), "mcp.json");
  const files = [...(existsSync(own) ? [own] : []), ...mcp.map((file) => resolve(file))];
  const ofProject = project === undefined ? {} : await readProjectFile(project);
  const read = await Promise.all(files.map(readFileOf));
  const servers = [ofProject, ...read].flatMap((configs) => Object.entries(configs));
  return servers.length === 0 ? undefined : Object.fromEntries(servers);
}

/** Others wrote the project's file, perhaps for another agent: a mistake in it must not keep this one from working. */
async function readProjectFile(project: string): Promise<McpServerConfigs> {
  const file = projectServerFile(project);
  if (!existsSync(file)) return {};
  try {
    return await readFileOf(file);
  } catch (error) {
    note(`${errorMessage(error)} Continuing without the servers of this file.`);
    return {};
  }
}

async function readFileOf(file: string): Promise<McpServerConfigs> {
  const json = readJson(await readText(file));
  if (!json.ok) throw broken(`${file}:${json.line}: ${json.what}. Nothing was started.`);
  // Loaded only when needed: it brings a client of its own.
  const { McpConfigError, readMcpConfig } = await import("../mcp/index.js");
  try {
    return readMcpConfig(json.value, { variables: process.env });
  } catch (error) {
    if (!(error instanceof McpConfigError)) throw error;
    throw broken(`${file}:${json.lineOf(error.path)}: ${error.message}`);
  }
}

const broken = (message: string): Error => Object.assign(new Error(message), { code: "MCP_CONFIG" });
