import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import type { TestProjectConfiguration } from "vitest/config";
import SlowFirst, { PURE_ROOMS } from "./scripts/slow-first.js";
import { ledgersOnServer } from "./test/ledgers-on-server.js";
import { PLAIN_MODULES, plainSources } from "./test/plain-sources.js";

/** The long mode (`npm run test:long`): every case where the short one takes a sample, and many more random ones. */
const LONG = {
  TOOLGATE_LONG: "1",
  TOOLGATE_RUNS: process.env["TOOLGATE_RUNS"] ?? "5000",
};

/** The program starts with a home of its own in most tests; its compiled code is the same in all of them. */
const CODE_CACHE = {
  TOOLGATE_CODE_CACHE: fileURLToPath(new URL("node_modules/.toolgate-code-cache", import.meta.url)),
};

/** The set-up writes the plain sources once, so a run that watches for changes must read the sources themselves. */
const ONE_RUN = process.argv.includes("run");

/** Files that measure the memory of their process, so each gets one of its own. */
const OWN_PROCESS = [
  "src/run/output-stream.test.ts",
  "src/tools/built-in/fetch.test.ts",
  "src/tools/local-workspace.test.ts",
  "src/tools/run-command.test.ts",
  "test/aap-security.test.ts",
  "test/aap-slow-readers.test.ts",
  "test/acp-listen.test.ts",
  "test/attacks.test.ts",
];

/**
 * Tests that start no program. They need much memory, and each start of a program by a large process costs more: the kernel
 * copies its table of pages. So they run after the others, in new processes.
 */
const PURE = [
  "src/call/**/*.test.ts",
  "src/policy/**/*.test.ts",
  "src/view/**/*.test.ts",
  "web/**/*.test.ts",
];

/** The contract of ledgers once more, behind a program that is not installed for the short mode; and a second server. */
const LONG_ONLY = ["src/history/postgres/pgbouncer.test.ts", "test/postgres-failover.test.ts"];

const PAGE_DOORS = ["call", "view"].map((door) => ({
  find: `toolgate/${door}`,
  replacement: fileURLToPath(new URL(`src/${door}/index.ts`, import.meta.url)),
}));

/** The journeys of AAP and ACP once more, on the run's PostgreSQL server: a sample of them, and all in the long mode. */
const JOURNEYS = ["test/aap*.test.ts", "test/acp*.test.ts"];
const SOME_JOURNEYS = ["test/aap-flows.test.ts", "test/acp-agent.test.ts", "test/acp-v2.test.ts"];

/** Nothing but the journeys, all of them. */
const isOnPostgres = process.env["TOOLGATE_TEST_LEDGER"] === "postgres";

const projectsOf = (isLong: boolean): TestProjectConfiguration[] => [
  { extends: true, test: { name: "own process", include: OWN_PROCESS } },
  {
    extends: true,
    test: {
      name: "shared process",
      include: ["src/**/*.test.ts", "test/**/*.test.ts"],
      exclude: [...OWN_PROCESS, ...PURE, ...(isLong ? [] : LONG_ONLY)],
      // Loading every module again for each file took longer than the tests of most files.
      isolate: false,
    },
  },
  { extends: true, test: { name: PURE_ROOMS, include: PURE, isolate: false } },
];

export default defineConfig(({ mode }) => {
  const isLong = mode === "long";
  return {
    // Tests of the page read the sources behind its doors, not the built ones.
    resolve: { alias: PAGE_DOORS },
    plugins: ONE_RUN ? [plainSources] : [],
    test: {
      server: { deps: { external: [PLAIN_MODULES] } },
      // Transformed tests stay on disk for the next run.
      experimental: { fsModuleCache: true },
      globalSetup: ["test/plain-sources.ts", "test/build-child-programs.ts", "test/postgres-setup.ts"],
      setupFiles: ["test/setup.ts"],
      env: { ...CODE_CACHE, ...(isLong && LONG) },
      projects: [
        {
          extends: true,
          plugins: [ledgersOnServer],
          test: {
            name: "on postgres",
            include: isLong || isOnPostgres ? JOURNEYS : SOME_JOURNEYS,
            setupFiles: ["test/on-postgres.ts"],
            env: { TOOLGATE_TEST_LEDGER: "postgres" },
          },
        },
        ...(isOnPostgres ? [] : projectsOf(isLong)),
      ],
      // Many tests wait for processes of their own: more files at a time than the two cores of a small machine.
      maxWorkers: 6,
      sequence: { sequencer: SlowFirst },
      // Limits for tests that hang, not for slow ones: property tests and child processes share the cores.
      testTimeout: isLong ? 3_600_000 : 180_000,
      hookTimeout: 120_000,
      expect: { poll: { timeout: 60_000, interval: 10 } },
      reporters: process.env["CI"] ? ["default", "./scripts/count-line.mjs"] : ["default"],
    },
  };
});
