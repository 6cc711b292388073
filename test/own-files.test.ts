/**
 * Toolgate's own token, keys, grants and settings reach no agent, whatever the workspace is: not in the mode that allows
 * everything, not by a rule, and not by a file tool that somebody says yes to. The folder has a name of its own here, so
 * that no list of well-known names helps.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
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
    `cat $(echo ${settings}/token)`,
    `echo ${settings}/token | xargs cat`,
    `x=$(printf %s ${settings}); cat $x/token`,
    `HOME=${settings}; cat ~/token`,
    `echo "cat ${settings}/token" > made.sh; sh made.sh`,
    `cat $(find ${join(settings, "..", "..")} -name token)`,
    "cat $XDG_CONFIG_HOME/toolgate/token",
    "cat $XDG_CONFIG_HOME/toolgate/*",
    'cat "$XDG_CONFIG_HOME/toolgate/keys.json"',
    "cat ${XDG_CONFIG_HOME}/toolgate/keys.json",
    "cat ${XDG_CONFIG_HOME:-$HOME/.config}/toolgate/keys.json",
    'cat "${XDG_NO_SUCH_HOME:-$HOME/config}"/toolgate/keys.json',
    'for x in "$XDG_CONFIG_HOME"; do cat "$x/toolgate/token"; done',
    "cd $XDG_CONFIG_HOME && cat toolgate/token",
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
  test("prints none of Toolgate's own files in the mode that allows everything", async () => {
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

/** Ways through a name in the workspace, none of which asks for a question by itself. */
const throughNames = (names: readonly string[]) => [
  ...names.map((path) => ({ tool: "read_file", input: { path } })),
  { tool: "grep", input: { pattern: MARK, path: "." } },
  { tool: "grep", input: { pattern: MARK, path: names[0] } },
  ...names.map((path) => command(`cat ${path}`)),
  ...names.map((path) => command(`head -n 1 < ${path}`)),
  command("cat *"),
  command("cat */*"),
  command("grep -r own-content ."),
  command("find . -type f -exec cat {} +"),
];

test.each(["ask", "allow-all"])(
  "never prints Toolgate's own files through a hard link in the workspace in the mode %s",
  async (mode) => {
    const at = await aHome();
    mkdirSync(join(at.project, "deep"));
    linkSync(join(at.settings, "token"), join(at.project, "hard.txt"));
    linkSync(join(at.settings, "keys.json"), join(at.project, "deep", "hard.json"));
    writeFileSync(join(at.project, "plain.txt"), "a plain-text file\n");
    const calls = [...throughNames(["hard.txt", "deep/hard.json"]), command("cat plain.txt")];
    const script = at.script([...calls.map((call) => ({ calls: [call] })), { say: "The end." }]);
    const words = ["run", "--json", "--no-contain", "--mode", mode, "--cwd", at.project];
    const { stdout } = await at.runHere([...words, "--script", script, "go"]);
    expect(stdout).toContain('"stopReason":"end_turn"');
    expect(broughtBy(stdout)).not.toContain(`${MARK}-`);
    // Files beside it are read as before.
    expect(broughtBy(stdout)).toContain("plain-text");
  },
);

/** A namespace of its own, so that the mount ends with the program. */
const inMounts = ["unshare", "--mount", "--propagation", "private", "sh", "-c"] as const;
const canMount =
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  spawnSync(inMounts[0], [...inMounts.slice(1), "true"]).status === 0;

test.skipIf(!canMount)(
  "never prints Toolgate's own files through a folder that is mounted twice",
  async () => {
    const at = await aHome();
    mkdirSync(join(at.project, "bind folder"));
    mkdirSync(join(at.project, "sub"));
    writeFileSync(join(at.project, "file.txt"), "");
    const names = ["bind\\ folder/token", "bind\\ folder/keys.json", "sub/toolgate/token", "file.txt"];
    const calls = [
      ...throughNames(names.map((name) => name.replace("\\", ""))).filter(({ tool }) => tool !== "terminal"),
      ...throughNames(names).filter(({ tool }) => tool === "terminal"),
      { tool: "list_directory", input: { path: "bind folder" } },
    ];
    const script = at.script([...calls.map((call) => ({ calls: [call] })), { say: "The end." }]);
    const main = join(import.meta.dirname, "..", "dist", "cli", "main.js");
    const words = [main, "run", "--json", "--no-contain", "--cwd", at.project, "--script", script, "go"];
    const own = { PATH: process.env["PATH"], HOME: at.home, XDG_CONFIG_HOME: join(at.home, "config") };
    const mounts = `mount --bind "$S" "$P/bind folder" && mount --bind "$S/.." "$P/sub" && mount --bind "$S/token" "$P/file.txt"`;
    const { stdout } = spawnSync(
      inMounts[0],
      [...inMounts.slice(1), `${mounts} && exec node "$@"`, "sh", ...words],
      {
        cwd: at.project,
        env: { ...own, S: at.settings, P: at.project },
        encoding: "utf8",
      },
    );
    expect(stdout).toContain('"stopReason":"end_turn"');
    expect(broughtBy(stdout)).not.toContain(`${MARK}-`);
    expect(readFileSync(join(at.project, "file.txt"), "utf8")).toBe("");
  },
);

test.runIf(process.platform === "linux")(
  "the variables of Toolgate's own process are not printed in the mode that allows everything",
  async () => {
    const at = await aHome();
    const calls = [
      ...["self", "thread-self", "1", String(process.pid)].map((id) => ({
        tool: "read_file",
        input: { path: `/proc/${id}/environ` },
      })),
      { tool: "grep", input: { pattern: MARK, path: "/proc/self/environ" } },
      ...[
        "cat /proc/$PPID/environ",
        "cat /proc/${PPID}/environ | tr '\\0' '\\n'",
        'cat "/proc/$PPID/environ"',
        "strings /proc/$PPID/environ",
        "xargs -0 -n1 < /proc/$PPID/environ",
        "tr '\\0' '\\n' < /proc/$PPID/environ",
        "cat /proc/$PPID/task/$PPID/environ",
        "cat /proc/$PPID/e*",
        "cat /proc/$PPID/environ*",
        "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -a 4711",
        "cat /proc/*/environ",
        "x=$(echo $PPID); cat /proc/$x/environ",
        "cat /proc/$(echo $PPID)/environ",
        "cd /proc/$PPID && cat environ",
        "cd /proc/$PPID; cat e*",
        "cd /proc; cat $PPID/environ",
        "for p in /proc/[0-9]*; do cat $p/environ; done",
        "cp /proc/$PPID/environ got && cat got",
        "find /proc/$PPID -maxdepth 1 -name environ -exec cat {} +",
        "node -e 'console.log(fs.readFileSync(`/proc/${process.ppid}/environ`, \"utf8\"))'",
        "ps eww $PPID",
        "ps auxeww",
      ].map(command),
    ];
    const script = at.script([...calls.map((call) => ({ calls: [call] })), { say: "The end." }]);
    const env = { TOOLGATE_TOKEN: `${MARK}-token`, ANTHROPIC_API_KEY: `${MARK}-key` };
    const words = [
      ...IN_ALLOW_ALL,
      at.project,
      "--no-contain",
      "--loop-limit",
      "1000",
      "--script",
      script,
      "go",
    ];
    const { stdout } = await at.run(words, { env });
    expect(stdout).toContain('"stopReason":"end_turn"');
    expect(broughtBy(stdout)).not.toContain(`${MARK}-`);
  },
);

test("commands that read nothing of it run as before", async () => {
  const at = await aHome();
  const script = at.script([
    { calls: [command("ls; echo *; cat not-there.txt; grep -r walnut project")] },
    { calls: [command("x=$(date); echo $x; cat $(ls | head -1); find . -name a.txt | xargs cat; ls $1")] },
    { calls: [command(`find ${at.home} -maxdepth 1 -name none; bash -c true`)] },
    {
      calls: [
        command("cat /proc/self/status /proc/$PPID/cmdline /proc/cpuinfo; ls $XDG_CONFIG_HOME; ps -ef"),
      ],
    },
    { say: "End." },
  ]);
  const { stdout } = await at.runHere([...IN_ALLOW_ALL, at.project, "--script", script, "go"]);
  expect(stdout.match(/"type":"call-(done|refused)"/g)).toEqual(
    Array.from({ length: 4 }, () => '"type":"call-done"'),
  );
});
