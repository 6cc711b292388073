/** A file that steers an agent or runs by itself is changed only after a question, whatever a wide rule says. */
import { describe, expect, test } from "vitest";
import { decide } from "../decide.js";
import type { Intent, PathAccess } from "../intent.js";
import { inMode } from "../modes.js";
import type { Rule } from "../rule.js";

const places = { roots: ["/ws"], home: "/home/ann" };
const base: Intent = {
  tool: "edit_file",
  kind: "edit",
  input: {},
  cwd: "/ws",
  paths: [],
  hosts: [],
  baseHashes: {},
};
const touching = (access: PathAccess["access"], path: string): Intent => ({
  ...base,
  kind: access === "write" ? "edit" : access === "read" || access === "search" ? "read" : access,
  paths: [{ path, access }],
});
const running = (command: string): Intent => ({ ...base, tool: "terminal", kind: "execute", command });
const decided = (intent: Intent, rules: readonly Rule[]) => decide(intent, { ...places, rules }).effect;

const STEERING = [
  "AGENTS.md",
  "sub/CLAUDE.md",
  ".mcp.json",
  ".claude/settings.json",
  ".git/hooks/pre-commit",
  ".git/config",
  ".husky/pre-push",
  ".npmrc",
  ".yarnrc.yml",
  ".pnpmfile.cjs",
  ".envrc",
  ".vscode/tasks.json",
  ".idea/workspace.xml",
  "mise.toml",
];

const WIDE: readonly (readonly Rule[])[] = [
  [{ allow: "*" }],
  [{ allow: "*", path: "/ws/**" }],
  [{ allow: "edit" }, { allow: "delete" }, { allow: "move" }, { allow: "execute", anyFlags: true }],
  [{ allow: "edit_file" }, { allow: "execute", command: "cp *", anyFlags: true }],
  [...inMode("accept-edits", [{ allow: "*" }]).rules],
];

describe("protected names under a wide rule", () => {
  test.each(STEERING)("%s is written, deleted and moved only after a question, and read freely", (name) => {
    for (const rules of WIDE) {
      for (const access of ["write", "delete", "move"] as const)
        expect(decided(touching(access, `/ws/${name}`), rules), access).toBe("ask");
    }
    if (name !== ".npmrc" && name !== ".yarnrc.yml" && name !== ".envrc")
      expect(decided(touching("read", `/ws/${name}`), [{ allow: "read" }])).toBe("allow");
  });

  test.each(STEERING)("asks about a command that changes %s", (name) => {
    const commands = [
      `cp evil ${name}`,
      `cp evil ./${name}`,
      `mv ${name} x`,
      `mv evil ${name}`,
      `rm -f ${name}`,
      `ln -sf /tmp/evil ${name}`,
      `tee ${name}`,
      `touch ${name}`,
      `echo x > ${name}`,
      `echo x >> ./sub/../${name}`,
      `sed -i s/a/b/ ${name}`,
      `truncate -s 0 ${name}`,
      `dd if=evil of=${name}`,
      `install evil ${name}`,
    ];
    for (const rules of WIDE)
      for (const command of commands) expect(decided(running(command), rules), command).toBe("ask");
  });

  test("protects a link's target like its name", () => {
    const link: Intent = {
      ...base,
      paths: [{ path: "/ws/AGENTS.md", named: "/ws/notes.md", access: "write" }],
    };
    expect(decided(link, [{ allow: "edit" }])).toBe("ask");
    const made: Intent = {
      ...base,
      paths: [{ path: "/ws/notes.md", named: "/ws/AGENTS.md", access: "write" }],
    };
    expect(decided(made, [{ allow: "edit" }])).toBe("ask");
  });

  test("lets a rule that names the exact file allow it", () => {
    expect(decided(touching("write", "/ws/AGENTS.md"), [{ allow: "edit", path: "/ws/AGENTS.md" }])).toBe(
      "allow",
    );
    expect(decided(touching("write", "/ws/sub/AGENTS.md"), [{ allow: "edit", path: "/ws/AGENTS.md" }])).toBe(
      "ask",
    );
  });
});

test("files that agents edit all day are left to the rules, also in commands", () => {
  for (const name of ["package.json", "Makefile", "setup.py", "conftest.py", "src/a.ts"]) {
    expect(decided(touching("write", `/ws/${name}`), [{ allow: "edit" }]), name).toBe("allow");
    expect(decided(running(`touch ${name}`), [{ allow: "execute", command: "touch *" }]), name).toBe("allow");
  }
});
