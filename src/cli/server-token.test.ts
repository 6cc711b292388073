import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { openServerToken } from "./server-token.js";

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolgate-token-"));
  file = join(folder, "token");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

const open = (TOOLGATE_TOKEN?: string) =>
  openServerToken({ TOOLGATE_CONFIG: folder, ...(TOOLGATE_TOKEN !== undefined && { TOOLGATE_TOKEN }) });

describe("server tokens", () => {
  test("makes a token once, keeps it where only its owner can read it, and finds it again", () => {
    const first = open();
    expect(first).toEqual({ token: expect.stringMatching(/^[\w-]{43}$/), file, isNew: true });
    expect(readFileSync(file, "utf8")).toBe(`${first.token}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["token"]);
    expect(open()).toEqual({ ...first, isNew: false });
  });

  test("takes a token that is given, and stores nothing", () => {
    expect(open("given-by-someone-else")).toEqual({ token: "given-by-someone-else", isNew: false });
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each(["", "short", "with a space in the middle", "a,list,of,many,things", `${"x".repeat(20)}\n`])(
    "refuses %j as a token",
    (given) => {
      expect(() => open(given)).toThrow(/TOOLGATE_TOKEN must be .* Nothing was started\./);
    },
  );

  test("does not use a token file that others can read", () => {
    open();
    chmodSync(file, 0o640);
    expect(() => open()).toThrow(/can be read or written by others.*Nothing was started\./);
  });

  test("does not take a token from a link or from a file that holds none", () => {
    symlinkSync("/dev/null", file);
    expect(() => open()).toThrow(/is a link.*Nothing was started\./);
    rmSync(file);
    writeFileSync(file, "short", { mode: 0o600 });
    expect(() => open()).toThrow(/holds no token.*Nothing was started\./);
  });
});
