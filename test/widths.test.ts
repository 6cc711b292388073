/** Widths of "always" through the gate: what each answer stores, and which waiting calls it releases. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { SelectedOption } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { inMode } from "../src/policy/index.js";
import { openGate, openQuestions } from "../src/run/index.js";
import type { Gate } from "../src/run/index.js";
import { GrantStore, RuleSource } from "../src/settings/index.js";
import { builtInTools } from "../src/tools/index.js";
import { folder } from "./agent-kit.js";

type Choice = Omit<SelectedOption, "type">;

/** Sessions of one project, with the rules and grants of one settings folder. */
async function project() {
  const root = await folder();
  mkdirSync(join(root, "src"));
  const settings = await folder();
  const source = new RuleSource({ folder: settings });
  const ledger = new MemoryLedger();
  onTestFinished(() => source.close());
  const open = async (sessionId: string): Promise<Gate> => {
    const gate = await openGate({
      workspace: root,
      ledger,
      sessionId,
      tools: builtInTools,
      policy: () => inMode("ask", source.current(root, sessionId).rules),
      onRulesChanged: (onChange) => source.onChange(onChange),
      remember: async ({ grantId, scope, expiresAt, ...rest }) => {
        const where =
          scope === "session"
            ? ({ type: scope, sessionId } as const)
            : scope === "project"
              ? ({ type: scope, root } as const)
              : ({ type: scope } as const);
        await source.grants.add(rest, where, { grantId, ...(expiresAt !== undefined && { expiresAt }) });
        source.changed();
      },
    });
    onTestFinished(() => gate.close());
    return gate;
  };
  const answer = async (gate: Gate, number: number, choice: Choice) => {
    const question = openQuestions(gate.book)[number]!;
    const { questionId, intentHash } = question;
    const outcome = { type: "selected", ...choice } as const;
    await ledger.answer(questionId, { outcome, intentHash, by: "person", at: Date.now() });
    await gate.settle();
  };
  const grants = () => JSON.parse(readFileSync(join(settings, "grants.json"), "utf8")).grants;
  return { root, settings, source, open, answer, grants };
}

const write = (path: string) => ({ name: "write_file", input: { path, content: "x" } });
const statuses = (gate: Gate) => [...gate.book.calls()].map(({ state }) => state.status);

test("an always releases the waiting calls that its rule covers, and the record names the rule", async () => {
  const { open, answer, grants } = await project();
  const gate = await open("one");
  await gate.submit([write("src/a.txt"), write("src/b.txt"), write("other.txt")]);
  const [first, second, third] = openQuestions(gate.book);
  expect([first?.likeness === second?.likeness, first?.likeness === third?.likeness]).toEqual([true, false]);
  await answer(gate, 0, { optionId: "allow_always" });
  expect(statuses(gate)).toEqual(["cleared", "cleared", "waiting"]);
  const [, released] = gate.book.calls();
  expect(released?.decision).toMatchObject({
    by: "rule",
    rule: expect.stringMatching(/^allow edit .*\/src\/\*\*$/),
  });
  expect(grants()).toMatchObject([
    { width: "edits", scope: { type: "project" }, sentence: expect.stringMatching(/\/src in this project$/) },
  ]);
});

test("an always of the project releases the waiting calls of its other sessions", async () => {
  const { open, answer } = await project();
  const [one, two] = [await open("one"), await open("two")];
  await one.submit([write("src/a.txt")]);
  await two.submit([write("src/b.txt")]);
  await answer(one, 0, { optionId: "allow_always" });
  await expect
    .poll(async () => {
      await two.settle();
      return statuses(two)[0];
    })
    .toBe("cleared");
  expect([...two.book.calls()][0]?.decision).toMatchObject({ by: "rule" });
});

test("an always of the session holds in that session alone, also when it is resumed", async () => {
  const { open, answer, grants } = await project();
  const [one, two] = [await open("one"), await open("two")];
  await one.submit([write("src/a.txt")]);
  await two.submit([write("src/b.txt")]);
  await answer(one, 0, { optionId: "allow_session" });
  expect(grants()).toMatchObject([{ scope: { type: "session", sessionId: "one" } }]);
  await one.close();
  const resumed = await open("one");
  await resumed.submit([write("src/c.txt")]);
  await two.recheck();
  await two.settle();
  expect([statuses(resumed).at(-1), statuses(two)]).toEqual(["cleared", ["waiting"]]);
});

test("an answer names another width, scope and expiry, and the grant has them", async () => {
  const { open, answer, grants, settings, root } = await project();
  const gate = await open("one");
  await gate.submit([write("src/a.txt"), write("src/b.txt")]);
  await answer(gate, 0, { optionId: "allow_always", width: "exact", scope: "user", expires: "hour" });
  expect(statuses(gate)).toEqual(["cleared", "waiting"]);
  const [grant] = grants();
  expect(grant).toMatchObject({
    width: "exact",
    scope: { type: "user" },
    rules: [{ allow: "write_file", path: join(root, "src/a.txt") }],
    sentence: `Always allow write_file on ${join(root, "src/a.txt")} everywhere`,
  });
  expect(grant.expiresAt - grant.createdAt).toBeLessThanOrEqual(3_600_000);
  const later = new GrantStore(settings, { now: () => Date.now() + 3_700_000 });
  expect(later.list()).toMatchObject([{ isOver: true }]);
});

test.each([
  { optionId: "allow_always", width: "subcommand" },
  { optionId: "allow_once", width: "exact" },
  { optionId: "allow_once", scope: "user" },
  { optionId: "reject_always", expires: "hour" },
] as const)("refuses an answer that was not offered: %j", async (choice) => {
  const { open, answer } = await project();
  const gate = await open("one");
  await gate.submit([write("src/a.txt")]);
  await expect(answer(gate, 0, choice)).rejects.toMatchObject({ code: "NOT_OFFERED" });
  expect(statuses(gate)).toEqual(["waiting"]);
});

test("a never refuses the waiting calls of its width", async () => {
  const { open, answer } = await project();
  const gate = await open("one");
  await gate.submit([write("src/a.txt"), write("src/b.txt"), write("other.txt")]);
  await answer(gate, 0, { optionId: "reject_always", width: "edits" });
  expect(statuses(gate)).toEqual(["refused", "refused", "waiting"]);
});
