/** `toolgate run --agent`: a foreign agent from the terminal, under our rules and in our history. */
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { folder } from "./agent-kit.js";
import { childProgram } from "./child-programs.js";
import { runHere } from "./run-here.js";

const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const sdkAgent = `'${process.execPath}' "${childProgram("acp-sdk-agent.mjs")}"`;
const byHand = (behaviour: string) =>
  `'${process.execPath}' "${childProgram("acp-agent-by-hand.mjs")}" "${behaviour}"`;

type Ran = { readonly code: number | null; readonly out: string; readonly err: string };

async function desk(files: Record<string, string> = {}) {
  const home = await folder();
  const cwd = await folder(files);
  const settings = join(home, "config", "toolgate");
  const own = { HOME: home, XDG_CONFIG_HOME: join(home, "config"), XDG_STATE_HOME: home, NO_COLOR: "1" };
  const env = { ...process.env, ...own };
  const toolgate = async (args: readonly string[]): Promise<Ran> => {
    const { status, stdout, stderr } = await runHere(args, { cwd, env });
    return { code: status, out: stdout, err: stderr };
  };
  /** The built program in a process of its own. */
  const toolgateProcess = (args: readonly string[], act?: (out: string, kill: () => void) => void) =>
    new Promise<Ran>((resolve) => {
      const ran = spawn(process.execPath, [program, ...args], {
        cwd,
        env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      const text = { out: "", err: "" };
      ran.stdout.setEncoding("utf8").on("data", (piece: string) => {
        text.out += piece;
        act?.(text.out, () => ran.kill("SIGINT"));
      });
      ran.stderr.setEncoding("utf8").on("data", (piece: string) => (text.err += piece));
      ran.on("close", (code) => resolve({ code, ...text }));
    });
  return { cwd, toolgate, toolgateProcess, settings };
}

test("an agent works under the mode that was chosen, and its session is in the history", async () => {
  const { cwd, toolgate, toolgateProcess } = await desk({ "config.json": '{"a":"old"}' });
  const ran = await toolgateProcess(["run", "--agent", sdkAgent, "--mode", "accept-edits", "edit it"]);
  expect(ran).toMatchObject({ code: 0, err: "" });
  expect(ran.out).toContain("I will look.");
  expect(ran.out).toContain("Edit config.json (edit");
  expect(readFileSync(join(cwd, "config.json"), "utf8")).toBe('{"a":"new"}');
  const history = await toolgate(["history", "list", "--json"]);
  expect(JSON.parse(history.out)).toMatchObject({ sessions: [{ agent: "sdk-example", title: "edit it" }] });
  expect((await toolgate(["history", "search", "config.json"])).out).toContain("Edit config.json");
  expect((await toolgate(["stats", "--by", "agent"])).out).toContain("sdk-example");
});

test("refuses what would be asked when there is no terminal", async () => {
  const { cwd, toolgate } = await desk({ "config.json": '{"a":"old"}' });
  const ran = await toolgate([
    "run",
    "--agent",
    sdkAgent,
    "--json",
    "--ledger",
    join(cwd, "l.sqlite"),
    "edit it",
  ]);
  expect(ran.code).toBe(0);
  const events = ran.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string });
  expect(events[0]).toMatchObject({ type: "session" });
  expect(events.map(({ type }) => type)).toContain("call-refused");
  expect(readFileSync(join(cwd, "config.json"), "utf8")).toBe('{"a":"old"}');
});

test("a session with an agent is gone on with by --resume", async () => {
  const { toolgate } = await desk();
  expect((await toolgate(["run", "--agent", byHand(""), "first"])).code).toBe(0);
  expect((await toolgate(["run", "--agent", byHand(""), "--resume", "--", "second"])).code).toBe(0);
  const { out } = await toolgate(["history", "list", "--json"]);
  expect(JSON.parse(out)).toMatchObject({ sessions: [{ title: "first", messages: 2 }] });
});

test("Ctrl-C cancels the agent's turn", async () => {
  const { toolgateProcess } = await desk();
  let isCancelled = false;
  const ran = await toolgateProcess(
    ["run", "--json", "--agent", byHand("works until it is cancelled"), "go"],
    (out, kill) => {
      // Once: a second one leaves at once.
      if (isCancelled || !out.includes("run-started")) return;
      isCancelled = true;
      kill();
    },
  );
  expect(ran.code).toBe(130);
});

test("prints the last lines of an agent that died", async () => {
  const { toolgate } = await desk();
  const ran = await toolgate(["run", "--agent", byHand("dies in a permission"), "go"]);
  expect(ran.code).toBe(1);
  expect(ran.err).toContain("out of cheese");
});

test.each([
  ["a command that cannot be read", ["--agent", "'unclosed"], "a ' in it is not closed"],
  ["a program that is not there", ["--agent", "/no/such/agent"], "could not be started"],
  ["an agent to sign in to", ["--agent", byHand("wants a key")], "it offers: key (With a key)"],
  ["no session to go on with", ["--agent", byHand(""), "--resume", "--"], "No session has worked in"],
])("reports %s in a sentence", async (_, flags, words) => {
  const { toolgate } = await desk();
  const ran = await toolgate(["run", ...flags, "go"]);
  expect(ran.code).not.toBe(0);
  expect(ran.err).toContain(words);
  expect(ran.err).not.toContain("    at ");
});

test("a way to sign in is named with --auth", async () => {
  const { toolgate } = await desk();
  expect((await toolgate(["run", "--agent", byHand("wants a key"), "--auth", "key", "go"])).code).toBe(0);
});

test("a rule of the user's decides on what an agent asks", async () => {
  const { cwd, toolgate } = await desk();
  const asks = byHand("asks for the call of the prompt");
  const call = JSON.stringify({ title: "Run", kind: "execute", rawInput: { command: "make all" } });
  expect((await toolgate(["rules", "add", '{"allow":"execute","command":"make all"}'])).code).toBe(0);
  const notes = join(cwd, "notes");
  writeFileSync(notes, "");
  expect((await toolgate(["run", "--agent", `${asks} ${notes}`, call])).code).toBe(0);
  expect(readFileSync(notes, "utf8")).toContain('"optionId":"yes"');
});

test("refuses to resume a session of another agent and says how to", async () => {
  const { toolgate } = await desk({ "config.json": '{"a":"old"}' });
  await toolgate(["run", "--agent", sdkAgent, "--mode", "accept-edits", "edit it"]);
  const ran = await toolgate(["run", "--resume", "and now?"]);
  expect(ran).toMatchObject({ code: 1, out: "" });
  expect(ran.err).toMatch(/is one of sdk-example\. Nothing was done.*--agent/);
});

test("shows a command's output once when the agent reports its call after it ended", async () => {
  const { toolgate } = await desk();
  const late = byHand("reports its command after it ended");
  const { code, out } = await toolgate(["run", "--agent", late, "--mode", "allow-all", "go"]);
  expect({ code, shown: out.split("│ hello there").length - 1 }).toEqual({ code: 0, shown: 1 });
  expect(out).toMatch(/✓ ❯ late \(.*\n {4}terminal, exit code 0, its output is shown elsewhere\n/);
});

test("undo puts back a file that an agent wrote through us", async () => {
  const { cwd, toolgate } = await desk({ "a.txt": "before" });
  const steps = [{ ask: "fs/write_text_file", params: { path: join(cwd, "a.txt"), content: "after" } }];
  const agent = byHand("runs the given steps");
  const ran = await toolgate(["run", "--agent", agent, "--mode", "accept-edits", JSON.stringify(steps)]);
  expect(ran.code).toBe(0);
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("after");
  expect(await toolgate(["undo", "proxied_1"])).toMatchObject({ code: 0, err: "" });
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("before");
});

/** A rule that denies, and an agent that does not ask. */
async function unaskedAtDesk(settings: Record<string, unknown> = {}) {
  const at = await desk();
  await at.toolgate(["rules", "add", JSON.stringify({ deny: "execute", command: "rm *" })]);
  for (const [name, value] of Object.entries(settings))
    writeFileSync(join(at.settings, name), JSON.stringify(value));
  const call = { sessionUpdate: "tool_call", toolCallId: "t1", title: "Tidy up", kind: "execute" };
  const steps = ["spawn", { ...call, status: "completed", rawInput: { command: "rm -rf build" } }];
  const notes = join(at.cwd, "notes");
  const run = (...flags: readonly string[]) =>
    at.toolgate([
      "run",
      "--agent",
      `${byHand("runs the given steps")} '${notes}'`,
      ...flags,
      JSON.stringify(steps),
    ]);
  return { ...at, run };
}

test("an unasked call that a rule denies is marked in the terminal, history, statistics and log", async () => {
  const { toolgate, run, cwd } = await unaskedAtDesk();
  const log = join(cwd, "log");
  const ran = await run("--log", log);
  expect(ran.code).toBe(0);
  expect(ran.out).toContain("⚑ ❯ Tidy up (execute, breach");
  expect(ran.out).toContain('Done without asking; rule deny execute "rm *" denies it.');
  expect(ran.out).not.toContain("✓");
  const shown = await toolgate(["history", "show"]);
  expect(shown.out).toContain("⚑ ❯ Tidy up (execute, breach");
  expect(shown.out).toContain("t1  done, breach  Tidy up");
  expect((await toolgate(["history", "list"])).out).toMatch(/  ⚑ 1 breach\n/);
  expect(JSON.parse((await toolgate(["history", "list", "--json"])).out)).toMatchObject({
    sessions: [{ breaches: 1 }],
  });
  for (const format of ["text", "markdown", "csv", "ndjson"])
    expect((await toolgate(["history", "export", "--format", format])).out, format).toMatch(/breach/);
  expect((await toolgate(["history", "search", "without asking"])).out).toContain("Tidy up");
  expect(JSON.parse((await toolgate(["stats", "--by", "kind", "--json"])).out)).toMatchObject({
    statistics: [{ key: "execute", done: 1, breaches: 1 }],
  });
  expect((await toolgate(["stats"])).out).toContain("breaches");
  const records = readFileSync(log, "utf8").trim().split("\n");
  expect(records.map((line): unknown => JSON.parse(line))).toContainEqual(
    expect.objectContaining({
      msg: "call broke the rules",
      toolCallId: "t1",
      isAfterRefusal: false,
      rule: 'deny execute "rm *"',
    }),
  );
});

test.each([
  ["--on-breach end", {}, ["--on-breach", "end"]],
  ["a setting", { "config.json": { onBreach: "end" } }, []],
] as const)("an agent is ended at a breach by %s, and the JSON says why", async (_, settings, flags) => {
  const { run } = await unaskedAtDesk(settings);
  const ran = await run(...flags, "--json");
  expect(ran.code).toBe(1);
  const events = ran.out
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
  expect(events).toContainEqual(
    expect.objectContaining({
      type: "call-breached",
      toolCallId: "t1",
      breach: { isAfterRefusal: false, rule: 'deny execute "rm *"' },
    }),
  );
  expect(events.at(-1)).toMatchObject({
    type: "turn-stopped",
    stopReason: "error",
    error: expect.stringContaining("by-hand was ended: it broke the rules"),
  });
});
