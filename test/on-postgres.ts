/** Closes the ledgers of a test file that stand in the place of those in memory. */
import { afterAll } from "vitest";
import { closeLedgers } from "./ledger-on-server.js";

afterAll(closeLedgers);
