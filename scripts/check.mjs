// npm run check: everything that must be green before a commit, all of it run even when a part fails.
// With --static the tests are left out, for a caller that runs them anyway.
import { spawnSync } from "node:child_process";

const checks = [
  { name: "types", command: ["tsc", "--noEmit"] },
  { name: "types of the page", command: ["tsc", "--noEmit", "-p", "web"] },
  { name: "lint", command: ["oxlint", "--type-aware", "--deny-warnings"] },
  { name: "format", command: ["oxfmt", "--check", "."] },
  { name: "exports", command: ["publint", "--strict"] },
  { name: "unused", command: ["knip"] },
  { name: "words", command: ["node", "scripts/words.mjs"] },
  { name: "walk", command: ["node", "scripts/walk.mjs"] },
  { name: "tests", command: ["node", "scripts/test.mjs"] },
];

const wanted = process.argv.includes("--static") ? checks.filter(({ name }) => name !== "tests") : checks;
const failed = wanted.filter(({ name, command }) => {
  console.log(`\n== ${name}`);
  const [program, ...args] =
    command[0] === "node" ? [process.execPath, ...command.slice(1)] : ["npx", "--no-install", ...command];
  return spawnSync(program, args, { stdio: "inherit" }).status !== 0;
});
const names = failed.map(({ name }) => name).join(", ");
console.log(failed.length === 0 ? "\nAll checks passed." : `\nFailed: ${names}`);
process.exit(failed.length === 0 ? 0 : 1);
