// npm run check: everything that must be green before a commit, all of it run even when a part fails.
import { spawnSync } from "node:child_process";

const checks = [
  ["types", "tsc", ["--noEmit"]],
  ["lint", "oxlint", ["--type-aware", "--deny-warnings"]],
  ["format", "oxfmt", ["--check", "."]],
  ["exports", "publint", ["--strict"]],
  ["unused", "knip", []],
  ["tests", "vitest", ["run"]],
];

const failed = checks.filter(([name, tool, args]) => {
  console.log(`\n== ${name}`);
  return spawnSync("npx", ["--no-install", tool, ...args], { stdio: "inherit" }).status !== 0;
});
console.log(failed.length === 0 ? "\nAll checks passed." : `\nFailed: ${failed.map(([name]) => name).join(", ")}`);
process.exit(failed.length === 0 ? 0 : 1);
