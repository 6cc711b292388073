/** Reports of mistakes in settings: before anything is done, and in `toolgate config`. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
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

test("reports a mistake in rules before the agent starts", async () => {
  const at = await atHome({ "rules.json": MISSPELLED });
  const all = inOnePipe(at, ["run", "--script", at.script(steps), "go"]);
  expect(all.split("\n")[0]).toBe(
    `toolgate: ${join(at.settings, "rules.json")}:1: "mode": it must be one of "ask", "accept-edits", "read-only", "allow-all". Correct it. No rule of this file was taken.`,
  );
  expect(all.split("No rule of this file was taken.")).toHaveLength(2);
  expect(all).toContain("I will look around.\n\n");
});

test("puts a note on its own line when stdout and stderr share a pipe", async () => {
  const at = await atHome({ "rules.json": { mode: "allow-all", rules: [] } });
  const words = ["run", "--script", at.script(steps), "go"];
  expect(inOnePipe(at, words)).toContain("I will look around.\n\ntoolgate: allow-all mode: ");
});

const shownIn = async (at: Home) => {
  const { status, stdout, stderr } = await at.runHere(["config", "--json"]);
  const { settings, problems } = JSON.parse(stdout) as {
    readonly settings: readonly { readonly name: string; readonly value: string; readonly from: string }[];
    readonly problems: readonly string[];
  };
  return { status, stderr, problems, setting: (name: string) => settings.find((one) => one.name === name) };
};

test("counts no rules of a file with a mistake in config, and says what applies instead", async () => {
  const at = await atHome({ "rules.json": MISSPELLED, "grants.json": "{" });
  mkdirSync(join(at.project, ".toolgate"));
  writeFileSync(join(at.project, ".toolgate", "rules.json"), "{}");
  const { status, problems, setting } = await shownIn(at);
  expect(status).toBe(1);
  expect(problems).toHaveLength(3);
  expect(setting("mode")).toMatchObject({
    value: "ask",
    from: "the default, because rules.json cannot be used; --mode overrides it",
  });
  for (const [name, file] of [
    ["your rules", join(at.settings, "rules.json")],
    ["project rules", join(at.project, ".toolgate", "rules.json")],
    ["remembered", join(at.settings, "grants.json")],
  ] as const)
    expect(setting(name)).toEqual({
      name,
      value: "0",
      from: `${file}, which cannot be used: every call is asked about`,
    });
});

test.each([
  [
    "mcp.json",
    '{ "mcpServers": ',
    "MCP servers",
    "it ends where a value should be. Nothing was started.",
    "your settings, and --mcp; the file cannot be used: run, acp and serve start nothing",
  ],
  [
    "mcp.json",
    '{ "mcpServers": { "x": { "comand": "x" } } }',
    "MCP servers",
    'nobody knows the field "comand"',
    "your settings, and --mcp; the file cannot be used: run, acp and serve start nothing",
  ],
  [
    "keys.json",
    "xx",
    "model keys",
    "it is not a JSON object of provider names and keys",
    "which cannot be used: only keys in the environment are",
  ],
])(
  "config says that %s (%s) cannot be used, and what that means",
  async (file, text, name, problem, means) => {
    const at = await atHome({ [file]: text });
    chmodSync(join(at.settings, file), 0o600);
    const { status, stderr, problems, setting } = await shownIn(at);
    expect(status).toBe(1);
    expect(problems).toEqual([expect.stringContaining(problem)]);
    expect(stderr).toContain(join(at.settings, file));
    expect(stderr).toContain(problem);
    expect(setting(name)?.from).toContain(means);
  },
);

test("reports no problem in config for usable settings", async () => {
  const at = await atHome({
    "rules.json": { mode: "read-only", rules: [{ deny: "fetch" }] },
    "mcp.json": { mcpServers: { x: { command: "x" } } },
    "keys.json": { anthropic: "k" },
  });
  chmodSync(join(at.settings, "keys.json"), 0o600);
  const { status, stderr, problems, setting } = await shownIn(at);
  expect({ status, stderr, problems }).toEqual({ status: 0, stderr: "", problems: [] });
  expect(setting("mode")?.value).toBe("read-only");
  expect(setting("your rules")?.value).toBe("1");
});

test("reports an invalid rule as a rule, not as a file", async () => {
  const { status, stderr } = await (await atHome()).runHere(["rules", "add", "{deny:1}"]);
  expect(status).toBe(1);
  expect(stderr).toBe(
    'toolgate: the rule:1: there is "d" where a name in double quotes should be. The file must be plain JSON. Nothing was stored.\n',
  );
});

test("adds none of two rules given at once", async () => {
  const at = await atHome();
  expect(await at.runHere(["rules", "add", '{"deny":"fetch"},{"deny":"edit"}'])).toEqual({
    status: 1,
    stdout: "",
    stderr: "toolgate: That is more than one rule. Nothing was stored; add one at a time.\n",
  });
  expect((await at.runHere(["rules", "list"])).stdout).not.toContain('"deny":"fetch"');
});
