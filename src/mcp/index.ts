/**
 * Foreign tools in: MCP servers, over stdio, streamable HTTP and SSE, as tools of ours.
 *
 * What must stay true here: a server is started only when its very configuration is approved, and by no
 * shell; what it says of itself is shown and never believed; it gets no more of our memory, time or
 * attention than its bounds; a server in trouble fails its own calls in words and no one else's; rules
 * speak of a tool by its server's name and its own, whatever the model calls it.
 */
export { McpConfigError, readMcpConfig } from "./config.js";
export type { HttpServerConfig, McpServerConfig, McpServerConfigs, StdioServerConfig } from "./config.js";
export { mcpConfigFromAcp } from "./config-from-acp.js";
export type { ClientInfo } from "./connection.js";
export { McpServers } from "./mcp-servers.js";
export type { McpServersOptions, ServerStatus, ServerToApprove } from "./mcp-servers.js";
export type { ServerState } from "./server-state.js";
