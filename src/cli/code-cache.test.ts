import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CodeCache } from "./code-cache.js";

const NAME = "words-abcd1234.cjs";
const ONE = "(function () { return 'one'; })";
const TWO = "(function () { return 'two'; })";
const isRoot = process.getuid?.() === 0;

function place(): { readonly folder: string; readonly file: string } {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), "toolgate-code-")));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const folder = join(parent, "code-cache");
  return { folder, file: join(folder, "words.code") };
}

/** The result of the chunk, and whether its code came from the cache. */
function start(folder: string, source = ONE): { readonly result: unknown; readonly isCached: boolean } {
  const cache = CodeCache.open(folder);
  if (!cache) return { result: undefined, isCached: false };
  const script = cache.script(NAME, source, NAME);
  const run = script.runInThisContext() as () => unknown;
  const result = run();
  cache.save();
  return { result, isCached: script.cachedDataRejected === false };
}

test("saves compiled code where only its user can read or write, and uses it at the next start", () => {
  const { folder, file } = place();
  expect(start(folder)).toEqual({ result: "one", isCached: false });
  expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
  expect(readdirSync(folder)).toEqual(["words.code"]);
  expect(start(folder)).toEqual({ result: "one", isCached: true });
});

test("never runs the code of another text, even one of the same length, and replaces it", () => {
  const { folder } = place();
  start(folder, ONE);
  expect(start(folder, TWO)).toEqual({ result: "two", isCached: false });
  expect(start(folder, TWO)).toEqual({ result: "two", isCached: true });
  expect(start(folder, ONE)).toEqual({ result: "one", isCached: false });
});

test("does not use a file that is truncated, empty or changed anywhere", () => {
  const { folder, file } = place();
  start(folder);
  const whole = readFileSync(file);
  for (const length of [0, 16, 32, 40, whole.length - 1]) {
    writeFileSync(file, whole);
    truncateSync(file, length);
    expect(start(folder), `${length} bytes`).toEqual({ result: "one", isCached: false });
  }
  for (let at = 0; at < whole.length; at += 97) {
    const changed = Buffer.from(whole);
    changed.writeUInt8(changed.readUInt8(at) ^ 0xff, at);
    writeFileSync(file, changed);
    expect(start(folder), `byte ${at}`).toEqual({ result: "one", isCached: false });
  }
});

test("does not use a file that others can read or write, or that is a link", () => {
  const { folder, file } = place();
  start(folder);
  for (const mode of [0o620, 0o602, 0o644]) {
    chmodSync(file, mode);
    expect(start(folder), mode.toString(8)).toMatchObject({ isCached: false });
    expect(start(folder), "replaced").toMatchObject({ isCached: true });
  }
  const elsewhere = join(folder, "..", "elsewhere");
  renameSync(file, elsewhere);
  symlinkSync(elsewhere, file);
  expect(start(folder)).toMatchObject({ result: "one", isCached: false });
});

test("does not use a folder that others can use, that is a link or that is no folder", () => {
  const { folder } = place();
  start(folder);
  chmodSync(folder, 0o770);
  expect(CodeCache.open(folder)).toBeUndefined();
  chmodSync(folder, 0o700);
  const link = `${folder}-link`;
  symlinkSync(folder, link);
  expect(CodeCache.open(link)).toBeUndefined();
  const file = `${folder}-file`;
  writeFileSync(file, "");
  expect(CodeCache.open(file)).toBeUndefined();
});

test.runIf(isRoot)("does not use a file or a folder of another user", () => {
  const { folder, file } = place();
  start(folder);
  chownSync(file, 65_534, 65_534);
  expect(start(folder)).toMatchObject({ result: "one", isCached: false });
  chownSync(folder, 65_534, 65_534);
  expect(CodeCache.open(folder)).toBeUndefined();
});

test("makes no folder but its own, and runs on where nothing can be written", () => {
  const { folder } = place();
  expect(CodeCache.open(join(folder, "deeper"))).toBeUndefined();
  const cache = CodeCache.open(folder);
  cache?.script(NAME, ONE, NAME);
  rmSync(folder, { recursive: true });
  expect(() => cache?.save()).not.toThrow();
  // A folder in place of the file cannot be replaced by it.
  mkdirSync(join(folder, "words.code"), { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  expect(start(folder)).toEqual({ result: "one", isCached: false });
  expect(readdirSync(folder)).toEqual(["words.code"]);
});
