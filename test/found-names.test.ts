/**
 * Names that one command finds and another one reads: none leads out of the workspace unasked, whatever a file in the
 * workspace holds, where a link leads, and which names git's index has.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atHome, command } from "./cli-kit.js";

const SECRET = "outside-content-4711";
const INSIDE = "inside-content-4711";

const LEADS_OUT = [
  // The pattern is "l", and the lines that hold it are no names.
  "grep -rhel lines | xargs cat",
  "grep -rhe -l lines | xargs cat",
  "grep -lrh --max-count 1 --only-matching -e x -c lines | xargs cat",
  // The tests of find hold for some of the names only.
  "find links -type f -o -type l | xargs cat",
  "find links -name '-type f' -o -name '*.md' | xargs cat",
  "find links ! -type f -print | xargs cat",
  "find links -print -type f | xargs cat",
  "find links \\( -type f -o -type l \\) -exec cat {} +",
  "find links -exec cat {} + -type f",
  "find links ! \\( -type f \\) -exec cat {} \\;",
  "find . -not -path './node_modules/x/*' -name '*.md' | xargs cat",
  // The index has names that are not on the disk.
  "git ls-files | xargs cat",
  "git ls-files '*.txt' | xargs head -n 1",
  "git ls-files -z index | xargs cat",
];

const STAYS = [
  "grep -rl inside lines | xargs cat",
  "find plain -type f | xargs cat",
  "find plain -type f -name '*.txt' -exec cat {} +",
  "git ls-files -z plain | xargs -0 cat",
];

test("asks when a name that a command finds could lead another out of the workspace", async () => {
  const at = await atHome({});
  const outside = join(at.home, "outside.txt");
  writeFileSync(outside, `${SECRET}\n`);
  const put = (name: string, text: string): void => {
    mkdirSync(join(at.project, name, ".."), { recursive: true });
    writeFileSync(join(at.project, name), text);
  };
  put("lines/a.txt", `inside\n${outside} l -l\n`);
  put("plain/a.txt", `${INSIDE}\n`);
  put("links/a.md", `${INSIDE}\n`);
  put("node_modules/y/a.md", `${INSIDE}\n`);
  symlinkSync(outside, join(at.project, "links/l.md"));
  symlinkSync(outside, join(at.project, "node_modules/y/l.md"));
  const git = (...words: string[]): string =>
    execFileSync("git", ["-C", at.project, ...words], { encoding: "utf8" }).trim();
  git("init", "-q");
  git("add", "plain");
  const blob = git("hash-object", "-w", "plain/a.txt");
  git("update-index", "--add", "--cacheinfo", `100644,${blob},index ${outside}`);
  const run = async (texts: readonly string[]): Promise<string> => {
    const script = at.script([...texts.map((text) => ({ calls: [command(text)] })), { say: "The end." }]);
    const words = ["run", "--json", "--no-contain", "--mode", "ask", "--cwd", at.project];
    const { stdout } = await at.runHere([...words, "--script", script, "go"]);
    expect(stdout).toContain('"stopReason":"end_turn"');
    return stdout;
  };
  expect(await run(LEADS_OUT)).not.toContain(SECRET);
  expect((await run(STAYS)).split(INSIDE).length).toBeGreaterThan(STAYS.length - 1);
});
