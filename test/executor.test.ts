/**
 * The reading matches the run: texts that shells read in different ways, run by the shell whose language was read,
 * from every place that runs commands. Only effects that a rule allowed may happen.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { editorWorkspace } from "../src/acp/agent/editor-workspace.js";
import { ServedTerminals } from "../src/acp/client/served-terminals.js";
import { NEVER, servedSession } from "./served-kit.js";
import { decide, inMode } from "../src/policy/index.js";
import type { Intent, Mode, Rule } from "../src/policy/index.js";
import { builtInTools, LocalWorkspace } from "../src/tools/index.js";
import type { Workspace } from "../src/tools/index.js";
import { anEmptyTree, gateOn, yes } from "./attack-kit.js";
import { atHome, command } from "./cli-kit.js";

/** For another shell than bash, each of these writes PWNED, removes `victim` or changes a hook. */
const TEXTS = [
  "echo $'\\' ; id > PWNED; rm -rf victim #'",
  "echo checking &>/dev/null touch PWNED",
  "[[ a || ./evil ]]; ls",
  "[[ a || touch = PWNED ]]; ls",
  "[[ a > .git/hooks/x ]]; ls",
  "cat <<$'A'\n$A\ntouch PWNED\nA",
  'echo $"\\" ; touch PWNED #"',
  "echo a |& touch PWNED",
  "cat <<< a; echo b >& c",
  "echo a >&'$(touch PWNED)'",
  "time -p touch PWNED",
];

const MODES = ["ask", "read-only"] as const;

/** A project in which it shows when one of the texts did more than it said. */
function aProject(): string {
  const root = join(anEmptyTree(), "ws");
  for (const name of ["victim", ".git/hooks"]) mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, "victim/file"), "here\n");
  writeFileSync(join(root, "evil"), "#!/bin/sh\ntouch PWNED\n", { mode: 0o755 });
  return root;
}

/** The files that were created or removed without a rule that allows it. */
function damageIn(root: string): readonly string[] {
  const made = ["PWNED", ".git/hooks/x", "c"].filter((name) => existsSync(join(root, name)));
  return existsSync(join(root, "victim/file")) ? made : [...made, "victim"];
}

describe.each(MODES)("in mode %s, without rules", (mode) => {
  test.each(TEXTS)("the terminal tool does not run more of %j than was read", async (text) => {
    const root = aProject();
    const { attempt } = await gateOn(join(root, ".."), inMode(mode, []));
    await attempt("terminal", { command: text });
    expect(damageIn(root)).toEqual([]);
  });

  test.each(TEXTS)("an agent's terminal does not run more of %j than was read", async (text) => {
    const root = aProject();
    const workspace = await LocalWorkspace.open(root);
    const { session } = await servedSession(workspace, async (intent) => allowed(intent, root, mode));
    const terminals = new ServedTerminals({ sessions: () => session });
    const { terminalId } = await terminals
      .create({ sessionId: "s", command: text }, NEVER)
      .catch(() => ({ terminalId: "" }));
    if (terminalId !== "") await terminals.waitForExit({ sessionId: "s", terminalId });
    for (const shell of ["sh", "dash", "/bin/sh"])
      await terminals.create({ sessionId: "s", command: shell, args: ["-c", text] }, NEVER).then(
        (opened) => terminals.waitForExit({ sessionId: "s", ...opened }),
        () => undefined,
      );
    expect(damageIn(root)).toEqual([]);
  });
});

test("runs no more commands than were read", { timeout: 60_000 }, async () => {
  const at = await atHome();
  mkdirSync(join(at.project, "victim"), { recursive: true });
  mkdirSync(join(at.project, ".git/hooks"), { recursive: true });
  writeFileSync(join(at.project, "victim/file"), "here\n");
  const steps = [{ calls: TEXTS.map(command) }, { say: "Done." }];
  for (const mode of MODES) await at.run(["run", "--mode", mode, "--script", at.script(steps), "go"]);
  expect(damageIn(at.project)).toEqual([]);
});

test("applies a denial to spellings that another shell reads otherwise", async () => {
  const root = aProject();
  const rules: readonly Rule[] = [{ deny: "execute", command: "rm *" }];
  const { attempt } = await gateOn(join(root, ".."), { rules, default: "allow" });
  await attempt("terminal", { command: TEXTS[0] });
  expect(damageIn(root)).toEqual([]);
});

test.each(TEXTS)("a workspace that does not say what runs its commands asks about %j", async (text) => {
  const root = aProject();
  const local = await LocalWorkspace.open(root);
  const own = Object.create(local, { executor: { value: undefined } }) as Workspace;
  expect(decided(await intentOf(text, own), root, "ask")).toBe("ask");
  // A command that another agent runs has no executor at all.
  const { executor: _, ...foreign } = await intentOf(text, local);
  expect(decided(foreign, root, "ask")).toBe("ask");
});

test("an editor's terminal starts the shell that was read, by its absolute path", async () => {
  const local = await LocalWorkspace.open(aProject());
  const sent: unknown[] = [];
  const client = {
    capabilities: { terminal: true },
    request: (method: string, params: unknown) => {
      sent.push([method, params]);
      return Promise.resolve({ terminalId: "t", output: "", truncated: false, exitCode: 0 });
    },
  };
  const workspace = editorWorkspace(local, client, "s");
  const signal = new AbortController().signal;
  await workspace.runCommand("-x $'a'", { signal, onOutput: () => undefined });
  expect(sent[0]).toEqual([
    "terminal/create",
    expect.objectContaining({
      command: "/bin/bash",
      args: ["--noprofile", "--norc", "-p", "-c", "--", "-x $'a'"],
    }),
  ]);
  expect(await workspace.executor?.()).toEqual({ shell: "/bin/bash", language: "bash" });
});

test("reads the same whatever the environment has", async () => {
  const root = aProject();
  writeFileSync(join(root, "start"), "touch PWNED\n");
  for (const [name, value] of Object.entries({
    BASH_ENV: join(root, "start"),
    ENV: join(root, "start"),
    SHELLOPTS: "xtrace:noglob",
    BASHOPTS: "extglob:nullglob:dotglob",
    CDPATH: join(root, "victim"),
    GLOBIGNORE: "*",
    POSIXLY_CORRECT: "1",
    PS4: "$(touch PWNED)",
    BASH_COMPAT: "31",
    "BASH_FUNC_ls%%": "() { touch PWNED; }",
    "BASH_FUNC_echo%%": "() { touch PWNED; }",
  }))
    vi.stubEnv(name, value);
  const { attempt } = await gateOn(join(root, ".."), { ask: yes });
  const { call } = await attempt("terminal", {
    command: "ls victim; echo $'a' ./vic*; [[ a == a ]] && echo b",
  });
  vi.unstubAllEnvs();
  expect(call.state.status).toBe("done");
  expect(JSON.stringify(call.rawOutput)).toContain("file\\na ./victim\\nb");
  expect(damageIn(root)).toEqual([]);
});

test("runs the system's programs for a read-only command, whatever the search path holds", async () => {
  const root = aProject();
  mkdirSync(join(root, "bin"));
  for (const name of ["cat", "ls", "git"])
    writeFileSync(join(root, "bin", name), "#!/bin/sh\ntouch PWNED\n", { mode: 0o755 });
  vi.stubEnv("PATH", `${join(root, "bin")}:bin:${process.env["PATH"] ?? ""}`);
  const { attempt } = await gateOn(join(root, ".."), { rules: [{ allow: "read" }] });
  const { call, outcome } = await attempt("terminal", { command: "cat victim/file; ls victim" });
  vi.unstubAllEnvs();
  expect(outcome).toBe("allow");
  expect(JSON.stringify(call.rawOutput)).toContain("here\\nfile");
  expect(damageIn(root)).toEqual([]);
});

test(
  "does not count git as read-only in a bare repository among other files",
  { timeout: 60_000 },
  async () => {
    const at = await atHome();
    const api = join(at.project, "docs/api");
    execFileSync("git", ["init", "-q", "--bare", api]);
    writeFileSync(join(api, "evil"), "#!/bin/sh\ntouch ../../PWNED PWNED\n", { mode: 0o755 });
    appendFileSync(
      join(api, "config"),
      `[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = ${api}/evil\n`,
    );
    const calls = [
      ...["git -C docs/api status", "cd docs/api && git status", "cd docs; git -C api diff"].map(command),
      { tool: "terminal", input: { command: "git status", cwd: "docs/api" } },
    ];
    for (const mode of MODES)
      await at.runHere(["run", "--mode", mode, "--script", at.script([{ calls }, { say: "Done." }]), "go"]);
    for (const folder of [at.project, api]) expect(existsSync(join(folder, "PWNED"))).toBe(false);
  },
);

async function intentOf(text: string, workspace: Workspace): Promise<Intent> {
  const terminal = builtInTools.find(({ name }) => name === "terminal");
  const own = await terminal?.intent?.({ command: text }, workspace);
  return {
    tool: "terminal",
    kind: "execute",
    input: { command: text },
    cwd: workspace.root,
    paths: [],
    hosts: [],
    baseHashes: {},
    ...own,
  };
}

const decided = (intent: Intent, root: string, mode: Mode): string =>
  decide(intent, { ...inMode(mode, []), roots: [root], home: "/home/nobody" }).effect;

const allowed = (intent: Intent, root: string, mode: Mode): "yes" | { readonly no: string } =>
  decided(intent, root, mode) === "allow" ? "yes" : { no: "a person would be asked" };
