import { defineConfig } from "vitest/config";

/** The long mode (`npm run test:long`): every case where the short one takes a sample, and many more random ones. */
const LONG = {
  TOOLGATE_LONG: "1",
  TOOLGATE_RUNS: process.env["TOOLGATE_RUNS"] ?? "5000",
};

export default defineConfig(({ mode }) => {
  const isLong = mode === "long";
  return {
    test: {
      include: ["src/**/*.test.ts", "test/**/*.test.ts"],
      setupFiles: ["test/setup.ts"],
      env: isLong ? LONG : {},
      // Test files share a worker's modules: loading them anew for each file took longer than most files' tests.
      isolate: false,
      // Many tests wait for processes of their own: more files at a time than the two cores of a small machine.
      maxWorkers: 3,
      // Limits for tests that hang, not for slow ones: property tests and child processes share the cores.
      testTimeout: isLong ? 3_600_000 : 180_000,
      hookTimeout: 120_000,
      expect: { poll: { timeout: 60_000, interval: 10 } },
      reporters: process.env["CI"] ? ["default", "./scripts/count-line.mjs"] : ["default"],
    },
  };
});
