import { posix, win32 } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { absolutePath, isAbsolutePath, isWithin } from "./absolute-path.js";

test.each([
  "/",
  "/a",
  "/a/../b",
  "//server/share",
  "C:\\",
  "c:\\a",
  "C:/a",
  "\\\\server\\share",
  "\\\\?\\C:\\a",
])("%s is absolute", (path) => {
  expect(isAbsolutePath(path)).toBe(true);
});

test.each([
  "",
  ".",
  "..",
  "a",
  "./a",
  "../a",
  "~",
  "~/a",
  "C:",
  "C:a",
  "\\a",
  "1:\\a",
  "CC:\\a",
  "file:///a",
  "a/C:/b",
])("%j is not absolute", (path) => {
  expect(isAbsolutePath(path)).toBe(false);
});

test.each(["/etc/passwd", "/a/../b", "C:\\Users\\ann", "c:/a", "\\\\server\\share\\a"])(
  "keeps an absolute path unchanged: %s",
  (path) => {
    expect(absolutePath("/home/ann", path)).toBe(path);
    expect(absolutePath("C:\\Users\\ann", path)).toBe(path);
  },
);

describe("a relative path on POSIX", () => {
  test.each([
    ["/home/ann", "src/app.ts", "/home/ann/src/app.ts"],
    ["/home/ann/", "./src//app.ts", "/home/ann/src/app.ts"],
    ["/home/ann", "", "/home/ann"],
    ["/home/ann", ".", "/home/ann"],
    ["/home/ann", "..", "/home"],
    ["/home/ann", "src/../../bob/./x", "/home/bob/x"],
    ["/home/ann", "...", "/home/ann/..."],
    ["/home/ann", ".git", "/home/ann/.git"],
    ["/", "a", "/a"],
    ["/", ".", "/"],
    ["/home/ann", "../../../../etc/passwd", "/etc/passwd"],
    ["/", "../..", "/"],
  ])("from %s, %j is %s", (cwd, path, expected) => {
    expect(absolutePath(cwd, path)).toBe(expected);
  });

  test("a backslash is part of a file's name, so it leads nowhere else", () => {
    expect(absolutePath("/home/ann", "..\\secret")).toBe("/home/ann/..\\secret");
    expect(absolutePath("/home/ann", "a\\b")).toBe("/home/ann/a\\b");
  });

  test("dots in the working directory are taken out too, before they are stepped out of", () => {
    expect(absolutePath("/home/./ann/..", "x")).toBe("/home/x");
    expect(absolutePath("/home/ann/..", "../x")).toBe("/x");
  });
});

describe("a relative path on Windows", () => {
  test.each([
    ["C:\\Users\\ann", "src\\app.ts", "C:\\Users\\ann\\src\\app.ts"],
    ["C:\\Users\\ann", "src/app.ts", "C:\\Users\\ann\\src\\app.ts"],
    ["C:\\Users\\ann\\", ".\\src", "C:\\Users\\ann\\src"],
    ["C:\\Users\\ann", "..\\bob/../eve", "C:\\Users\\eve"],
    ["C:\\Users\\ann", "..\\..\\..\\..", "C:\\"],
    ["C:\\", "a", "C:\\a"],
    ["C:\\", "..", "C:\\"],
  ])("from %s, %j is %s", (cwd, path, expected) => {
    expect(absolutePath(cwd, path)).toBe(expected);
  });

  test("a working directory with slashes is walked all the same", () => {
    expect(absolutePath("C:/Users/ann", "src")).toBe("C:\\Users\\ann\\src");
    expect(absolutePath("C:/Users/ann", "..\\bob")).toBe("C:\\Users\\bob");
    expect(absolutePath("\\\\server/share/ann", "../bob")).toBe("\\\\server\\share\\bob");
  });

  test("a share stays a share, and nothing leads out of it", () => {
    expect(absolutePath("\\\\server\\share\\ann", "src")).toBe("\\\\server\\share\\ann\\src");
    expect(absolutePath("\\\\server\\share\\ann", "..\\bob")).toBe("\\\\server\\share\\bob");
    expect(absolutePath("\\\\server\\share", "..\\..\\x")).toBe("\\\\server\\share\\x");
  });
});

// Node's own reading is the judge.
const part = fc.oneof(
  fc.constantFrom("..", ".", "", "a", "b.ts", "..."),
  fc.stringMatching(/^[a-z ._-]{1,6}$/),
);
const names = fc.array(fc.stringMatching(/^[a-z]{1,6}$/), { maxLength: 4 });
const relative = (separator: fc.Arbitrary<string>) =>
  fc
    .array(fc.tuple(part, separator), { maxLength: 8 })
    .map((parts) => parts.flat().join(""))
    .filter((path) => !isAbsolutePath(path) && !path.startsWith("\\"));
const segments = (path: string) => path.split(/[\\/]/);
const withoutEnd = (path: string) => path.replace(/(?<=[^:\\/])[\\/]$/, "");

test("resolves as Node does on POSIX: absolute, without dots", () => {
  fc.assert(
    fc.property(names, relative(fc.constant("/")), (cwd, path) => {
      const result = absolutePath(`/${cwd.join("/")}`, path);
      expect(isAbsolutePath(result)).toBe(true);
      expect(segments(result)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^\.\.?$/)]));
      expect(result).toBe(posix.resolve(`/${cwd.join("/")}`, path));
    }),
  );
});

test("resolves as Node does on Windows: absolute, without dots", () => {
  const root = fc.constantFrom("C:\\", "d:\\", "\\\\server\\share\\");
  fc.assert(
    fc.property(root, names, relative(fc.constantFrom("/", "\\")), (drive, cwd, path) => {
      const result = absolutePath(drive + cwd.join("\\"), path);
      expect(isAbsolutePath(result)).toBe(true);
      expect(segments(result)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^\.\.?$/)]));
      expect(withoutEnd(result)).toBe(withoutEnd(win32.resolve(drive + cwd.join("\\"), path)));
    }),
  );
});

test("counts a path as within itself and its parent folders, and not within a folder of a similar name", () => {
  expect(isWithin("/a/b", "/a/b") && isWithin("/a/b", "/a") && isWithin("/a", "/")).toBe(true);
  expect(isWithin("/ab", "/a") || isWithin("/a", "/a/b")).toBe(false);
});
