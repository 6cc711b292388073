import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { CacheFolders } from "./cache-folders.js";

test("removes caches that no project used for a month, and keeps that of this one", async () => {
  const place = await mkdtemp(join(tmpdir(), "toolgate-caches-"));
  onTestFinished(() => rm(place, { recursive: true }));
  const own = new CacheFolders(place, "/nowhere").of(["/own"], false);
  const unused = join(place, "unused");
  const recent = join(place, "recent");
  for (const folder of [unused, recent]) mkdirSync(folder);
  writeFileSync(join(unused, "left"), "");
  const longAgo = new Date(Date.now() - 31 * 24 * 3600 * 1000);
  for (const folder of [unused, own]) utimesSync(folder, longAgo, longAgo);

  // Another start of Toolgate.
  const caches = new CacheFolders(place, "/nowhere");
  expect(existsSync(unused)).toBe(true);
  expect(caches.of(["/own"], false)).toBe(own);
  await vi.waitUntil(() => !existsSync(unused), { timeout: 60_000 });
  expect([own, recent].map((folder) => existsSync(folder))).toEqual([true, true]);
});
