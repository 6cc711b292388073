import { expect, test } from "vitest";
import type { Intent, Rule } from "../policy/index.js";
import { intentHash, questionFor } from "./decisions.js";
import type { AskedCall } from "./decisions.js";

const intent: Intent = {
  tool: "terminal",
  kind: "execute",
  input: { command: "npm test" },
  cwd: "/work",
  command: "npm test",
  paths: [],
  hosts: [],
  baseHashes: {},
};

const asked = (more: Partial<AskedCall> = {}): AskedCall => ({
  sessionId: "s",
  toolCallId: "call_1",
  number: 7,
  title: "Run npm test",
  intent,
  verdict: { saw: ["npm test"] },
  at: 1_000,
  roots: ["/work"],
  isForThisOnce: false,
  judge: undefined,
  ...more,
});

const ids = (judge: AskedCall["judge"]) =>
  questionFor(asked({ judge })).options.map(({ optionId }) => optionId);

test("shows its intent and is bound to it", () => {
  expect(questionFor(asked())).toEqual({
    questionId: "s/call_1/7",
    sessionId: "s",
    toolCallId: "call_1",
    intentHash: intentHash(intent),
    title: "Run npm test",
    about: ["runs: npm test", "npm test"],
    options: [
      { optionId: "allow_once", name: "Allow once", kind: "allow_once" },
      { optionId: "reject_once", name: "Reject", kind: "reject_once" },
    ],
    askedAt: 1_000,
  });
});

test("offers an always with its rule, only when that rule would answer the question", () => {
  const rulesSay = (_: Intent, rules: readonly Rule[]) =>
    rules.some((rule) => "allow" in rule) ? "allow" : "deny";
  expect(ids(rulesSay)).toEqual([
    "allow_once",
    "allow_always",
    "allow_session",
    "allow_exact",
    "reject_once",
    "reject_always",
  ]);
  expect(ids(() => "ask")).toEqual(["allow_once", "reject_once"]);
  expect(ids(() => "deny")).toEqual(["allow_once", "reject_once", "reject_always"]);
  expect(ids(undefined)).toEqual(["allow_once", "reject_once"]);
  const { options, widths } = questionFor(asked({ judge: rulesSay }));
  expect(options).toContainEqual({
    optionId: "allow_session",
    kind: "allow_always",
    name: "Always allow builds, tests, linters, formatters and local git work here, with harmless flags and workspace paths (runs project code) in this session",
    grant: {
      sentence:
        "Always allow builds, tests, linters, formatters and local git work here, with harmless flags and workspace paths (runs project code) in this session",
      rules: [{ allow: "execute", command: "*", width: "family" }],
      scope: "session",
      width: "family",
    },
  });
  expect(options.find(({ optionId }) => optionId === "allow_exact")).toMatchObject({
    name: "Always allow `npm test` (whatever code it then runs) in this project",
    grant: { rules: [{ allow: "execute", command: ["npm", "test"] }], scope: "project" },
  });
  expect(widths?.map(({ effect, width }) => `${effect} ${width}`)).toEqual([
    "allow family",
    "allow subcommand",
    "allow exact",
    "deny exact",
    "deny subcommand",
  ]);
});

test("expires after its lifetime, and never without one", () => {
  expect(questionFor(asked({ lifetime: 500 })).expiresAt).toBe(1_500);
  expect(questionFor(asked())).not.toHaveProperty("expiresAt");
});

test("makes invisible characters visible and bounds the length", () => {
  const saw = Array.from({ length: 200 }, (_, line) => `line ${line}`);
  const { title, reason, about } = questionFor(
    asked({ title: "Run \u202Etxt.sh", verdict: { saw, reason: `because\n${"x".repeat(2_000)}` } }),
  );
  expect(title).toBe("Run ⟨U+202E⟩txt.sh");
  expect(Array.from(reason ?? "")).toHaveLength(500);
  expect(reason).not.toContain("\n");
  expect(about).toEqual(["runs: npm test", ...saw.slice(0, 50), "… 100 more …", ...saw.slice(150)]);
});

test("shows the whole command and input when nothing else would", () => {
  const long = `echo ${"x".repeat(300)}; rm -rf build`;
  expect(questionFor(asked({ intent: { ...intent, command: long } })).about).toContain(`runs: ${long}`);
  const { command: _, ...bare } = intent;
  const alone: Intent = { ...bare, tool: "send", kind: "other", input: { to: "ann\u202E" } };
  expect(questionFor(asked({ intent: alone })).about).toContain('input: {"to":"ann⟨U+202E⟩"}');
});
