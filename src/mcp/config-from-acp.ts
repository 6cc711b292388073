/** The MCP servers of an ACP `session/new`, as ours. ACP gives names and values as lists. */
import { McpConfigError, readServer } from "./config.js";
import type { McpServerConfig, McpServerConfigs } from "./config.js";

type NamedValue = { readonly name: string; readonly value: string };

/** The part of ACP's `McpServer` that is read here; stdio servers have no type there. */
export type AcpMcpServer =
  | {
      readonly type?: "stdio";
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: readonly NamedValue[];
    }
  | {
      readonly type: "http" | "sse";
      readonly name: string;
      readonly url: string;
      readonly headers: readonly NamedValue[];
    };

/** Throws McpConfigError, also when two servers share a name. `cwd` is the session's folder, where they run. */
export function mcpConfigFromAcp(
  servers: readonly AcpMcpServer[],
  { cwd }: { readonly cwd?: string } = {},
): McpServerConfigs {
  const configs = new Map<string, McpServerConfig>();
  for (const server of servers) {
    if (configs.has(server.name)) {
      throw new McpConfigError(
        `Two MCP servers are named ${JSON.stringify(server.name)}. Rules speak of servers by name, so none was started. Give each its own name.`,
      );
    }
    configs.set(server.name, readServer(server.name, configOf(server, cwd)));
  }
  return Object.fromEntries(configs);
}

function configOf(server: AcpMcpServer, cwd: string | undefined): McpServerConfig {
  if ("url" in server) {
    return { type: server.type, url: server.url, headers: textsOf(server.headers) };
  }
  const { command, args, env } = server;
  return { command, args, env: textsOf(env), ...(cwd !== undefined && { cwd }) };
}

const textsOf = (values: readonly NamedValue[]) =>
  Object.fromEntries(values.map(({ name, value }) => [name, value]));
