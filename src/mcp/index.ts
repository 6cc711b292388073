/**
 * CONNECT foreign tools: MCP servers over stdio, streamable HTTP and SSE, as tools of ours.
 *
 * Invariants: a server starts only when its exact configuration is approved, and without a shell; its own descriptions
 * are shown and never trusted; its use of memory, time and log lines is bounded; a failing server fails its own calls,
 * with a message, and no others; rules name a tool by its server's name and its own, whatever the model calls it.
 */
export { McpConfigError, readMcpConfig } from "./config.js";
export type { HttpServerConfig, McpServerConfig, McpServerConfigs, StdioServerConfig } from "./config.js";
export { mcpConfigFromAcp } from "./mcp-config-from-acp.js";
export type { ClientInfo } from "./connection.js";
export { McpServers } from "./mcp-servers.js";
export type { McpServersOptions, ServerStatus, ServerToApprove } from "./mcp-servers.js";
export type { ServerState } from "./server-state.js";
