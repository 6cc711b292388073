import { posix, win32 } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  matchPath,
  touchesBelow,
  touchesPath,
  matchWildcards,
  foldPath,
  normalisePath,
  rememberResults,
} from "./match-path.js";

const E_ACUTE = "\u00e9";
const E_AND_ACUTE = "e\u0301";

describe("a pattern that allows", () => {
  test.each<[string, string]>([
    ["/ws/**", "/ws"],
    ["/ws/**", "/ws/"],
    ["/ws/**", "/ws/src/a.ts"],
    ["/ws/**", "/ws/.hidden/.file"],
    ["/ws/**", "/ws/..notes/x.md"],
    ["/ws/", "/ws/src/a.ts"],
    ["/ws/src/*.ts", "/ws/src/a.ts"],
    ["/ws/*", "/ws/.env"],
    ["/ws/**/x", "/ws/x"],
    ["/ws/**/x", "/ws/a/b/x"],
    ["/ws/**/b/*", "/ws/b/a/b/c"],
    ["/ws/?.ts", "/ws/é.ts"],
    ["/ws/?.ts", "/ws/💡.ts"],
    ["/ws/a{b,c}[d](e)!", "/ws/a{b,c}[d](e)!"],
    ["/ws/a\\b", "/ws/a\\b"],
    ["**/.env", "/ws/sub/.env"],
    ["**/.env", "C:\\ws\\.env"],
    ["**", "/"],
    ["/**", "/any/thing"],
    ["/", "/"],
    [`/ws/${E_ACUTE}`, `/ws/${E_AND_ACUTE}`],
    [`/ws/${E_AND_ACUTE}*`, `/ws/${E_ACUTE}t${E_ACUTE}`],
    ["C:\\ws\\**", "c:\\ws\\src\\a.ts"],
    ["C:/ws/**", "C:\\ws\\src"],
    ["\\\\server\\share\\ws\\", "\\\\SERVER\\share\\ws\\a"],
  ])("%s covers %s", (pattern, path) => {
    expect(matchPath(pattern, path)).toBe(true);
  });

  test.each<[string, string]>([
    ["/ws", "/ws-evil"],
    ["/ws", "/ws/a"],
    ["/ws/**", "/ws-evil/secret"],
    ["/ws/**", "/ws2"],
    ["/ws/**", "/"],
    ["/ws/**", "/outside/ws/x"],
    ["/ws/**", "/WS/a"],
    ["/ws/**", "/ws/../outside"],
    ["/ws/**", "/ws/./a"],
    ["/ws/**", "ws/a"],
    ["/ws/**", "/ws/a\0b"],
    ["/ws/**", "/ws/a\nb"],
    ["/ws/**", "/ws\\..\\outside"],
    ["/ws/**", ""],
    ["/ws/*", "/ws"],
    ["/ws/*", "/ws/a/b"],
    ["/ws/a**b", "/ws/a/b"],
    ["/ws/?", "/ws/ab"],
    ["/ws/[ab]", "/ws/a"],
    ["/ws/{a,b}", "/ws/a"],
    ["/ws/a\\*", "/ws/a*"],
    ["/ws/../**", "/ws/a"],
    ["ws/**", "/ws/a"],
    ["", "/"],
    ["/", "/a"],
    ["**/*", "/"],
    ["/ws/secrets/", "/ws/secrets2/readme"],
    ["/ws/a\\", "/ws/a/b"],
    ["C:\\ws\\**", "D:\\ws\\a"],
    ["C:\\ws\\**", "/C:/ws/a"],
    ["/C:/ws/**", "C:\\ws\\a"],
    ["\\\\server\\share\\**", "\\\\server\\other\\a"],
  ])("%j does not speak of %j", (pattern, path) => {
    expect(matchPath(pattern, path)).toBe(false);
  });

  test("case counts unless it is said not to", () => {
    expect(matchPath("/ws/Src/**", "/WS/sRC/a", { caseSensitive: false })).toBe(true);
    expect(matchPath("/ws/Src/**", "/ws/src/a", { caseSensitive: true })).toBe(false);
  });
});

describe("a pattern that denies", () => {
  test.each<[string, string]>([
    ["/ws/secrets/", "/ws/secrets/key.pem"],
    ["/ws/secrets", "/ws/secrets/deep/key.pem"],
    ["/ws/secrets/", "/ws/secrets"],
    ["/ws/secrets/**", "/ws/x/../secrets/key.pem"],
    ["/ws/secrets/**", "/ws/SECRETS/key.pem"],
    ["/ws/secrets/**", "/ws/ſecrets/key.pem"],
    ["/ws/secrets/**", "/ws/secrets./key.pem"],
    ["/ws/secrets/**", "/ws/sec\u200brets/key.pem"],
    [`/ws/${E_ACUTE}`, `/ws/${E_AND_ACUTE.toUpperCase()}`],
    ["/ws/*Σ", "/ws/ας"],
    ["**/.env", "/ws/sub/.env"],
    ["C:\\ws\\.env", "c:/WS/.env"],
    // An unreadable path or host is refused.
    ["/ws/secrets", "relative"],
    ["/ws/secrets", "/ws/a\0"],
    ["/ws/secrets", "C:\\ws\\a:stream"],
    ["/ws/secrets", "/ws/.\u200d./x"],
    ["secrets", "/ws/a"],
    ["/ws/../secrets", "/ws/a"],
  ])("%s touches %j", (pattern, path) => {
    expect(touchesPath(pattern, path)).toBe(true);
  });

  test.each<[string, string]>([
    ["/ws/secrets/", "/ws/secrets2/readme"],
    ["/ws/secrets", "/ws"],
    ["/ws/secrets/**", "/ws/secrets/../readme"],
    ["**/.env", "/ws/.env2"],
    ["/ws/а", "/ws/a"],
  ])("%s does not touch %s", (pattern, path) => {
    expect(touchesPath(pattern, path)).toBe(false);
  });

  test("a folder that is taken away may hold what is denied", () => {
    expect(touchesBelow("/ws/src/keep/**", "/ws/src")).toBe(true);
    expect(touchesBelow("/ws/src/keep/**", "/WS/")).toBe(true);
    expect(touchesBelow("**/.env", "/ws/any")).toBe(true);
    expect(touchesBelow("/ws/*/keep", "/ws/any")).toBe(true);
    expect(touchesBelow("/ws/src/keep/**", "/ws/docs")).toBe(false);
    expect(touchesBelow("/ws/src/keep/**", "/ws/src2")).toBe(false);
    expect(touchesBelow("keep", "/ws/docs")).toBe(true);
  });
});

const name = fc.oneof(
  fc.constantFrom("..", ".", "", "...", "..a", "ws", "ws-evil", "%2e%2e", "..\\", "C:", "é"),
  fc.string({ unit: "binary", maxLength: 4 }),
);
const anyPath = fc.array(name, { maxLength: 10 }).map((names) => names.join("/"));

// Node's own reading is the judge of what is inside.
test("no path escapes the root of a pattern once it is normalised", () => {
  fc.assert(
    fc.property(fc.constantFrom("/ws", "/ws/src", "/"), anyPath, (cwd, path) => {
      const normal = normalisePath(cwd, path);
      if (normal === undefined || !matchPath("/ws/**", normal)) return;
      const relative = posix.relative("/ws", posix.resolve(cwd, path));
      expect(relative.split("/")[0]).not.toBe("..");
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 150) },
  );
});

test("matches the same paths for allow and deny", () => {
  const pattern = fc
    .array(fc.oneof(name, fc.constantFrom("*", "**", "?", "*a", "Σ*")), { maxLength: 5 })
    .map((parts) => `/${parts.join("/")}`);
  fc.assert(
    fc.property(pattern, anyPath, (wild, path) => {
      const normal = normalisePath("/ws", path);
      if (normal === undefined || !matchPath(wild, normal)) return;
      expect(touchesPath(wild, normal)).toBe(true);
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 150) },
  );
});

/** How often two items were compared, and what came out. */
function counted(pattern: string, text: string): { readonly matches: boolean; readonly steps: number } {
  let steps = 0;
  const same = (wanted: string, item: string) => {
    steps += 1;
    return wanted === "?" || wanted === item;
  };
  return { matches: matchWildcards(Array.from(pattern), Array.from(text), { any: "*", same }), steps };
}

const longestRun = (pattern: string) => Math.max(...pattern.split("*").map((run) => run.length));

test.each<[string, string, boolean]>([
  ["", "", true],
  ["", "a", false],
  ["*", "", true],
  ["*", "abc", true],
  ["a*", "a", true],
  ["*a", "ba", true],
  ["*a", "ab", false],
  ["a*b*c", "a-b-b-c", true],
  ["a*b*c", "a-c-b", false],
  ["**", "", true],
  ["a?c", "abc", true],
  ["a?c", "ac", false],
  ["*ab", "aab", true],
  ["*aab*", "aaab", true],
])("%j against %j: %s", (pattern, text, expected) => {
  expect(counted(pattern, text).matches).toBe(expected);
});

// The platform's regular expressions are the judge; these patterns are too short to hurt them.
test("agrees with the equivalent regular expression", () => {
  const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength: 8 });
  const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 12 });
  fc.assert(
    fc.property(pattern, text, (wild, plain) => {
      const judge = new RegExp(`^${wild.replaceAll("*", ".*").replaceAll("?", ".")}$`);
      expect(counted(wild, plain).matches).toBe(judge.test(plain));
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 150) },
  );
});

test("an item is looked at no more often than the longest run between two stars is long", () => {
  const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength: 60 });
  const text = fc.string({ unit: fc.constantFrom("a", "a", "a", "b"), maxLength: 200 });
  fc.assert(
    fc.property(pattern, text, (wild, plain) => {
      expect(counted(wild, plain).steps).toBeLessThanOrEqual((plain.length + 1) * (longestRun(wild) + 1));
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 100) },
  );
});

test.each([
  ["ten thousand stars", "*".repeat(10_000)],
  ["ten thousand stars and an end that never comes", `${"*".repeat(10_000)}b`],
  ["stars between letters", `${"a*".repeat(10_000)}b`],
  ["stars between question marks", `${"?*".repeat(10_000)}b`],
])("%s take a few steps for each of 100,000 characters", (_name, pattern) => {
  expect(counted(pattern, "a".repeat(100_000)).steps).toBeLessThanOrEqual(200_000);
});

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

test("folds to the same text when applied twice, and for each spelling of one text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 12 }), (text) => {
      const folded = foldPath(`/${text}`);
      expect(foldPath(folded)).toBe(folded);
      expect(foldPath(`/${text}`.normalize("NFD"))).toBe(folded);
      expect(foldPath(`/${text}`.toUpperCase())).toBe(folded);
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 150) },
  );
});

test("folds each character like its capital, and none into one with a meaning in paths or patterns", () => {
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

test("reads a name full of dots in linear time", () => {
  expect(foldPath(`/${". ".repeat(50_000)}x`)).toHaveLength(100_002);
});

test.each<[string, string, string]>([
  ["/ws", "src/a.ts", "/ws/src/a.ts"],
  ["/ws", "/ws/src/../README.md", "/ws/README.md"],
  ["/ws", "/ws/../outside/secret", "/outside/secret"],
  ["/ws", "/ws//..//outside/secret", "/outside/secret"],
  ["/ws", "/ws/./../outside/secret", "/outside/secret"],
  ["/ws", "/ws/..notes/x.md", "/ws/..notes/x.md"],
  ["/ws", "../../../etc/passwd", "/etc/passwd"],
  ["/ws", "//outside", "/outside"],
  ["/ws", "/", "/"],
  ["/ws", "a/", "/ws/a"],
  ["/ws", "..\\outside", "/ws/..\\outside"],
  ["/ws", "/C:\\x/..", "/"],
  ["/ws", "/ws/%2e%2e/x", "/ws/%2e%2e/x"],
  ["/ws", "~/.ssh", "/ws/~/.ssh"],
  ["/ws/../home", ".", "/home"],
  ["C:\\ws", "src/a.ts", "C:\\ws\\src\\a.ts"],
  ["C:\\ws", "C:\\ws\\..\\outside", "C:\\outside"],
  ["C:\\ws", "d:/a/../../b", "d:\\b"],
  ["C:\\ws", "\\outside", "C:\\outside"],
  ["C:\\ws", "/outside", "C:\\outside"],
  ["C:\\ws", "//server/share/../x", "\\\\server\\share\\x"],
])("from %s, %j is %s", (cwd, path, expected) => {
  expect(normalisePath(cwd, path)).toBe(expected);
});

test.each<[string, string, string]>([
  ["empty", "/ws", ""],
  ["a NUL", "/ws", "a\0b"],
  ["a line feed", "/ws", "a\nb"],
  ["a carriage return", "/ws", "a\rb"],
  ["half a character", "/ws", "a\ud800"],
  ["an address", "/ws", "file:///outside/secret"],
  ["a name too long", "/ws", `a/${"b".repeat(256)}`],
  ["a path too long", "/ws", "a/".repeat(20_000)],
  ["a Windows path on POSIX", "/ws", "C:\\x"],
  ["a share on POSIX", "/ws", "\\\\server\\share"],
  ["no absolute working directory", "ws", "a"],
  ["a device", "C:\\ws", "\\\\?\\C:\\x"],
  ["a device with slashes", "C:\\ws", "//./pipe/x"],
  ["half a share", "C:\\ws", "\\\\server"],
  ["relative to a drive", "C:\\ws", "D:x"],
  ["a stream", "C:\\ws", "x.txt:stream"],
  ["dots that Windows drops", "C:\\ws", "a\\.. \\b"],
])("no path: %s", (_name, cwd, path) => {
  expect(normalisePath(cwd, path)).toBeUndefined();
});

// Node's own reading is the judge.
const part = fc.oneof(fc.constantFrom("..", ".", "", "a", "..."), fc.stringMatching(/^[a-z]{1,4}$/));
const path = (separators: string[]) =>
  fc
    .array(fc.tuple(part, fc.constantFrom(...separators)), { minLength: 1, maxLength: 10 })
    .map((parts) => parts.flat().join(""));

const withoutEnd = (text: string) => text.replace(/(?<=[^:\\])\\$/, "");

test("normalises a POSIX path as Node resolves it", () => {
  fc.assert(
    fc.property(path(["/", "/", "\\"]), (text) => {
      const result = normalisePath("/ws/src", text);
      if (result === undefined) return;
      expect(result).toBe(posix.resolve("/ws/src", text));
    }),
  );
});

test("normalises a Windows path as Node resolves it", () => {
  fc.assert(
    fc.property(fc.constantFrom("", "C:\\", "D:/", "\\"), path(["/", "\\"]), (start, text) => {
      const result = normalisePath("C:\\ws\\src", start + text);
      if (result === undefined) return;
      expect(withoutEnd(result)).toBe(withoutEnd(win32.resolve("C:\\ws\\src", start + text)));
    }),
  );
});

describe("a memory of results", () => {
  test("returns what the function returns, whichever texts come again", () => {
    const read = (text: string) => (text.length % 2 === 0 ? undefined : text.toUpperCase());
    const remembered = rememberResults(read);
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 3 })), (texts) => {
        for (const text of [...texts, ...texts]) expect(remembered(text)).toBe(read(text));
      }),
    );
  });

  test("reads a text once, also when the result is undefined", () => {
    const reads: string[] = [];
    const remembered = rememberResults((text) => void reads.push(text));
    remembered("a");
    remembered("a");
    expect(reads).toEqual(["a"]);
  });

  test("keeps no more than its bound, and no long text", () => {
    let reads = 0;
    const remembered = rememberResults(() => (reads += 1));
    const first = remembered("first");
    for (let number = 0; number < 2_000; number += 1) remembered(`${number}`);
    expect(remembered("first")).not.toBe(first);
    const long = "x".repeat(1_000);
    expect(remembered(long)).not.toBe(remembered(long));
  });
});
