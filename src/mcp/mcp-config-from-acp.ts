/** Converts the MCP servers of an ACP `session/new` to our configuration. ACP sends names and values as lists. */
import { z } from "zod";
import { checkOptions, LIST, required } from "../call/check-options.js";
import { McpConfigError, readServer } from "./config.js";
import type { McpServerConfig, McpServerConfigs } from "./config.js";

const namedValues = z
  .array(z.object({ name: z.string(), value: z.string() }))
  .nullish()
  .transform((values) => Object.fromEntries((values ?? []).map(({ name, value }) => [name, value])));

/** The part of ACP's `McpServer` that is read here; stdio servers have no type there. Null means none. */
const acpServer = z.union([
  z.object({ type: z.enum(["http", "sse"]), name: z.string(), url: z.string(), headers: namedValues }),
  z.object({
    type: z.literal("stdio").optional(),
    name: z.string(),
    command: z.string(),
    args: z
      .array(z.string())
      .nullish()
      .transform((args) => args ?? []),
    env: namedValues,
  }),
]);

/** Throws McpConfigError, also when two servers share a name. `cwd` is the session's folder, where they run. */
export function mcpConfigFromAcp(
  servers: readonly unknown[],
  { cwd }: { readonly cwd?: string } = {},
): McpServerConfigs {
  checkOptions("mcpConfigFromAcp", { servers }, { servers: required(LIST) });
  const configs = new Map<string, McpServerConfig>();
  for (const [index, json] of servers.entries()) {
    const read = acpServer.safeParse(json);
    if (!read.success)
      throw new McpConfigError(
        `MCP server ${index + 1} is not described as ACP does: a name and a command, or a name, a type and a URL. None was started.`,
      );
    const { name } = read.data;
    if (configs.has(name)) {
      throw new McpConfigError(
        `Two MCP servers are named ${JSON.stringify(name)}. Rules name servers, so none was started. Give each its own name.`,
      );
    }
    configs.set(name, readServer(name, configOf(read.data, cwd)));
  }
  return Object.fromEntries(configs);
}

function configOf(server: z.output<typeof acpServer>, cwd: string | undefined): McpServerConfig {
  if ("url" in server) return { type: server.type, url: server.url, headers: server.headers };
  const { command, args, env } = server;
  return { command, args, env, ...(cwd !== undefined && { cwd }) };
}
