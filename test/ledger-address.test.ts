/** `--ledger` names a store: a file, or memory. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atHome } from "./cli-kit.js";

test.each([
  "run go",
  "serve",
  "history list",
  "history show",
  "history search x",
  "history verify",
  "history delete x",
  "stats",
  "stats --by model",
  "undo call_1",
])("toolgate %s refuses an address that no ledger has, and makes nothing", async (words) => {
  const at = await atHome();
  const address = "mysql://ann:secret@db/toolgate";
  const { status, stdout, stderr } = await at.runHere([...words.split(" "), "--ledger", address]);
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toContain('"mysql://…@db/toolgate" is no ledger that this toolgate can open');
  expect(stderr).toContain("Nothing was opened; name a file");
  expect(stderr).not.toMatch(/secret|\n\s+at /);
  expect(readdirSync(at.project)).toEqual([]);
});

test("runs a session in memory and leaves no file", async () => {
  const at = await atHome();
  const script = at.script([{ say: "Here." }]);
  const { status, stdout } = await at.runHere(["run", "--ledger", "memory:", "--script", script, "go"]);
  expect([status, stdout.includes("Here.")]).toEqual([0, true]);
  expect(readdirSync(at.project)).toEqual([]);
  expect((await at.runHere(["history", "list"])).stdout).toContain("No sessions are stored yet.");
  const { status: refused, stderr } = await at.runHere(["history", "list", "--ledger", "memory:"]);
  expect(refused).toBe(1);
  expect(stderr).toContain("memory: has no history to open. Nothing was read");
});

test("takes a path as a file, also with a colon in its name", async () => {
  const at = await atHome();
  const script = at.script([{ say: "Here." }]);
  expect((await at.runHere(["run", "--ledger", "./a:b", "--script", script, "go"])).status).toBe(0);
  expect(readdirSync(at.project)).toContain("a:b");
  const listed = await at.runHere(["history", "list", "--json", "--ledger", join(at.project, "a:b")]);
  expect(JSON.parse(listed.stdout)).toMatchObject({ sessions: [{ title: "go" }] });
});
