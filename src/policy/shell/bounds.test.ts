import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readArgv, readShell, type ShellReading } from "./read-shell.js";

const last = ({ commands }: ShellReading) => commands.at(-1)?.argv.join(" ");

test("reads 10,000 commands and doubts a text with one more", () => {
  const most = readShell(`${"true; ".repeat(9999)}touch a`);
  expect(most.commands).toHaveLength(10_000);
  expect(last(most)).toBe("touch a");
  expect(most.doubts).toEqual([]);
  const more = readShell(`${"true; ".repeat(10_000)}touch a`);
  expect(more.commands).toHaveLength(10_000);
  expect(more.doubts).toEqual(["it has more than 10000 commands; the rest was not read"]);
});

test("doubts a long text, and still reads it", () => {
  const reading = readShell(`echo ${"a".repeat(100_001)}; touch a`);
  expect(last(reading)).toBe("touch a");
  expect(reading.doubts).toEqual(["it is longer than 100000 characters"]);
});

test("doubts deep nesting and keeps the commands before it", () => {
  const wrapped = readShell(`${"env ".repeat(80)}touch a`);
  expect(wrapped.doubts).toEqual(["it is nested more than 64 deep; what is deeper was not read"]);
  const nested = readShell(`touch a; ls ${"$(".repeat(3000)}${")".repeat(3000)}`);
  expect(nested.commands[0]?.argv).toEqual(["touch", "a"]);
  expect(nested.doubts).toContain("it is nested more than 64 deep; what is deeper was not read");
});

test("sees through sixty wrappers", () => {
  const reading = readShell(`${"env ".repeat(60)}touch a`);
  expect(last(reading)).toBe("touch a");
  expect(reading.doubts).toEqual([]);
});

const HOSTILE = [
  "`",
  "'",
  '"',
  "(",
  "[",
  "~",
  "*",
  "é",
  "$(",
  "${",
  "((",
  "[[ (",
  "{ ",
  "if ",
  "case x in ",
  "<<E\n",
  "$((",
  '"$(',
  "a;",
  "a|",
  "a&&",
  "<(",
  "a=(",
  "@(",
  "{a,",
  "\\\n",
  "f() ",
  "! ",
  "time ",
  "$'",
  "$[",
  "${x:-",
  "${a/",
  "{1..",
  '"`',
  "`\\`",
  "[[ ! ",
  "1+",
  "$((1+",
  "{a,'}'",
  "$(')'",
  "${a'}'",
  "eval ",
  "env ",
  "time -Z ",
  "sudo -Z ",
  "find -exec ",
  "strace ",
  "cd a;",
  "$x ",
  "x>f ",
  "{a,b}",
  "$(a)",
  "`a`",
  "npx ",
  "git -C a ",
];

const isLong = process.env["TOOLGATE_LONG"] !== undefined;
const LENGTH = isLong ? 1_000_000 : 110_000;
/** The short mode takes every twelfth, beginning at a random one. */
const EVERY = isLong ? 1 : 12;
const SEED = fc.readConfigureGlobal().seed ?? Date.now();

test.each(HOSTILE.filter((_, index) => (index + SEED) % EVERY === 0))(
  "reads very much of %j in bounded time",
  (piece) => {
    const text = `touch a; ${piece.repeat(Math.ceil(LENGTH / piece.length))}`;
    const started = process.cpuUsage();
    const reading = readShell(text);
    // A megabyte takes at most a second.
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(10_000);
    expect(reading.commands[0]?.argv).toEqual(["touch", "a"]);
    expect(reading.doubts).not.toEqual([]);
  },
);

test("a million words are answered too", () => {
  const argv = Array.from({ length: 1_000_000 }, () => "env");
  expect(readArgv(argv).commands[0]?.argv).toHaveLength(1_000_000);
});
