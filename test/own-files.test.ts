/**
 * Toolgate's own token, keys, grants and settings reach no agent, whatever the workspace is: not in the mode that allows
 * everything, not by a rule, and not by a file tool that somebody says yes to. The folder has a name of its own here, so
 * that no list of well-known names helps.
 */
import { chmodSync, existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SessionEvent } from "../src/call/index.js";
import { atHome, command } from "./cli-kit.js";
import type { Home } from "./cli-kit.js";

const MARK = "own-content-4711";
const ALLOW_ALL = {
  rules: [
    { allow: "*", reason: `${MARK}-reason` },
    { allow: "read", path: "/**" },
  ],
};

const IN_ALLOW_ALL = ["run", "--json", "--mode", "allow-all", "--cwd"];

async function aHome(): Promise<Home> {
  const at = await atHome({
    token: `${MARK}-token-of-the-server\n`,
    "keys.json": { anthropic: `${MARK}-key` },
    "rules.json": ALLOW_ALL,
  });
  for (const name of ["token", "keys.json"]) chmodSync(join(at.settings, name), 0o600);
  symlinkSync(join(at.settings, "token"), join(at.home, "link"));
  return at;
}

/** Each way to the content, by the place of the settings as the workspace sees it. */
const ways = (settings: string, seen: string) => [
  { tool: "read_file", input: { path: join(settings, "token") } },
  { tool: "read_file", input: { path: `${seen}keys.json` } },
  { tool: "read_file", input: { path: `${seen}rules.json` } },
  { tool: "list_directory", input: { path: settings } },
  { tool: "grep", input: { pattern: MARK } },
  { tool: "grep", input: { pattern: "anthrop.c|re.son", path: settings } },
  ...[
    `cat ${seen}token`,
    `cat ${settings}/keys.json`,
    `cd ${settings} && cat token`,
    `cat < ${seen}token`,
    `echo $(<${seen}token)`,
    `cat ${seen}tok*`,
    `head -n 5 ${seen}*`,
    "grep -r own-content .",
    "find . -type f -exec cat {} +",
    "find . -name token -print0 | xargs -0 cat",
    `cp ${seen}token copied && cat copied`,
    `sed -n 1p ${seen}token`,
    `awk 1 ${seen}keys.json`,
    `jq . ${seen}keys.json`,
    `git diff --no-index /dev/null ${seen}token`,
    `node -e 'console.log(fs.readFileSync("${settings}/token", "utf8"))'`,
    `sh -c 'node -e "console.log(fs.readFileSync(process.argv[1], \\"utf8\\"))" ${settings}/token'`,
    `node <<< 'console.log(fs.readFileSync("${settings}/keys.json", "utf8"))'`,
  ].map(command),
];

/** The content that calls brought, not the words they were asked with. */
function broughtBy(stdout: string): string {
  const events = stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as SessionEvent);
  const OUTPUT = new Set(["terminal-output", "content-appended", "call-done"]);
  return JSON.stringify(events.filter(({ type }) => OUTPUT.has(type)));
}

describe.each([
  ["the settings folder", ({ settings }: Home) => settings, ""],
  ["the folder above it", ({ home }: Home) => join(home, "config"), "toolgate/"],
  ["the home folder", ({ home }: Home) => home, "config/toolgate/"],
])("in %s as the workspace", (_, workspaceOf, seen) => {
  test("nothing of it is printed in the mode that allows everything", async () => {
    const at = await aHome();
    const steps = ways(at.settings, seen).map((call) => ({ calls: [call] }));
    const script = at.script([...steps, { say: "The end." }]);
    const { stdout, status } = await at.runHere([...IN_ALLOW_ALL, workspaceOf(at), "--script", script, "go"]);
    expect(status).toBe(0);
    expect(stdout).toContain('"stopReason":"end_turn"');
    expect(broughtBy(stdout)).not.toContain(`${MARK}-`);
    expect(existsSync(join(workspaceOf(at), "copied"))).toBe(false);
  });
});

test("a file tool is refused also where somebody could say yes, and the reason names the file", async () => {
  const at = await aHome();
  const script = at.script([
    { calls: [{ tool: "read_file", input: { path: join(at.settings, "token") } }] },
    { calls: [{ tool: "read_file", input: { path: join(at.home, "link") } }] },
    { say: "The end." },
  ]);
  const { stdout } = await at.runHere([
    "run",
    "--json",
    "--mode",
    "ask",
    "--cwd",
    at.home,
    "--script",
    script,
    "go",
  ]);
  expect(stdout).not.toContain('"type":"question-asked"');
  expect(
    stdout.match(/This is Toolgate's own data, which no tool may read or change\./g)?.length,
  ).toBeGreaterThan(1);
});

test("commands that read nothing of it run as before", async () => {
  const at = await aHome();
  const script = at.script([
    { calls: [command("ls; echo *; cat not-there.txt; grep -r walnut project")] },
    { say: "End." },
  ]);
  const { stdout } = await at.runHere([...IN_ALLOW_ALL, at.project, "--script", script, "go"]);
  expect(stdout).toContain('"type":"call-done"');
});
