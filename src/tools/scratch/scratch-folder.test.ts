import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  makeScratch,
  MAX_UNUSED_MS,
  removeEmptyScratch,
  removeScratch,
  scratchPath,
  sweepScratch,
} from "./scratch-folder.js";

let temporary = "";

beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), "toolgate-scratch-test-"));
  vi.stubEnv("TMPDIR", temporary);
});
afterEach(() => void vi.unstubAllEnvs());

const pathOf = async (sessionId: string): Promise<string> =>
  (await scratchPath(sessionId, { root: "/ws" })) ?? "none";

test("makes a folder that only this user can enter, at the same path each time", async () => {
  const path = await pathOf("session_1");
  expect(await pathOf("session_1")).toBe(path);
  expect(existsSync(path)).toBe(false);
  await makeScratch(path);
  await makeScratch(path);
  for (const folder of [path, dirname(path)]) expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(path).not.toContain("session_1");
  expect(await pathOf("session_2")).not.toBe(path);
  expect(await scratchPath("session_1", { root: "/other" })).not.toBe(path);
});

test.each([
  ["a link", (usual: string) => symlinkSync("/etc", usual)],
  ["a file", (usual: string) => writeFileSync(usual, "")],
  ["a folder that others can enter", (usual: string) => mkdirSync(usual, { mode: 0o755 })],
])("takes a name that nobody can foresee when %s has the usual one", async (_what, put) => {
  const usual = join(temporary, `toolgate-${process.getuid?.() ?? 0}`);
  put(usual);
  const path = await pathOf("s");
  expect(dirname(path)).toMatch(/toolgate-\d+-\w{6}$/);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
});

test("refuses to use a link that has taken its place", async () => {
  const path = await pathOf("s");
  symlinkSync(temporary, path);
  await expect(makeScratch(path)).rejects.toThrow("is not a folder that only this user can enter");
});

test("has no folder where names are protected", async () => {
  vi.stubEnv("TMPDIR", join(temporary, ".ssh"));
  mkdirSync(join(temporary, ".ssh"));
  expect(await scratchPath("s", { root: "/ws" })).toBeUndefined();
  vi.stubEnv("TMPDIR", join(temporary, "missing"));
  expect(await scratchPath("s", { root: "/ws" })).toBeUndefined();
});

test("removes an empty folder when its session is closed, and all of it when the session is deleted", async () => {
  const [kept, gone] = [await pathOf("kept"), await pathOf("gone")];
  for (const path of [kept, gone]) await makeScratch(path);
  writeFileSync(join(kept, "a"), "");
  await removeEmptyScratch(kept);
  await removeEmptyScratch(gone);
  expect([existsSync(kept), existsSync(gone)]).toEqual([true, false]);
  await removeScratch(["other"]);
  expect(existsSync(kept)).toBe(true);
  await removeScratch(["kept"]);
  expect(existsSync(kept)).toBe(false);
});

test("sweeps the folders that were not used for long, and follows no link in them", async () => {
  const [old, young] = [await pathOf("old"), await pathOf("young")];
  for (const path of [old, young]) await makeScratch(path);
  mkdirSync(join(temporary, "precious"));
  writeFileSync(join(temporary, "precious", "a"), "");
  symlinkSync(join(temporary, "precious"), join(old, "link"));
  const then = new Date(Date.now() - MAX_UNUSED_MS - 1_000);
  utimesSync(old, then, then);
  await sweepScratch(dirname(old));
  expect(readdirSync(dirname(old))).toEqual([young.slice(dirname(young).length + 1)]);
  expect(existsSync(join(temporary, "precious", "a"))).toBe(true);
});

test("sweeps old folders when the process makes its first one, and not before", async () => {
  const path = await pathOf("new");
  const old = join(dirname(path), "old");
  mkdirSync(old);
  const then = new Date(Date.now() - MAX_UNUSED_MS - 1_000);
  utimesSync(old, then, then);
  expect(await pathOf("new")).toBe(path);
  expect(existsSync(old)).toBe(true);
  await makeScratch(path);
  await vi.waitUntil(() => !existsSync(old));
});
