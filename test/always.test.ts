/** "Always" through the whole gate: real files, a real shell, and the rule that the answer stored. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { MemoryLedger } from "../src/history/index.js";
import { inMode } from "../src/policy/index.js";
import type { Rule } from "../src/policy/index.js";
import { openGate } from "../src/run/index.js";
import { RuleSource } from "../src/settings/index.js";
import { builtInTools } from "../src/tools/index.js";
import { decisionWords } from "../src/view/card-facts.js";
import { folder } from "./agent-kit.js";

/** A gate whose first question is answered with "always", and every later one with no. */
async function granting(files: Readonly<Record<string, string>>) {
  const root = await folder();
  const write = (name: string, text: string) => {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), text);
    chmodSync(join(root, name), 0o755);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const granted: Rule[] = [];
  let questions = 0;
  const gate = await openGate({
    workspace: root,
    ledger: new MemoryLedger(),
    tools: builtInTools,
    policy: () => inMode("ask", granted),
    remember: (grant) => {
      granted.push(...grant.rules);
      return Promise.resolve();
    },
    ask: ({ options }) => {
      questions += 1;
      const wanted = questions === 1 ? "allow_always" : "reject_once";
      const optionId = options.find(({ kind }) => kind === wanted)?.optionId ?? "reject_once";
      return Promise.resolve({ outcome: { type: "selected", optionId }, by: "person", who: "ann" });
    },
    loopLimit: Number.MAX_SAFE_INTEGER,
  });
  onTestFinished(() => gate.close());
  const run = async (command: string, cwd?: string) => {
    const before = questions;
    const call = await gate.call({
      name: "terminal",
      input: { command, ...(cwd !== undefined && { cwd }) },
    });
    return { status: call.state.status, isAsked: questions > before, call };
  };
  return { run, write, granted };
}

test("allows once, and records why, when the rule of an always cannot be stored", async () => {
  const root = await folder();
  const settings = await folder({ "grants.json": "{" });
  const { grants } = new RuleSource({ folder: settings });
  const gate = await openGate({
    workspace: root,
    ledger: new MemoryLedger(),
    tools: builtInTools,
    policy: () => inMode("ask", []),
    remember: async ({ grantId, ...grant }) => void (await grants.add(grant, { type: "user" }, { grantId })),
    ask: ({ options }) => {
      const optionId = options.find(({ kind }) => kind === "allow_always")?.optionId ?? "";
      return Promise.resolve({ outcome: { type: "selected", optionId }, by: "person", who: "ann" });
    },
  });
  onTestFinished(() => gate.close());
  const call = await gate.call({ name: "write_file", input: { path: "a.txt", content: "a" } });
  expect(call.state.status).toBe("done");
  expect(call.decision?.notStored).toContain("grants.json");
  expect(decisionWords(call)).toMatch(/^allowed by ann.*, for this once: its rule was not stored, /);
});

const SCRIPT = "#!/bin/sh\necho good\n";
const EVIL = "#!/bin/sh\necho evil\n";

test("runs the granted script unasked, and asks about one of the same name in another folder", async () => {
  const { run } = await granting({ "run.sh": SCRIPT, "evil/run.sh": EVIL });
  expect(await run("./run.sh")).toMatchObject({ status: "done", isAsked: true });
  expect(await run("./run.sh")).toMatchObject({ status: "done", isAsked: false });
  expect(await run("cd evil && ./run.sh")).toMatchObject({ status: "refused", isAsked: true });
  expect(await run("./run.sh", "evil")).toMatchObject({ status: "refused", isAsked: true });
});

test("asks again when the granted script has changed", async () => {
  const { run, write } = await granting({ "run.sh": SCRIPT });
  await run("./run.sh");
  write("run.sh", EVIL);
  expect(await run("./run.sh")).toMatchObject({ status: "refused", isAsked: true });
  write("run.sh", SCRIPT);
  expect(await run("./run.sh")).toMatchObject({ status: "done", isAsked: false });
});

test("asks again when the script that an interpreter is given has changed", async () => {
  const { run, write } = await granting({ "job.py": "print(1)\n" });
  expect(await run("python3 job.py")).toMatchObject({ isAsked: true });
  expect(await run("python3 job.py")).toMatchObject({ isAsked: false });
  write("job.py", "print(2)\n");
  expect(await run("python3 job.py")).toMatchObject({ status: "refused", isAsked: true });
});

test("asks again when the granted command is fed by something else", async () => {
  const { run } = await granting({ "sink.sh": "#!/bin/sh\ncat > /dev/null\n", "secret.txt": "s" });
  expect(await run("echo hi | ./sink.sh")).toMatchObject({ status: "done", isAsked: true });
  expect(await run("echo hi | ./sink.sh")).toMatchObject({ status: "done", isAsked: false });
  expect(await run("cat secret.txt | ./sink.sh")).toMatchObject({ status: "refused", isAsked: true });
  expect(await run("./sink.sh < secret.txt")).toMatchObject({ status: "refused", isAsked: true });
});

test("names the grant that let the script through, and not the mode's rule for reading", async () => {
  const { run } = await granting({ "run.sh": SCRIPT, "a.txt": "a" });
  await run("./run.sh");
  const { call } = await run("cat a.txt && ./run.sh");
  expect(call.decision?.rule).toMatch(/^allow read; allow execute ".\/run.sh \*" /);
});

test(
  "prints nothing from outside when a link is moved in while a command reads",
  { timeout: 30_000 },
  async () => {
    const root = await folder();
    const outside = await folder({ "a.txt": "outside-secret\n" });
    symlinkSync(join(outside, "a.txt"), join(root, "link"));
    const gate = await openGate({
      workspace: root,
      ledger: new MemoryLedger(),
      tools: builtInTools,
      policy: () => inMode("accept-edits", []),
      ask: () =>
        Promise.resolve({ outcome: { type: "selected", optionId: "reject_once" }, by: "person", who: "ann" }),
      loopLimit: Number.MAX_SAFE_INTEGER,
    });
    onTestFinished(() => gate.close());
    const [read] = await Promise.all([
      gate.call({ name: "terminal", input: { command: "sleep 1; cat safe" } }),
      gate.call({ name: "move_path", input: { from: "link", to: "safe" } }),
    ]);
    expect(JSON.stringify(read)).not.toContain("outside-secret");
  },
);
