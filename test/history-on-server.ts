/** The room `history` with ledgers on the run's server for those in memory: see ledgers-on-server.ts. */
export * from "../src/history/index.js";
export { MemoryLedger } from "./ledger-on-server.js";
