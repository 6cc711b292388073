/** Runs every example of docs/rules.md, and the command that tests rules. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { programsJsonSchema, rulesJsonSchema } from "../src/settings/index.js";
import { folder } from "./agent-kit.js";
import { runHere } from "./run-here.js";

const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const page = readFileSync(new URL("../docs/rules.md", import.meta.url), "utf8");
const examples = [...page.matchAll(/```jsonl\n(.*?)```/gs)].flatMap(([, lines = ""]) =>
  lines.trim().split("\n"),
);

type Options = { readonly input?: string; readonly cwd?: string; readonly env?: Record<string, string> };

const toolgate = (args: readonly string[], { input = "", cwd = process.cwd(), env = {} }: Options = {}) =>
  runHere(args, { input, cwd, env: { ...process.env, ...env } });

/** The built program in a process of its own. */
function toolgateProcess(args: readonly string[], { input, cwd, env }: Options = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: "utf8",
    env: { ...process.env, ...env },
    ...(input !== undefined && { input }),
    ...(cwd !== undefined && { cwd }),
  });
  return { status, stdout, stderr };
}

test("decides every example in the docs as documented", () => {
  expect(examples.length).toBeGreaterThan(20);
  const input = examples.map((line) => JSON.stringify({ cwd: "/ws", ...JSON.parse(line) })).join("\n");
  const { stdout } = toolgateProcess(["rules", "test", "--batch"], { input });
  const decided = stdout
    .trim()
    .split("\n")
    .map((line): string => JSON.parse(line).decision);
  expect(examples.map((line, index) => [line, decided[index]])).toEqual(
    examples.map((line) => [line, JSON.parse(line).decision]),
  );
});

test("publishes the schema of a rule file that the reader checks", () => {
  const published: unknown = JSON.parse(
    readFileSync(new URL("../schema/rules.json", import.meta.url), "utf8"),
  );
  expect(published).toEqual(rulesJsonSchema());
  expect(JSON.parse(readFileSync(new URL("../schema/programs.json", import.meta.url), "utf8"))).toEqual(
    programsJsonSchema(),
  );
});

test("judges programs as docs/programs.md says", async () => {
  const programs = readFileSync(new URL("../docs/programs.md", import.meta.url), "utf8");
  const [added = "", narrowed = ""] = [...programs.matchAll(/```json\n(.*?)```/gs)].map(
    ([, text = ""]) => text,
  );
  const settings = await folder();
  mkdirSync(join(settings, "programs"));
  // Containing depends on the machine.
  writeFileSync(join(settings, "config.json"), JSON.stringify({ contained: false }));
  writeFileSync(join(settings, "programs", "added.json"), added);
  writeFileSync(join(settings, "programs", "narrowed.json"), narrowed);
  const decided = async (command: string, rules: readonly object[]) => {
    writeFileSync(join(settings, "try.json"), JSON.stringify({ rules }));
    const { stdout } = await toolgate(
      ["rules", "test", "--json", "--cwd", settings, "--rules", join(settings, "try.json"), "--", command],
      { env: { TOOLGATE_CONFIG: settings } },
    );
    return JSON.parse(stdout) as { readonly decision: string; readonly reason?: string };
  };
  const allowed = [{ allow: "execute", command: "deployer *" }];
  expect((await decided("deployer status web", allowed)).decision).toBe("allow");
  expect(await decided("deployer push web --force", allowed)).toMatchObject({
    decision: "ask",
    reason: "deployer push: overwrites what others pushed",
  });
  expect((await decided("deployer --other", allowed)).decision).toBe("ask");
  expect((await decided("deployer push web", [...allowed, { deny: "fetch" }])).decision).toBe("deny");
  expect((await decided("cat a.txt", [])).decision).toBe("ask");
  expect((await decided("sort -u a.txt", [{ allow: "execute", command: "sort *" }])).decision).toBe("ask");
});

describe("rules test", () => {
  test("answers a batch line by line, in order, and an unreadable line with ask", async () => {
    const input = [
      '{"rules":[{"allow":"execute","command":"git status"}],"default":"ask","command":"git status && rm x","cwd":"/ws"}',
      "not json",
      '{"rules":[{"allow":"execute","command":"git status"}],"command":"git status","cwd":"/ws"}',
    ].join("\n");
    const { stdout } = await toolgate(["rules", "test", "--batch"], { input });
    const lines = stdout
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect(lines).toMatchObject([
      { decision: "ask", rule: null, saw: ["command: git status", "command: rm x"] },
      { decision: "ask", rule: null },
      { decision: "allow", rule: 'allow execute "git status"' },
    ]);
  });

  test("explains its decision", async () => {
    const cwd = await folder({
      "rules.json": '{"rules":[{"deny":"execute","command":"rm *","reason":"no deletes"}]}',
    });
    expect(await toolgate(["rules", "test", "--rules", "rules.json", "--", "env rm x"], { cwd })).toEqual({
      status: 0,
      stdout:
        'deny\n  rule: deny execute "rm *"\n  because: no deletes\nsaw:\n  command: env rm x\n  command: rm x\n',
      stderr: "",
    });
  });
});

describe("remembered and imported rules", () => {
  test("adds and lists a rule, uses it in this project only, and revokes it", async () => {
    const cwd = await folder();
    const env = { TOOLGATE_CONFIG: join(cwd, "config") };
    const rule = '{"allow":"execute","command":"npm test"}';
    const added = await toolgate(["rules", "add", rule], { cwd, env });
    const [, grantId = ""] = /revoke (\S+)/.exec(added.stdout) ?? [];
    expect((await toolgate(["rules", "list"], { cwd, env })).stdout).toContain(
      `${rule}  (remembered, ${grantId})`,
    );
    expect((await toolgate(["rules", "list"], { cwd: "/", env })).stdout).not.toContain(`  ${rule}  (`);
    expect((await toolgate(["rules", "revoke", grantId], { cwd, env })).status).toBe(0);
    expect(await toolgate(["rules", "revoke", grantId], { cwd, env })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("Nothing was changed"),
    });
    expect((await toolgate(["rules", "list"], { cwd, env })).stdout).not.toContain("npm test");
  });

  test("lets the rules of a project only tighten until they are trusted", async () => {
    const cwd = await folder();
    const env = { TOOLGATE_CONFIG: join(cwd, "config") };
    mkdirSync(join(cwd, ".toolgate"));
    writeFileSync(join(cwd, ".toolgate", "rules.json"), '{"rules":[{"allow":"execute"},{"deny":"fetch"}]}');
    const { stdout: before } = await toolgate(["rules", "list"], { cwd, env });
    expect(before).toContain('not in force: {"allow":"execute"}');
    expect(before).toContain('  {"deny":"fetch"}');
    expect((await toolgate(["rules", "trust"], { cwd, env })).status).toBe(0);
    expect((await toolgate(["rules", "list"], { cwd, env })).stdout).not.toContain("not in force");
  });

  test("lists the rules beside the mode's own, and marks those that the mode ignores", async () => {
    const cwd = await folder();
    const env = { TOOLGATE_CONFIG: join(cwd, "config") };
    expect((await toolgate(["rules", "list"], { cwd, env })).stdout).toBe(
      [
        "mode: ask, which asks about anything no rule covers",
        `  {"allow":"read"}  (the mode's)`,
        `  {"allow":"search"}  (the mode's)`,
        `  {"allow":"think"}  (the mode's)`,
        "No rules beside the mode's. Write some into rules.json in your settings folder, or: toolgate rules add\n",
      ].join("\n"),
    );
    const file = join(cwd, "config", "rules.json");
    writeFileSync(file, '{"mode":"read-only","rules":[{"allow":"edit"},{"deny":"fetch"}]}');
    const { stdout } = await toolgate(["rules", "list"], { cwd, env });
    expect(stdout).toContain("mode: read-only, which refuses anything no rule covers\n");
    expect(stdout).toContain(
      `  not in force: {"allow":"edit"}  (${file}; in this mode only rules that deny are)\n`,
    );
    expect(stdout).toContain(`  {"deny":"fetch"}  (${file})\n`);
  });

  test("imports rules from fast-agent, with a report of unreadable rows", async () => {
    const auths =
      "| Server | Tool | Permission |\n|---|---|---|\n| files | write | allow_always |\n| x | | perhaps |\n";
    const cwd = await folder({ "auths.md": auths });
    const env = { TOOLGATE_CONFIG: join(cwd, "config") };
    const { status, stderr } = await toolgate(["rules", "import", "auths.md"], { cwd, env });
    expect(status).toBe(0);
    expect(stderr).toContain("left out");
    expect((await toolgate(["rules", "list"], { cwd, env })).stdout).toContain('"server":"files"');
  });

  test("reports a mistake in a rule file with its line", async () => {
    const cwd = await folder({ "rules.json": '{\n  "rules": [\n    { "permit": "read" }\n  ]\n}\n' });
    const { status, stderr } = await toolgate(["rules", "check", "rules.json"], { cwd });
    expect(status).toBe(1);
    expect(stderr).toMatch(/rules\.json.*3/);
  });
});
