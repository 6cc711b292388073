/**
 * Puts a ledger on the run's PostgreSQL server in the place of each `MemoryLedger` of a test, so that the journeys of AAP and
 * ACP run on it as they are: tests of such a project get `history-on-server.ts` for the room `history`.
 */
import { dirname, join, resolve } from "node:path";
import type { Plugin } from "vitest/config";
import { root } from "./child-programs.js";

const HISTORY = join(root, "src/history/index.js");
const ON_SERVER = join(root, "test/history-on-server.ts");

export const ledgersOnServer: Plugin = {
  name: "ledgers-on-server",
  enforce: "pre",
  resolveId: {
    // Before the sources as plain JavaScript.
    order: "pre",
    handler: (name, importer) =>
      importer !== undefined &&
      importer !== ON_SERVER &&
      dirname(importer) === join(root, "test") &&
      resolve(dirname(importer), name) === HISTORY
        ? ON_SERVER
        : undefined,
  },
};
