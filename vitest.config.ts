import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    setupFiles: ["test/setup.ts"],
    // Property tests and child processes share two cores on a small machine.
    testTimeout: 30_000,
    reporters: process.env["CI"] ? ["default", "./scripts/count-line.mjs"] : ["default"],
  },
});
