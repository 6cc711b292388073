/**
 * OUR API for the page: sessions of all doors, questions, calls, history, rules and devices over HTTP, beside AAP.
 *
 * Invariants: everything that it shows is read from the ledger, the archive and the settings, and everything that it does
 * goes through the rooms that own it, so that there is no second truth; only a device with the right role does anything.
 */
export * from "./api/index.js";
