/** Settings with a mistake, as whoever wrote them hears of it: before anything is done. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { atHome, command } from "./cli-kit.js";
import type { Home } from "./cli-kit.js";

const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

const MISSPELLED = { mode: "aks", rules: [] };

const steps = [{ say: "I will look around.", calls: [command("true")] }, { say: "Done." }];

/** Both streams in one pipe, as a log of a build has them. */
function inOnePipe({ home, project }: Home, words: readonly string[]): string {
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: join(home, "config"), XDG_STATE_HOME: home };
  const line = ["sh", "-c", '"$@" 2>&1', "sh", process.execPath, main, ...words];
  return spawnSync("env", ["-u", "TOOLGATE_CONFIG", ...line], { cwd: project, env, encoding: "utf8" }).stdout;
}

test("a mistake in rules is told before the agent says a word", async () => {
  const at = await atHome({ "rules.json": MISSPELLED });
  const all = inOnePipe(at, ["run", "--script", at.script(steps), "go"]);
  expect(all.split("\n")[0]).toBe(
    `toolgate: ${join(at.settings, "rules.json")}:1: "mode": it must be one of "ask", "accept-edits", "read-only", "allow-all". Correct it. No rule of this file was taken.`,
  );
  expect(all.split("No rule of this file was taken.")).toHaveLength(2);
  expect(all).toContain("I will look around.\n\n");
});

test("what is told while the agent speaks has a line of its own where both are read together", async () => {
  const at = await atHome({ "rules.json": { mode: "allow-all", rules: [] } });
  const words = ["run", "--script", at.script(steps), "go"];
  expect(inOnePipe(at, words)).toContain("I will look around.\n\ntoolgate: the mode is allow-all: ");
});
