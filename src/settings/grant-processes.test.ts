/** One grants file and several real processes, some of which are killed in the middle of a write. */
import { readdirSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { afterAll, expect, test } from "vitest";
import { FileLock } from "../process/file-lock.js";
import { GrantStore } from "./grant-store.js";
import { allowing, newFolder, removeFolders, runChild, write } from "./settings.samples.js";

afterAll(removeFolders);

const ADD_MANY = `
  const { GrantStore } = await import(main);
  const [folder, name, count] = args;
  const store = new GrantStore(folder);
  await Promise.all(Array.from({ length: Number(count) }, (_, index) =>
    store.add({ rules: [{ allow: "execute", command: [name, String(index)] }], sentence: name + index }, { type: "user" })));`;

/** Dies after the new file is written and before it replaces the old one. */
const DIE_BEFORE_RENAME = `
  import fs from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  fs.renameSync = () => { process.kill(process.pid, "SIGKILL"); for (;;); };
  syncBuiltinESMExports();
  const { GrantStore } = await import(main);
  await new GrantStore(args[0]).add({ rules: [{ allow: "*" }], sentence: "never stored" }, { type: "user" });`;

test("loses no grant when two processes add many at once", async () => {
  const count = process.env["TOOLGATE_LONG"] ? 50 : 20;
  const folder = newFolder();
  const ends = await Promise.all(
    ["ann", "bob"].map((name) => runChild(ADD_MANY, folder, name, String(count))),
  );
  expect(ends).toEqual([
    { code: 0, signal: null, output: "" },
    { code: 0, signal: null, output: "" },
  ]);
  const names = new GrantStore(folder).list().map(({ sentence }) => sentence);
  expect(new Set(names).size).toBe(2 * count);
  expect(readdirSync(folder)).toEqual(["grants.json"]);
});

test("keeps the old file when a process dies before it renames the new one, and takes over its lock", async () => {
  const folder = newFolder();
  const store = new GrantStore(folder);
  await store.add(allowing("make"), { type: "user" });
  const before = readFileSync(store.path, "utf8");

  const { signal } = await runChild(DIE_BEFORE_RENAME, folder);
  expect(signal).toBe("SIGKILL");
  expect(readFileSync(store.path, "utf8")).toBe(before);
  expect(
    readdirSync(folder)
      .map((name) => name.replace(/[0-9a-f-]{36}/, "*"))
      .sort(),
  ).toEqual(["grants.json", "grants.json.*.tmp", "grants.json.lock"]);

  const start = performance.now();
  await store.add(allowing("ls"), { type: "user" });
  // A lock is stale after ten seconds.
  expect(performance.now() - start).toBeLessThan(9_000);
  expect(store.list().map(({ sentence }) => sentence)).toEqual(["Always allow `make`", "Always allow `ls`"]);
  expect(readdirSync(folder)).toEqual(["grants.json"]);
});

test("works one at a time when many processes find the same dead lock", async () => {
  const folder = newFolder();
  await runChild(DIE_BEFORE_RENAME, folder);
  const names = ["ann", "bob", "cem", "dan"];
  await Promise.all(names.map((name) => runChild(ADD_MANY, folder, name, "10")));
  expect(new GrantStore(folder).list()).toHaveLength(40);
});

test.each([
  ["of a living process", JSON.stringify({ pid: process.pid, host: hostname(), token: "x" })],
  ["of another machine", JSON.stringify({ pid: 1, host: "elsewhere.example", token: "x" })],
  ["with nothing in it", ""],
])("waits for a lock %s and takes it over when it is never released", async (_whose, text) => {
  const file = `${newFolder()}/grants.json`;
  write(`${file}.lock`, text);
  const lock = new FileLock(file, { staleAfterMs: 200 });
  expect(lock.tryRun(() => "done")).toBeUndefined();
  const start = performance.now();
  expect(await lock.run(() => "done")).toBe("done");
  expect(performance.now() - start).toBeGreaterThan(150);
});

test("writes nothing after it lost the lock, and says so", () => {
  const file = `${newFolder()}/grants.json`;
  const held = new FileLock(file).tryRun((isStillOurs) => {
    expect(isStillOurs()).toBe(true);
    write(`${file}.lock`, "another's");
    return isStillOurs();
  });
  expect(held).toEqual({ result: false });
  expect(readFileSync(`${file}.lock`, "utf8")).toBe("another's");
});
