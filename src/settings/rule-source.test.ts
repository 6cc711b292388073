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
  const told: string[] = [];
  const start = () => {
    const source = new RuleSource({ folder, onProblem: (problem) => told.push(problem) });
    sources.push(source);
    return source;
  };
  return {
    folder,
    project,
    told,
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

test("without any file there are no rules, and what nobody speaks of is asked", () => {
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

test("the rules of the user, the project and the grants hold together, and each says where it comes from", async () => {
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

test("a change holds from the next question on, even one that keeps size and time", () => {
  const { source, project, user } = aHouse();
  write(user, { rules: [{ deny: "aaaa" }] });
  const { atime, mtime } = statSync(user);
  expect(source.current(project).rules).toEqual([{ deny: "aaaa" }]);
  write(user, { rules: [{ deny: "bbbb" }] });
  utimesSync(user, atime, mtime);
  expect(source.current(project).rules).toEqual([{ deny: "bbbb" }]);
});

test("of changes faster than the clock of the disk, the last one holds", () => {
  const { source, project, user } = aHouse();
  for (let index = 100; index < 400; index += 1) {
    write(user, { rules: [{ deny: `t${index}` }] });
    expect(source.current(project).rules).toEqual([{ deny: `t${index}` }]);
  }
});

test("an unchanged file is not read again", async () => {
  const { source, project, user } = aHouse();
  write(user, { rules: [DENY] });
  await new Promise((resolve) => setTimeout(resolve, 80));
  expect(source.current(project).rules[0]).toBe(source.current(project).rules[0]);
});

test("a mistake is told once, with file and line, and the last good rules stay", () => {
  const { source, project, user, told } = aHouse();
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
  expect(told).toEqual(now.problems);

  write(user, { rules: [OTHER] });
  expect(source.current(project)).toMatchObject({ rules: [OTHER], mode: "ask", problems: [] });
  write(user, "{");
  source.current(project);
  expect(told).toHaveLength(2);
});

test("a mistake is told when it is saved, though nobody asked", async () => {
  const { source, project, user, told } = aHouse();
  write(user, { rules: [] });
  source.current(project);
  write(user, "{");
  await vi.waitFor(() => expect(told).toEqual([expect.stringContaining(`${user}:1: `)]), {
    timeout: 120_000,
  });
});

test("a file that was never good makes everything asked, whoever wrote it", () => {
  for (const which of ["user", "own"] as const) {
    const house = aHouse();
    write(house[which], "rules: all");
    expect(house.source.current(house.project)).toMatchObject({ rules: [{ ask: "*" }], mode: "ask" });
  }
});

test("a file that is gone leaves what it denied and asked, until toolgate is started again", () => {
  const { source, start, project, user, own, told } = aHouse();
  write(user, { mode: "allow-all", rules: [ALLOW, ASK, DENY] });
  write(own, { mode: "read-only", rules: [OTHER] });
  source.current(project);
  rmSync(user);
  rmSync(own);
  const now = source.current(project);
  expect(now).toMatchObject({ rules: [ASK, DENY, OTHER], mode: "read-only", ignored: [{ rule: ALLOW }] });
  expect(told).toHaveLength(2);
  expect(start().current(project)).toMatchObject({ rules: [], mode: "ask", problems: [] });
});

test("a project's file only tightens until its content is trusted, and again after any change", async () => {
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

test("content that was trusted in one project is not trusted in another", async () => {
  const { source, project, own } = aHouse();
  write(own, { rules: [ALLOW] });
  await source.trustProjectRules(project);
  const other = newFolder();
  write(join(other, ".toolgate", "rules.json"), readFileSync(own, "utf8"));
  expect(source.current(project).rules).toEqual([ALLOW]);
  expect(source.current(other).rules).toEqual([]);
});

test("a project is the same by whatever link it is opened, and a link that moves on takes no trust along", async () => {
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

test("only content that can be read and was seen is trusted", async () => {
  const { source, project, own } = aHouse();
  await expect(source.trustProjectRules(project)).rejects.toMatchObject({ code: "NOTHING_TO_TRUST" });
  write(own, { rules: [ALLOW] });
  const { sha256 } = source.current(project).project!;
  write(own, { rules: [{ allow: "*" }] });
  await expect(source.trustProjectRules(project, sha256)).rejects.toMatchObject({ code: "CONTENT_CHANGED" });
  write(own, "{");
  await expect(source.trustProjectRules(project)).rejects.toMatchObject({ code: "NOTHING_TO_TRUST" });
});

test("a broken list of trusted projects trusts nobody", async () => {
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

test("a pipe, a folder or a device in the place of a file is a problem and not a wait", () => {
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

test("when the settings folder vanishes, the denials of the grants stay too", async () => {
  const { source, project, folder } = aHouse();
  await source.grants.add(refusing("rm"), { type: "user" });
  await source.grants.add(allowing("make"), { type: "user" });
  expect(source.current(project).rules).toHaveLength(2);
  rmSync(folder, { recursive: true });
  expect(source.current(project).rules).toEqual([{ deny: "execute", command: "rm *" }]);
});
