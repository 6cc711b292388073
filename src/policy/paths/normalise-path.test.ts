import { posix, win32 } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { normalisePath } from "./normalise-path.js";

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

test("on POSIX the result is what Node resolves", () => {
  fc.assert(
    fc.property(path(["/", "/", "\\"]), (text) => {
      const result = normalisePath("/ws/src", text);
      if (result === undefined) return;
      expect(result).toBe(posix.resolve("/ws/src", text));
    }),
  );
});

test("on Windows the result is what Node resolves", () => {
  fc.assert(
    fc.property(fc.constantFrom("", "C:\\", "D:/", "\\"), path(["/", "\\"]), (start, text) => {
      const result = normalisePath("C:\\ws\\src", start + text);
      if (result === undefined) return;
      expect(withoutEnd(result)).toBe(withoutEnd(win32.resolve("C:\\ws\\src", start + text)));
    }),
  );
});
