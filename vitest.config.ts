import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    setupFiles: ["test/setup.ts"],
    // Many tests wait for processes of their own: two files at a time, also where there are only two cores.
    maxWorkers: 2,
    // Property tests and child processes share those cores, so these are for what hangs and not for what is slow.
    testTimeout: 60_000,
    hookTimeout: 30_000,
    reporters: process.env["CI"] ? ["default", "./scripts/count-line.mjs"] : ["default"],
  },
});
