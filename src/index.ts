/**
 * The front door for agent authors on Node: an agent from a model, tools and rules, its sessions, and
 * the gate alone for whoever has a loop of their own. What a call and a session are is behind
 * `toolgate/call`; the other doors hold the wires and the views.
 */
export * from "./agent/index.js";
export { MemoryLedger, openLedger } from "./history/index.js";
export * from "./model/index.js";
export * from "./policy/index.js";
export * from "./record/index.js";
export * from "./run/index.js";
export * from "./tools/index.js";
