/**
 * REPORT to apps: the Agent Application Protocol, version 3, over HTTP and server-sent events.
 *
 * What must stay true here: whatever is wrong with a request is found before a stream starts and before
 * anything counts; a call runs once, however often its grant is sent; a turn goes on when its client
 * hangs up; each stream ends with one `turn_stop`, and only `tool_use` leaves calls open. Of agents of ours the room
 * keeps no session of its own: all of it is in the log.
 */
export type { AgentOption, OptionValues } from "./sessions/agent-options.js";
export { createAapServer, DuplicateAgent } from "./server/create-aap-server.js";
export type { AapServer, AapServerOptions } from "./server/create-aap-server.js";
export { serveAap } from "./server/serve-aap.js";
export type { ServeOptions, Serving } from "./server/serve-aap.js";
export type { ExternalAgent, ExternalRequest, ServedAgent } from "./sessions/served-agent.js";
