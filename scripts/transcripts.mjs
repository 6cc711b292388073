// Updates the transcripts and the help of commands in the docs by running the commands (test/transcript-kit.ts). With --check it only
// says whether they are fresh.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const isCheck = process.argv.includes("--check");
const env = { ...process.env, ...(!isCheck && { TRANSCRIPTS: "write" }) };
const steps = [
  [process.execPath, ["scripts/ready.mjs"]],
  [
    "npx",
    [
      "--no-install",
      "vitest",
      "run",
      "test/transcripts.test.ts",
      "test/chat.test.ts",
      "test/commands.test.ts",
    ],
  ],
  // Pages are formatted like all else; what stands in a fence is left as it is.
  ["npx", ["--no-install", "oxfmt", ...(isCheck ? ["--check"] : []), "docs"]],
];
for (const [command, words] of steps) {
  const { status } = spawnSync(command, words, { cwd: root, env, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
