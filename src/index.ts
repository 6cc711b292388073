/**
 * The front door for agent authors on Node: what a tool call and a session are, and a ledger to
 * remember them in. The other doors (`toolgate/call`, `/acp`, `/history`, `/view`) hold the parts.
 */
export * from "./call/index.js";
export { MemoryLedger } from "./history/index.js";
