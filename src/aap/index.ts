/**
 * REPORT to apps: the Agent Application Protocol, version 3, over HTTP and server-sent events.
 *
 *   api/       endpoints and their schemas, the OpenAPI document
 *   server/    HTTP: routes, metrics, writing responses
 *   sessions/  settings, list, history and questions of sessions
 *   turns/     the turn engine; `turn-host.ts` is the difference between our own agents and external ones
 *   stream/    recorded events as a stream, live and from the log
 *   client/    a client for browsers and Node; a door of its own
 *
 * Invariants: the server finds an error in a request before it starts a stream or counts anything; a call runs once,
 * however often its grant is sent; a turn continues when its client hangs up; each stream ends with one `turn_stop`, and
 * only `tool_use` leaves calls open. Sessions of our own agents have no state here: all is in the log.
 */
export type { AgentOption, OptionValues } from "./sessions/agent-options.js";
export { createAapServer, DuplicateAgent } from "./server/create-aap-server.js";
export type { AapServer, AapServerOptions } from "./server/create-aap-server.js";
export { serveAap } from "./server/serve-aap.js";
export type { ServeOptions, Serving } from "./server/serve-aap.js";
export type { ExternalAgent, ExternalRequest, ServedAgent } from "./sessions/served-agent.js";
