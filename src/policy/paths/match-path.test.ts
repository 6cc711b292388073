import { posix } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matchPath, touchesBelow, touchesPath } from "./match-path.js";
import { normalisePath } from "./normalise-path.js";

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
    { numRuns: 3000 },
  );
});

test("what a pattern allows, the same pattern would deny", () => {
  const pattern = fc
    .array(fc.oneof(name, fc.constantFrom("*", "**", "?", "*a", "Σ*")), { maxLength: 5 })
    .map((parts) => `/${parts.join("/")}`);
  fc.assert(
    fc.property(pattern, anyPath, (wild, path) => {
      const normal = normalisePath("/ws", path);
      if (normal === undefined || !matchPath(wild, normal)) return;
      expect(touchesPath(wild, normal)).toBe(true);
    }),
    { numRuns: 3000 },
  );
});
