// The starter rules of a project: every rule that `toolgate rules suggest` offers for its files, with an empty record.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const STARTER_NAME = "all rules of `toolgate rules suggest` for the project's files";

const program = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

export function starterRules(folder, home) {
  const text = execFileSync(process.execPath, [program, "rules", "suggest", "--json"], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: home },
    encoding: "utf8",
  });
  return JSON.parse(text).suggestions.map(({ rule }) => rule);
}
