import { describe, expect, test } from "vitest";
import { decide } from "./decide.js";
import type { Intent } from "./intent.js";
import { inMode } from "./modes.js";
import type { Mode } from "./modes.js";
import type { Rule } from "./rule.js";

const base: Intent = {
  tool: "t",
  kind: "other",
  input: {},
  cwd: "/ws",
  paths: [],
  hosts: [],
  baseHashes: {},
};
const read: Intent = { ...base, kind: "read", paths: [{ path: "/ws/a", access: "read" }] };
const edit: Intent = { ...base, kind: "edit", paths: [{ path: "/ws/a", access: "write" }] };
const run: Intent = { ...base, kind: "execute", command: "npm test" };
const look: Intent = { ...base, kind: "execute", command: "cat src/a.ts" };
const hidden: Intent = { ...base, kind: "execute", command: "$X" };

const effect = (intent: Intent, mode: Mode, rules: readonly Rule[] = []) =>
  decide(intent, { ...inMode(mode, rules), roots: ["/ws"], home: "/home/ann" }).effect;

// By hand: what each mode does without a rule of the user's.
test.each<[Mode, string, string, string, string]>([
  ["ask", "allow", "ask", "ask", "allow"],
  ["accept-edits", "allow", "allow", "ask", "allow"],
  ["read-only", "allow", "deny", "deny", "allow"],
  ["allow-all", "allow", "allow", "allow", "allow"],
])("in %s a read is %s, an edit %s, a command %s and a command that only looks %s", (mode, ...effects) => {
  expect([read, edit, run, look].map((intent) => effect(intent, mode))).toEqual(effects);
});

describe("a user's rules in each mode", () => {
  test("denies by a user's rule in every mode", () => {
    for (const mode of ["ask", "accept-edits", "read-only", "allow-all"] as const) {
      expect(effect(edit, mode, [{ deny: "edit" }])).toBe("deny");
    }
  });

  test("does not open read-only by a user's rule that allows", () => {
    expect(effect(edit, "read-only", [{ allow: "edit", path: "/ws/**" }])).toBe("deny");
    expect(effect(edit, "ask", [{ allow: "edit", path: "/ws/**" }])).toBe("allow");
  });

  test("does not open read-only by a user's rule that asks, and denies in doubt", () => {
    expect(effect(edit, "read-only", [{ ask: "edit" }])).toBe("deny");
    expect(
      effect({ ...base, kind: "execute", command: "cat ./*/a" }, "read-only", [
        { deny: "read", path: "/ws/secrets/**" },
      ]),
    ).toBe("deny");
    expect(effect({ ...read, paths: [{ path: "/ws/.env", access: "read" }] }, "read-only")).toBe("deny");
  });

  test("asks about a command that cannot be read when a rule denies a command, even in allow-all", () => {
    expect(effect(hidden, "allow-all", [{ deny: "execute", command: "rm *" }])).toBe("ask");
  });
});
