/**
 * The front door for agent authors on Node: an agent from a model, tools and rules, its sessions, and
 * the gate alone for authors with a loop of their own. The types of calls and sessions are in
 * `toolgate/call`; the other doors have the protocols and the views.
 */
export * from "./agent/index.js";
export { MemoryLedger, openLedger } from "./history/index.js";
export * from "./model/index.js";
export * from "./policy/index.js";
export * from "./record/index.js";
export * from "./run/index.js";
export * from "./tools/index.js";
