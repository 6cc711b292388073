import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import type { GrantScope } from "../policy/index.js";
import { GrantStore } from "./grant-store.js";
import { allowing, newFolder, refusing, removeFolders, write } from "./settings.samples.js";

afterAll(removeFolders);

const USER: GrantScope = { type: "user" };
const HOUR = 3_600_000;

function commandsFor(
  store: GrantStore,
  now: number,
  projectRoot = "/ws",
  sessionId?: string,
): readonly string[] {
  return store
    .rulesFor({ projectRoot, sessionId, now })
    .map(({ rule }) => String(rule.command ?? JSON.stringify(rule)));
}

test("remembers, lists, counts and revokes a grant", async () => {
  const folder = newFolder();
  const store = new GrantStore(folder, { now: () => 1000 });
  const grant = await store.add(allowing("make"), USER);
  expect(grant).toMatchObject({ sentence: "Always allow `make`", scope: USER, createdAt: 1000, uses: 0 });

  const later = new GrantStore(folder);
  expect(later.list()).toEqual([{ ...grant, isOver: false }]);
  expect(later.rulesFor({ projectRoot: "/ws", now: 2000 })).toEqual([
    { rule: { allow: "execute", command: ["make"], folder: "/ws", input: "" }, grantId: grant.grantId },
  ]);
  await Promise.all([
    later.countUse(grant.grantId),
    store.countUse(grant.grantId),
    store.countUse("unknown"),
  ]);
  expect(store.list()).toMatchObject([{ uses: 2 }]);

  expect(await later.revoke(grant.grantId)).toBe(true);
  expect(await later.revoke(grant.grantId)).toBe(false);
  expect(commandsFor(store, 2000)).toEqual([]);
});

test("makes the file readable by the user only, whatever its mode was", async () => {
  const folder = newFolder();
  const store = new GrantStore(folder);
  await store.add(allowing("make"), USER);
  expect(statSync(store.path).mode & 0o777).toBe(0o600);
  chmodSync(store.path, 0o666);
  await store.add(allowing("ls"), USER);
  expect(statSync(store.path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["grants.json"]);
});

test("applies a session's and a project's grants only there", async () => {
  const [folder, project, links] = [newFolder(), newFolder(), newFolder()];
  const store = new GrantStore(folder);
  symlinkSync(project, join(links, "link"));
  await store.add(allowing("everywhere"), USER);
  await store.add(allowing("here"), { type: "project", root: join(links, "link") });
  await store.add(allowing("now"), { type: "session", sessionId: "one" });
  expect(commandsFor(store, 1, project, "one")).toEqual(["everywhere", "here", "now"]);
  expect(commandsFor(store, 1, join(links, "link"), "two")).toEqual(["everywhere", "here"]);
  expect(commandsFor(store, 1, `${project}-evil`)).toEqual(["everywhere"]);
  expect(commandsFor(store, 1, join(project, "inside"), "one")).toEqual(["everywhere", "now"]);

  const elsewhere = newFolder();
  rmSync(join(links, "link"));
  symlinkSync(elsewhere, join(links, "link"));
  expect(commandsFor(store, 1, join(links, "link"))).toEqual(["everywhere"]);
});

test("keeps an expired grant expired when the clock is set back, in other processes too", async () => {
  const folder = newFolder();
  const store = new GrantStore(folder, { now: () => 0 });
  await store.add(allowing("make"), USER, { expiresAt: HOUR });
  expect(commandsFor(store, HOUR - 1)).toEqual(["make"]);
  expect(commandsFor(store, HOUR)).toEqual([]);
  expect(commandsFor(store, 1)).toEqual([]);
  const other = new GrantStore(folder, { now: () => 1 });
  expect(commandsFor(other, 1)).toEqual([]);
  expect(other.list()).toMatchObject([{ isOver: true }]);
});

test("keeps it expired even while the file cannot be written", async () => {
  const folder = newFolder();
  const store = new GrantStore(folder, { now: () => 0 });
  await store.add(allowing("make"), USER, { expiresAt: HOUR });
  mkdirSync(`${store.path}.lock`);
  expect(commandsFor(store, HOUR)).toEqual([]);
  expect(commandsFor(store, 1)).toEqual([]);
  rmSync(`${store.path}.lock`, { recursive: true });
  expect(commandsFor(store, 1)).toEqual([]);
  expect(commandsFor(new GrantStore(folder), 1)).toEqual([]);
});

test("keeps new grants after a clock that once ran far ahead", async () => {
  const folder = newFolder();
  let now = 0;
  const store = new GrantStore(folder, { now: () => now });
  await store.add(allowing("old"), USER, { expiresAt: HOUR });
  expect(commandsFor(store, 1e15)).toEqual([]);
  now = 10;
  await store.add(allowing("new"), USER, { expiresAt: HOUR });
  expect(commandsFor(store, 11)).toEqual(["new"]);
});

test("treats a grant as expired when the current time is no number", async () => {
  const store = new GrantStore(newFolder());
  await store.add(allowing("make"), USER, { expiresAt: HOUR });
  expect(commandsFor(store, Number.NaN)).toEqual([]);
});

test("never revives an expired grant, however the clock jumps", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(2000), fc.boolean()), { maxLength: 12 }), async (steps) => {
      const folder = newFolder();
      let store = new GrantStore(folder, { now: () => 0 });
      await store.add(allowing("make"), USER, { expiresAt: 1000 });
      let wasOver = false;
      for (const [now, restarts] of steps) {
        if (restarts) store = new GrantStore(folder);
        wasOver ||= now >= 1000;
        expect(commandsFor(store, now)).toEqual(wasOver ? [] : ["make"]);
      }
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 25) },
  );
});

test("keeps a denial past its expiry until it is revoked", async () => {
  const store = new GrantStore(newFolder(), { now: () => 0 });
  const { grantId } = await store.add(refusing("rm"), USER, { expiresAt: HOUR });
  expect(commandsFor(store, 2 * HOUR)).toEqual(["rm *"]);
  await store.revoke(grantId);
  expect(commandsFor(store, 2 * HOUR)).toEqual([]);
});

test("keeps the last good grants when the file breaks, and does not overwrite it", async () => {
  const store = new GrantStore(newFolder());
  await store.add(allowing("make"), USER);
  await store.add(refusing("rm"), USER);
  write(store.path, `{ "version": 1,\n "grants": [ {] }`);
  expect(commandsFor(store, 1)).toEqual(["make", "rm *"]);
  expect(store.problem).toMatch(
    /grants\.json:2: .*\. The remembered rules that were read last stay in force until .* Put the file right\.$/,
  );
  await expect(store.add(allowing("ls"), USER)).rejects.toMatchObject({ code: "FILE_BROKEN" });
  expect(readFileSync(store.path, "utf8")).toContain("{]");
  expect(existsSync(`${store.path}.lock`)).toBe(false);
});

test("asks about everything while the file could never be read", () => {
  const store = new GrantStore(newFolder());
  write(store.path, { version: 2, grants: [] });
  expect(store.rulesFor({ projectRoot: "/ws", now: 1 })).toMatchObject([{ rule: { ask: "*" } }]);
  expect(store.list()).toEqual([]);
  expect(store.problem).toMatch(
    /\. No remembered rule is in force: what they allowed is asked about, and so is every other call, .* remove it to begin without any\.$/,
  );
});

test("drops the allowances of a deleted file and keeps its denials", async () => {
  const store = new GrantStore(newFolder());
  await store.add(allowing("make"), USER);
  await store.add(refusing("rm"), USER);
  expect(commandsFor(store, 1)).toEqual(["make", "rm *"]);
  rmSync(store.path);
  expect(commandsFor(store, 1)).toEqual(["rm *"]);
  expect(existsSync(store.path)).toBe(false);
});

test("stores nothing that could not be read again", async () => {
  const store = new GrantStore(newFolder());
  await expect(store.add(allowing("make"), USER, { expiresAt: Number.NaN })).rejects.toMatchObject({
    code: "NOT_STORABLE",
  });
  await expect(store.add({ rules: [{ allow: "" }], sentence: "" }, USER)).rejects.toMatchObject({
    code: "NOT_STORABLE",
  });
  expect(existsSync(store.path)).toBe(false);
});

test("fields of a newer toolgate survive a change", async () => {
  const store = new GrantStore(newFolder());
  const { grantId } = await store.add(allowing("make"), USER);
  const text = readFileSync(store.path, "utf8");
  writeFileSync(store.path, text.replace(`"uses": 0`, `"uses": 0,\n "note": "from 2031"`));
  await store.countUse(grantId);
  expect(readFileSync(store.path, "utf8")).toContain(`"note": "from 2031"`);
});
