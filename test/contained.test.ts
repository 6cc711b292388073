/** Commands that run unasked because a sandbox contains them: decided, run, recorded, asked about when it is in the way. */
import { once } from "node:events";
import { execFileSync, spawn } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Question, ToolCall } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { inMode } from "../src/policy/index.js";
import type { Mode, Rule } from "../src/policy/index.js";
import { openGate } from "../src/run/index.js";
import { builtInTools, LocalWorkspace, NoSandbox, openSandbox } from "../src/tools/index.js";
import type { Sandbox, SandboxOptions } from "../src/tools/index.js";
import { callCard } from "../src/view/index.js";
import { atHome, command as terminalCall } from "./cli-kit.js";
import { childProgram } from "./child-programs.js";
import { until } from "./until.js";
import { aWorkspace } from "../src/tools/tools.samples.js";

const BUBBLEWRAP = "/usr/bin/bwrap";

async function sandboxOrWhy(options: SandboxOptions = {}): Promise<Sandbox | string> {
  try {
    return await openSandbox(options);
  } catch (error) {
    if (error instanceof NoSandbox) return error.message;
    throw error;
  }
}

const opened = await sandboxOrWhy();
const why = typeof opened === "string" ? `: ${opened}` : "";

type Given = {
  readonly files?: Record<string, string>;
  readonly rules?: readonly Rule[];
  readonly mode?: Mode;
  readonly says?: "allow_once" | "reject_once";
  readonly sandbox?: Sandbox;
};

async function gateIn({
  files = {},
  rules = [],
  mode = "accept-edits",
  says = "reject_once",
  sandbox,
}: Given) {
  if (typeof opened === "string") throw new Error(opened);
  const { root } = await aWorkspace(files);
  const workspace = await LocalWorkspace.open(root, { containing: sandbox ?? opened });
  const asked: Question[] = [];
  const ledger = new MemoryLedger();
  const gate = await openGate({
    workspace,
    tools: builtInTools,
    ledger,
    policy: () => inMode(mode, rules),
    ask: (question) => {
      asked.push(question);
      return Promise.resolve({ outcome: { type: "selected", optionId: says }, by: "person", who: "ann" });
    },
  });
  onTestFinished(() => gate.close());
  const run = (command: string): Promise<ToolCall> => gate.call({ name: "terminal", input: { command } });
  return { root, gate, run, asked, ledger };
}

const outputOf = ({ rawOutput }: ToolCall): string =>
  typeof rawOutput === "object" && rawOutput !== null && "output" in rawOutput
    ? String(rawOutput.output)
    : "";

describe.skipIf(typeof opened === "string")(`contained commands${why}`, () => {
  test("runs a contained command unasked, and says so in the decision, the card and the record", async () => {
    const { run, asked, root } = await gateIn({
      files: { "build.js": 'require("fs").writeFileSync("built", process.env.HOME)', ".env": "SECRET=1" },
    });
    const call = await run("node build.js; node -p 'fs.readFileSync(`.e${`nv`}`)'");
    expect(asked).toEqual([]);
    expect(call.decision).toMatchObject({ by: "sandbox" });
    expect(callCard(call).facts).toContain("contained");
    expect(await readFile(join(root, "built"), "utf8")).not.toBe("");
    expect(outputOf(call)).not.toContain("SECRET=1");
  });

  test.each([
    ["an explicit rule that asks", "node build.js", [{ ask: "execute", command: "node *" }]],
    ["the network", "curl https://example.com", []],
    ["a push", "git push", []],
    ["an installation", "npm install left-pad", []],
    ["a service", "docker ps", []],
    ["a process that stays, and a change of the workspace", "echo > a.txt; node build.js &", []],
    ["a path outside", "node build.js /var/lib/data", []],
    ["a protected name", "node build.js > .vscode/tasks.json", []],
    ["a secret", "node build.js < .env", []],
    ["all of the workspace", "rm -rf *", []],
    ["characters that hide the text", "node build.js \u202E", []],
    ["a denial of deletions, which no mount enforces", "node build.js", [{ deny: "delete" }]],
    ["a denied command, which code could start", "node build.js", [{ deny: "execute", command: "rm *" }]],
  ] as const)("asks about a contained command because of %s", async (_, command, rules) => {
    const { run, asked } = await gateIn({ files: { "build.js": "" }, rules });
    const call = await run(command);
    expect(call.state.status).toBe("refused");
    expect(asked).toHaveLength(1);
  });

  test("asks about a command that edits, and not about code, when the mode asks about edits", async () => {
    const { run, asked } = await gateIn({ files: { "a.js": "" }, mode: "ask" });
    await run("node a.js");
    expect(asked).toEqual([]);
    await run("sed -i s/a/b/ a.js");
    expect(asked).toHaveLength(1);
  });

  test("refuses a command when nothing may be changed", async () => {
    const { run } = await gateIn({ files: { "a.js": "" }, mode: "read-only" });
    expect((await run("node a.js")).state.status).toBe("refused");
  });

  test("hides from a contained command what a rule denies, also what is new", async () => {
    const { run, root, asked } = await gateIn({
      files: {
        "gen/a.txt": "kept",
        "keys/b.txt": "hidden",
        "c.snap": "snap",
        "node_modules/x/d.snap": "deep",
      },
      rules: [
        { deny: "edit", path: "**/gen/**" },
        { deny: "read", path: "**/keys/**" },
        { ask: "edit", path: "**/*.snap" },
        { deny: "fetch", host: "example.com" },
        { deny: "execute", command: "git push *" },
      ],
    });
    const call = await run(
      `node -e "
        const fs = require('fs');
        for (const act of [
          () => fs.writeFileSync('gen/a.txt', 'changed'),
          () => fs.renameSync('gen', 'moved'),
          () => console.log(fs.readFileSync('keys/b.txt', 'utf8')),
          () => fs.writeFileSync('c.snap', 'changed'),
          () => fs.unlinkSync('node_modules/x/d.snap'),
          () => fs.writeFileSync('new.snap', 'made'),
          () => fs.writeFileSync('free.txt', 'made'),
        ]) try { act() } catch {}"`,
    );
    expect([asked, call.decision?.by]).toEqual([[], "sandbox"]);
    expect(await readFile(join(root, "gen/a.txt"), "utf8")).toBe("kept");
    expect(outputOf(call)).not.toContain("hidden");
    expect(await readFile(join(root, "c.snap"), "utf8")).toBe("snap");
    expect(existsSync(join(root, "node_modules/x/d.snap"))).toBe(true);
    expect(existsSync(join(root, "new.snap"))).toBe(false);
    expect(existsSync(join(root, "free.txt"))).toBe(true);
    expect(call.refusals?.map(({ type }) => type)).toEqual(["held back"]);
  });

  test("says that a contained command failed for want of a network, and asks when it is made again", async () => {
    const server = createServer((_, response) => response.end("hello")).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    // A TCP server always has an address of this form.
    const { port } = server.address() as AddressInfo;
    const reach = (host: string, at: number) =>
      `require("net").connect(${at}, "${host}").on("error", () => process.exit(3)).on("connect", () => { console.log("reached"); process.exit() })`;
    const { run, asked, root } = await gateIn({ says: "allow_once" });
    writeFileSync(join(root, "out.js"), reach("192.0.2.1", 80));
    const first = await run("node out.js");
    expect(first.decision?.by).toBe("sandbox");
    expect(outputOf(first)).toContain("The sandbox has no network, and the command tried to reach something");
    expect(outputOf(first)).toContain("make the same call again at once: a person is then asked.");
    expect(first.refusals).toEqual([
      { type: "network", text: expect.stringContaining("The sandbox has no network") },
    ]);
    expect(asked).toEqual([]);
    writeFileSync(join(root, "out.js"), reach("127.0.0.1", port));
    const second = await run("node out.js");
    expect(asked[0]?.reason).toContain("it would run outside of the sandbox. The sandbox has no network");
    expect(asked[0]?.about).toContain("runs: node out.js");
    expect([second.decision?.by, outputOf(second)]).toEqual(["person", "reached\n"]);
    // A name that cannot be resolved is the network's too.
    writeFileSync(join(root, "name.js"), `require("dns").promises.lookup("example.com")`);
    expect((await run("node name.js")).refusals).toEqual([
      { type: "network", text: expect.stringContaining("The sandbox has no network") },
    ]);
    // Later it is contained again.
    await run("true && sh -c true");
    expect((await run("node out.js")).decision?.by).toBe("sandbox");
  });

  test("says which file a contained command failed for when that is read-only or hidden", async () => {
    const outside = mkdtempSync(join(tmpdir(), "toolgate-outside-"));
    onTestFinished(() => rmSync(outside, { recursive: true }));
    writeFileSync(join(outside, "data"), "1");
    const { run } = await gateIn({
      files: {
        "write.sh": "echo x > .vscode/settings.json",
        "read.sh": `place=${outside}; cat $place/data`,
        ".vscode/settings.json": "{}",
      },
    });
    expect(outputOf(await run("sh write.sh"))).toMatch(/The sandbox keeps \S+settings\.json read-only/);
    expect(outputOf(await run("sh read.sh"))).toContain(`The sandbox does not have ${join(outside, "data")}`);
    expect((await run("sh -c 'exit 7'")).refusals).toBeUndefined();
  });

  test("asks about a command when the sandbox is gone by the time that it would run", async () => {
    const place = mkdtempSync(join(tmpdir(), "toolgate-bwrap-"));
    onTestFinished(() => rmSync(place, { recursive: true }));
    const program = join(place, "bwrap");
    copyFileSync(BUBBLEWRAP, program);
    const sandbox = await openSandbox({ program });
    const { gate, asked, root } = await gateIn({ files: { "a.sh": "touch ran" }, sandbox });
    const { cleared } = await gate.submit([{ name: "terminal", input: { command: "sh a.sh" } }]);
    expect(cleared).toHaveLength(1);
    rmSync(program);
    const call = await gate.finish(cleared[0] ?? "");
    expect([call.state.status, asked[0]?.reason]).toEqual([
      "refused",
      "it should run in the sandbox, which cannot contain it now",
    ]);
    expect(existsSync(join(root, "ran"))).toBe(false);
    // From then on everything is asked about at once.
    const next = await gate.call({ name: "terminal", input: { command: "sh a.sh" } });
    expect(next.decision?.by).toBe("person");
    expect(asked[1]?.reason).toMatch(
      /; the sandbox would take it, but bubblewrap or what the system permits has changed$/,
    );
  });

  test("runs nothing when bubblewrap fails at the last moment, and asks the next time", async () => {
    const place = mkdtempSync(join(tmpdir(), "toolgate-bwrap-"));
    onTestFinished(() => rmSync(place, { recursive: true }));
    const program = join(place, "bwrap");
    const broken = join(place, "broken");
    writeFileSync(program, `#!/bin/sh\n[ -e ${broken} ] && exit 1\nexec ${BUBBLEWRAP} "$@"\n`, {
      mode: 0o755,
    });
    const { run, root } = await gateIn({
      files: { "a.sh": "touch ran" },
      sandbox: await openSandbox({ program }),
    });
    writeFileSync(broken, "");
    const call = await run("sh a.sh");
    expect(call.refusals?.[0]?.type).toBe("not started");
    expect(outputOf(call)).toContain("Nothing was run.");
    expect((await run("sh a.sh")).decision?.by).toBe("person");
    expect(existsSync(join(root, "ran"))).toBe(false);
  });

  test("asks, and says why, when more files are protected than a sandbox can take", async () => {
    const { run, root, asked } = await gateIn({ files: { "a.sh": "touch ran" } });
    for (let at = 0; at < 3_000; at += 1) {
      mkdirSync(join(root, `p${at}`));
      writeFileSync(join(root, `p${at}/AGENTS.md`), "Be kind.");
    }
    expect((await run("sh a.sh")).refusals?.[0]?.type).toBe("not started");
    expect((await run("sh a.sh")).decision?.by).toBe("person");
    expect(asked[0]?.reason).toContain(
      "; the sandbox would take it, but the workspace has more protected files than a sandbox can take",
    );
    expect(existsSync(join(root, "ran"))).toBe(false);
  });

  test("keeps the session's own files in /tmp, and nothing else that it puts there", async () => {
    if (typeof opened === "string") throw new Error(opened);
    const name = `/tmp/toolgate-own-${process.pid}-${Date.now()}`;
    onTestFinished(() => rmSync(name, { force: true }));
    const { root } = await aWorkspace();
    const workspace = await LocalWorkspace.open(root, { containing: opened });
    const options = { signal: new AbortController().signal, onOutput: () => undefined };
    for (const _ of [1, 2])
      await workspace.runCommand(`echo once >> ${name}; echo x > ${name}.other`, {
        ...options,
        contained: { guards: [] },
        temporary: [name],
      });
    expect(await readFile(name, "utf8")).toBe("once\nonce\n");
    expect(existsSync(`${name}.other`)).toBe(false);
  });
});

test.skipIf(typeof opened === "string")(`ends with Toolgate, however it was killed${why}`, async () => {
  const { root, outside } = await aWorkspace({ "CLAUDE.md": "kind\n" });
  linkSync(join(root, "CLAUDE.md"), join(root, "second"));
  execFileSync("git", ["init", "-q", root]);
  const name = `toolgate-contained-${process.pid}-${Date.now()}`;
  const script = `trap "" TERM HUP INT; echo up; while :; do sleep 1; done # ${name}`;
  const making =
    "echo evil >.envrc; mkdir -p sub/.vscode; git init -q inner; mkfifo pipe; echo evil >>second; touch -d 2100-01-01 second";
  // Another test that starts would find what this one leaves in a shared folder.
  const state = join(outside, "state");
  const words = [root, state, `${making}; (setsid sh -c '${script}' &); sh -c '${script}'`];
  const program = spawn(process.execPath, [childProgram("contained-command.mjs"), ...words]);
  let output = "";
  program.stdout.setEncoding("utf8").on("data", (text: string) => void (output += text));
  await until(() => output === "up\nup\n");
  const running = () =>
    readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(name));
  expect(running().length).toBeGreaterThan(2);
  program.kill("SIGKILL");
  await until(() => running().length === 0);
  // The next start holds back what the killed one left.
  const workspace = await LocalWorkspace.open(root, { containing: await openSandbox({ folder: state }) });
  expect(readdirSync(root).toSorted()).toEqual([".git", "CLAUDE.md", "inner", "second", "sub"]);
  expect(readFileSync(join(root, "CLAUDE.md"), "utf8")).toBe("kind\n");
  expect(readdirSync(join(root, "inner"))).toEqual([]);
  expect(readdirSync(join(root, "sub"))).toEqual([]);
  expect(existsSync(join(root, ".git/commondir"))).toBe(false);
  // A name that somebody makes later stays. The next result names the others.
  writeFileSync(join(root, "AGENTS.md"), "mine");
  let notes = "";
  const options = { signal: new AbortController().signal, onOutput: (text: string) => void (notes += text) };
  await workspace.runCommand("true", { ...options, contained: { guards: [] } });
  for (const path of [".envrc", "sub/.vscode", "inner/.git", "pipe"])
    expect(notes).toContain(join(root, path));
  expect(existsSync(join(root, "AGENTS.md"))).toBe(true);
});

test.skipIf(typeof opened === "string").each([
  ["the index", "chmod 0 .git/index"],
  ["a folder of git with a link in it", "ln -s /tmp .git/logs/x; chmod 400 .git/logs"],
  [
    "a folder of git with a link deep in it",
    "mkdir .git/logs/d; ln -s /tmp .git/logs/d/x; chmod 0 .git/logs/d .git/logs",
  ],
  ["a new protected folder with a link in it", "mkdir .idea; ln -s x .idea/.env; chmod 400 .idea"],
])(`takes new names out when a command of an ordinary user closed %s${why}`, async (_, closing) => {
  const { root, outside } = await aWorkspace({ "node_modules/a/index.js": "" });
  execFileSync("git", ["init", "-q", root]);
  const author = ["-c", "user.name=a", "-c", "user.email=a@b"];
  execFileSync("git", [...author, "commit", "-q", "--allow-empty", "-m", "one"], { cwd: root });
  const program = [process.execPath, childProgram("contained-command.mjs"), root, join(outside, "state")];
  const isRoot = process.getuid?.() === 0;
  if (isRoot) execFileSync("chown", ["-R", "65534:65534", join(root, ".."), outside]);
  const words = isRoot
    ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", ...program]
    : program;
  const [first, ...rest] = [...words, `${closing}; echo x >.envrc`];
  const env = { PATH: process.env["PATH"], HOME: outside };
  const output = execFileSync(first, rest, { env, encoding: "utf8" });
  expect(output).toContain(`${join(root, ".envrc")} was moved to`);
  expect(readdirSync(root).toSorted()).toEqual([".git", "node_modules"]);
  expect(execFileSync("find", [".git", "-type", "l"], { cwd: root, encoding: "utf8" })).toBe("");
});

test.skipIf(typeof opened === "string")(`is looked at again when the look was killed${why}`, async () => {
  const { root, outside } = await aWorkspace();
  execFileSync("git", ["init", "-q", root]);
  const state = join(outside, "state");
  const making = "for i in $(seq 1000); do mkdir $i; echo x >$i/.envrc; done";
  const program = spawn(process.execPath, [childProgram("contained-command.mjs"), root, state, making]);
  const held = () => {
    const [name] = existsSync(join(state, "held")) ? readdirSync(join(state, "held")) : [];
    return name === undefined ? 0 : readdirSync(join(state, "held", name)).length;
  };
  await until(() => held() > 0);
  program.kill("SIGKILL");
  await once(program, "exit");
  expect(held()).toBeLessThan(1_000);
  await openSandbox({ folder: state });
  expect(execFileSync("find", [root, "-name", ".envrc"], { encoding: "utf8" })).toBe("");
});

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

test.skipIf(typeof opened === "string")(
  `commits inside what the person's own settings of git would commit${why}`,
  async () => {
    const at = await atHome();
    writeFileSync(
      join(at.home, ".gitconfig"),
      "[user]\nname=a\nemail=a@b\n[core]\nexcludesFile=~/mine\nautocrlf=input\n",
    );
    writeFileSync(join(at.home, "mine"), "notes\n");
    writeFileSync(join(at.project, "notes"), "private");
    writeFileSync(join(at.project, "crlf"), "a\r\n");
    writeFileSync(join(at.project, "a.sh"), "git add -A; git commit -qm one; git ls-files --eol");
    execFileSync("git", ["init", "-q", at.project]);
    const script = at.script([{ calls: [terminalCall("sh a.sh")] }, { say: "Done." }]);
    const { stdout } = await at.runHere(["run", "--script", script, "go"]);
    expect(stdout).toContain("contained");
    expect(stdout).toMatch(/i\/lf +w\/crlf .*crlf/);
    expect(stdout).not.toMatch(/\tnotes/);
  },
);

test.skipIf(typeof opened === "string")(
  `the command line contains commands unless it is switched off${why}`,
  async () => {
    const at = await atHome();
    writeFileSync(join(at.project, "a.sh"), "touch ran-$1");
    const run = async (name: string, ...flags: readonly string[]) => {
      const script = at.script([{ calls: [terminalCall(`sh a.sh ${name}`)] }, { say: "Done." }]);
      const { stdout } = await at.runHere(["run", ...flags, "--script", script, "go"]);
      return { stdout, hasRun: existsSync(join(at.project, `ran-${name}`)) };
    };
    expect((await run("flag", "--no-contain")).hasRun).toBe(false);
    const contained = await run("contained");
    expect([contained.hasRun, contained.stdout]).toEqual([true, expect.stringContaining("contained")]);
    expect((await at.runHere(["history", "show"])).stdout).toContain("contained");
    expect((await at.runHere(["stats"])).stdout).toMatch(/contained.*\nterminal .* 1 /);
    expect((await at.runHere(["config"])).stdout).toContain("run unasked in the sandbox, if it works here");
    writeFileSync(join(at.settings, "config.json"), '{"contained":false}');
    expect((await run("setting")).hasRun).toBe(false);
    expect((await at.runHere(["config"])).stdout).toContain("asked about: switched off");
  },
);

test.skipIf(typeof opened === "string")(
  `two sandboxes with folders of their own both run commands${why}`,
  async () => {
    if (typeof opened === "string") return;
    const { root, outside } = await aWorkspace();
    const options = { signal: new AbortController().signal, onOutput: () => undefined };
    const other = await openSandbox({ folder: join(outside, "state") });
    for (const containing of [other, opened, other]) {
      const workspace = await LocalWorkspace.open(root, { containing });
      const exit = await workspace.runCommand("true", { ...options, contained: { guards: [] } });
      expect(exit).toEqual({ exitCode: 0 });
    }
  },
);

test("a proof is remembered until the program changes", async () => {
  if (typeof opened === "string") return;
  const place = mkdtempSync(join(tmpdir(), "toolgate-proof-"));
  onTestFinished(() => rmSync(place, { recursive: true }));
  const [program, count, state] = [join(place, "bwrap"), join(place, "count"), join(place, "state")];
  mkdirSync(state);
  const write = (comment: string) =>
    writeFileSync(program, `#!/bin/sh\n# ${comment}\necho x >> ${count}\nexec ${BUBBLEWRAP} "$@"\n`, {
      mode: 0o755,
    });
  const tests = async () => {
    await openSandbox({ program, folder: state, version: "1" });
    return (await readFile(count, "utf8")).split("\n").length - 1;
  };
  write("one");
  const first = await tests();
  expect(first).toBeGreaterThan(0);
  expect(await tests()).toBe(first);
  write("other");
  expect(await tests()).toBe(2 * first);
  await openSandbox({ program, folder: state, version: "2" });
  expect(await tests()).toBe(4 * first);
});
