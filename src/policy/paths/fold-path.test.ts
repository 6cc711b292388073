import * as fc from "fast-check";
import { expect, test } from "vitest";
import { foldPath } from "./fold-path.js";

test.each<[string, string]>([
  ["/ws/.GIT/Config", "/ws/.git/config"],
  ["/ws/.git./config ", "/ws/.git/config"],
  ["/ws/.gi\u200ct/config", "/ws/.git/config"],
  ["/ws/.\u212aube", "/ws/.kube"],
  ["/ws/.ſſh", "/ws/.ssh"],
  ["/ws/E\u0301", "/ws/\u00e9"],
  ["/ws/...", "/ws/..."],
  ["/ws/..", "/ws/.."],
  ["/ws/a:b", "/ws/a:b"],
  ["C:\\WS\\.git::$INDEX_ALLOCATION\\config", "c:\\ws\\.git\\config"],
  ["\\\\Server\\Share\\A", "\\\\server\\share\\a"],
])("%j folds to %j", (path, expected) => {
  expect(foldPath(path)).toBe(expected);
});

test("letters that only look alike stay different", () => {
  expect(foldPath("/ws/.ѕѕh")).not.toBe("/ws/.ssh");
});

test("folding twice changes nothing more, and spellings of one text fold alike", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 12 }), (text) => {
      const folded = foldPath(`/${text}`);
      expect(foldPath(folded)).toBe(folded);
      expect(foldPath(`/${text}`.normalize("NFD"))).toBe(folded);
      expect(foldPath(`/${text}`.toUpperCase())).toBe(folded);
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 500) },
  );
});

test("every character folds like its capital, and none into one that means something in a path or pattern", () => {
  const found: string[] = [];
  for (let code = 0x80; code <= 0x1ffff; code += 1) {
    const path = `/a${String.fromCodePoint(code)}b`;
    const folded = foldPath(path);
    const means = /[/\\*?:]/.test(path.normalize("NFC").slice(1) + folded.slice(1));
    const isAlike = [folded, path.toUpperCase(), path.toLowerCase()].every((one) => foldPath(one) === folded);
    if (means || !isAlike) found.push(path);
  }
  expect(found).toEqual([]);
});

test("a name full of dots costs no more than its length", () => {
  expect(foldPath(`/${". ".repeat(50_000)}x`)).toHaveLength(100_002);
});
