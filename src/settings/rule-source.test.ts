import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import type { Rule } from "../policy/index.js";
import { RuleSource } from "./rule-source.js";
import { allowing, newFolder, refusing, removeFolders, write } from "./settings.samples.js";

const sources: RuleSource[] = [];
afterEach(() => {
  for (const source of sources.splice(0)) source.close();
});
afterAll(removeFolders);

function aHouse() {
  const [folder, project] = [newFolder(), newFolder()];
  const reported: string[] = [];
  const start = () => {
    const source = new RuleSource({ folder, onProblem: (problem) => reported.push(problem) });
    sources.push(source);
    return source;
  };
  return {
    folder,
    project,
    reported,
    start,
    source: start(),
    user: join(folder, "rules.json"),
    own: join(project, ".toolgate", "rules.json"),
  };
}

const ALLOW: Rule = { allow: "execute", command: "make *" };
const ASK: Rule = { ask: "fetch" };
const DENY: Rule = { deny: "execute", command: "rm *" };
const OTHER: Rule = { deny: "delete" };

test("has no rules without a file, and asks about every call", () => {
  const { source, project } = aHouse();
  expect(source.current(project)).toEqual({
    rules: [],
    mode: "ask",
    problems: [],
    unread: [],
    ignored: [],
    origins: new Map(),
  });
});

test("joins the rules of the user, the project and the grants, each with its origin", async () => {
  const { source, project, user, own } = aHouse();
  write(user, { mode: "accept-edits", rules: [ALLOW, DENY] });
  write(own, { rules: [OTHER] });
  const { grantId } = await source.grants.add(refusing("curl"), { type: "session", sessionId: "one" });
  const { rules, mode, origins } = source.current(project, "one");
  expect(rules).toEqual([ALLOW, DENY, OTHER, { deny: "execute", command: "curl *" }]);
  expect(mode).toBe("accept-edits");
  expect(rules.map((rule) => origins.get(rule))).toEqual([
    { from: "user", file: user },
    { from: "user", file: user },
    { from: "project", file: own },
    { from: "grant", file: source.grants.path, grantId },
  ]);
  expect(source.current(project, "two").rules).toHaveLength(3);
});

test("applies a change at once, even one that keeps size and time", () => {
  const { source, project, user } = aHouse();
  write(user, { rules: [{ deny: "aaaa" }] });
  const { atime, mtime } = statSync(user);
  expect(source.current(project).rules).toEqual([{ deny: "aaaa" }]);
  write(user, { rules: [{ deny: "bbbb" }] });
  utimesSync(user, atime, mtime);
  expect(source.current(project).rules).toEqual([{ deny: "bbbb" }]);
});

test("applies the last of several changes within one clock tick of the disk", () => {
  const { source, project, user } = aHouse();
  for (let index = 100; index < 400; index += 1) {
    write(user, { rules: [{ deny: `t${index}` }] });
    expect(source.current(project).rules).toEqual([{ deny: `t${index}` }]);
  }
});

test("does not read an unchanged file again", async () => {
  const { source, project, user } = aHouse();
  write(user, { rules: [DENY] });
  await new Promise((resolve) => setTimeout(resolve, 80));
  expect(source.current(project).rules[0]).toBe(source.current(project).rules[0]);
});

test("reports a mistake once, with file and line, and keeps the last good rules", () => {
  const { source, project, user, reported } = aHouse();
  write(user, { mode: "read-only", rules: [ALLOW, DENY] });
  source.current(project);
  write(user, `{\n  "rules": [\n    { "deny": "a" "b" }\n  ]\n}`);
  const now = source.current(project);
  expect(now).toMatchObject({
    rules: [ALLOW, DENY],
    mode: "read-only",
    problems: [expect.stringContaining(`${user}:3: `)],
  });
  source.current(project);
  expect(reported).toEqual(now.problems);

  write(user, { rules: [OTHER] });
  expect(source.current(project)).toMatchObject({ rules: [OTHER], mode: "ask", problems: [] });
  write(user, "{");
  source.current(project);
  expect(reported).toHaveLength(2);
});

test("reports a mistake when the file is saved, before the next read", async () => {
  const { source, project, user, reported } = aHouse();
  write(user, { rules: [] });
  source.current(project);
  write(user, "{");
  await vi.waitFor(() => expect(reported).toEqual([expect.stringContaining(`${user}:1: `)]), {
    timeout: 120_000,
  });
});

test("asks about everything when a file was never good, the user's or the project's", () => {
  for (const which of ["user", "own"] as const) {
    const house = aHouse();
    write(house[which], "rules: all");
    expect(house.source.current(house.project)).toMatchObject({ rules: [{ ask: "*" }], mode: "ask" });
  }
});

test("keeps the deny and ask rules of a deleted file until the restart", () => {
  const { source, start, project, user, own, reported } = aHouse();
  write(user, { mode: "allow-all", rules: [ALLOW, ASK, DENY] });
  write(own, { mode: "read-only", rules: [OTHER] });
  source.current(project);
  rmSync(user);
  rmSync(own);
  const now = source.current(project);
  expect(now).toMatchObject({ rules: [ASK, DENY, OTHER], mode: "read-only", ignored: [{ rule: ALLOW }] });
  expect(reported).toHaveLength(2);
  expect(start().current(project)).toMatchObject({ rules: [], mode: "ask", problems: [] });
});

test("lets a project's file only tighten until its content is trusted, and after any change", async () => {
  const { source, start, project, own } = aHouse();
  write(own, { mode: "allow-all", rules: [ALLOW, ASK, DENY] });
  const before = source.current(project);
  expect(before).toMatchObject({
    rules: [ASK, DENY],
    mode: "ask",
    ignored: [{ rule: ALLOW }],
    project: { isTrusted: false },
  });
  expect(before.ignored[0]?.why).toContain("is not trusted");

  await source.trustProjectRules(project, before.project?.sha256);
  expect(source.current(project)).toMatchObject({
    rules: [ALLOW, ASK, DENY],
    mode: "allow-all",
    ignored: [],
  });
  expect(start().current(project)).toMatchObject({ rules: [ALLOW, ASK, DENY], project: { isTrusted: true } });
  expect(statSync(join(sourceFolder(source), "trusted.json")).mode & 0o777).toBe(0o600);

  writeFileSync(own, `${readFileSync(own, "utf8")}\n`);
  expect(source.current(project)).toMatchObject({
    rules: [ASK, DENY],
    mode: "ask",
    project: { isTrusted: false },
  });
  write(own, "{");
  expect(source.current(project)).toMatchObject({ rules: [ASK, DENY], mode: "ask" });
});

const sourceFolder = (source: RuleSource) => join(source.grants.path, "..");

test("does not trust content in a second project", async () => {
  const { source, project, own } = aHouse();
  write(own, { rules: [ALLOW] });
  await source.trustProjectRules(project);
  const other = newFolder();
  write(join(other, ".toolgate", "rules.json"), readFileSync(own, "utf8"));
  expect(source.current(project).rules).toEqual([ALLOW]);
  expect(source.current(other).rules).toEqual([]);
});

test("identifies a project by its real path: a link that moves carries no trust", async () => {
  const { source, project, own } = aHouse();
  const [links, evil] = [newFolder(), newFolder()];
  write(own, { rules: [ALLOW] });
  write(join(evil, ".toolgate", "rules.json"), { rules: [ALLOW] });
  symlinkSync(project, join(links, "project"));
  await source.trustProjectRules(join(links, "project"));
  expect(source.current(project).rules).toEqual([ALLOW]);
  rmSync(join(links, "project"));
  symlinkSync(evil, join(links, "project"));
  expect(source.current(join(links, "project")).rules).toEqual([]);
});

test("trusts only readable content that the user saw", async () => {
  const { source, project, own } = aHouse();
  await expect(source.trustProjectRules(project)).rejects.toMatchObject({ code: "NOTHING_TO_TRUST" });
  write(own, { rules: [ALLOW] });
  const { sha256 } = source.current(project).project!;
  write(own, { rules: [{ allow: "*" }] });
  await expect(source.trustProjectRules(project, sha256)).rejects.toMatchObject({ code: "CONTENT_CHANGED" });
  write(own, "{");
  await expect(source.trustProjectRules(project)).rejects.toMatchObject({ code: "NOTHING_TO_TRUST" });
});

test("trusts nobody while the list of trusted projects is broken", async () => {
  const { source, folder, project, own } = aHouse();
  write(own, { rules: [ALLOW] });
  await source.trustProjectRules(project);
  write(join(folder, "trusted.json"), `{"version":1,"projects":["${project}"]}`);
  expect(source.current(project)).toMatchObject({
    rules: [],
    problems: [expect.stringContaining("trusted.json:1: ")],
  });
});

/** user, project, whether it is trusted → the mode in force. */
test.each([
  [undefined, "read-only", false, "read-only"],
  ["ask", "allow-all", false, "ask"],
  ["ask", "accept-edits", false, "ask"],
  ["accept-edits", "ask", false, "ask"],
  ["allow-all", "accept-edits", false, "accept-edits"],
  ["allow-all", undefined, false, "allow-all"],
  ["read-only", "ask", false, "read-only"],
  ["read-only", "accept-edits", true, "accept-edits"],
  ["ask", undefined, true, "ask"],
])("the user's mode %s and the project's %s (trusted: %s) make %s", async (mine, its, isTrusted, mode) => {
  const { source, project, user, own } = aHouse();
  write(user, { mode: mine, rules: [] });
  write(own, { mode: its, rules: [] });
  if (isTrusted) await source.trustProjectRules(project);
  expect(source.current(project).mode).toBe(mode);
});

test("reports a pipe, a folder or a device in place of a file without waiting", () => {
  const { source, project, user, own, folder } = aHouse();
  mkdirSync(join(own, ".."), { recursive: true });
  expect(spawnSync("mkfifo", [own]).status).toBe(0);
  symlinkSync("/dev/zero", user);
  mkdirSync(join(folder, "grants.json"));
  const { problems, unread } = source.current(project);
  expect(unread).toEqual([user, own, join(folder, "grants.json")]);
  expect(problems).toEqual([
    expect.stringContaining(`${user} cannot be read: it is not a file`),
    expect.stringContaining(`${own} cannot be read: it is not a file`),
    expect.stringContaining(`grants.json cannot be read: it is not a file`),
  ]);
});

test("keeps denials of grants when the settings folder vanishes", async () => {
  const { source, project, folder } = aHouse();
  await source.grants.add(refusing("rm"), { type: "user" });
  await source.grants.add(allowing("make"), { type: "user" });
  expect(source.current(project).rules).toHaveLength(2);
  rmSync(folder, { recursive: true });
  expect(source.current(project).rules).toEqual([{ deny: "execute", command: "rm *" }]);
});
