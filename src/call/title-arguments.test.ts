import { expect, test } from "vitest";
import { addressOf, commandOf, linesOf, pathOf, mainArgument, ownText, ownValue } from "./title-arguments.js";

test.each(["path", "file_path", "filePath", "target_file", "notebook_path", "directory"])(
  "finds a path under %s",
  (key) => {
    expect(pathOf({ [key]: "src/app.ts" })).toBe("src/app.ts");
    expect(pathOf({ [key]: "   " })).toBeUndefined();
  },
);

test.each([
  [{ offset: 10, limit: 31 }, " (lines 10-40)"],
  [{ start_line: 10, end_line: 40 }, " (lines 10-40)"],
  [{ view_range: [10, 40] }, " (lines 10-40)"],
  [{ view_range: [10, -1] }, " (from line 10)"],
  [{ line: 10 }, " (from line 10)"],
  [{ limit: 40 }, " (first 40 lines)"],
  [{ limit: 1 }, " (first line)"],
  [{ start_line: 40, end_line: 10 }, " (from line 40)"],
  [{ offset: -3 }, ""],
  [{ offset: "10", limit: Number.NaN }, ""],
  [{}, ""],
])("shows the lines of %j as %j", (input, lines) => {
  expect(linesOf(input)).toBe(lines);
});

test.each([
  [{ command: "npm test" }, "npm test"],
  [{ command: ["npm", "test"] }, "npm test"],
  [{ command: "npm", args: ["run", "a b"] }, "npm run 'a b'"],
  [{ command: ["bash", "-lc", "npm test | tee log"] }, "npm test | tee log"],
  [{ argv: ["bash", "-x", "script"] }, "bash -x script"],
  [{ command: "ls\nrm -rf x" }, "ls\\nrm -rf x"],
])("shows the command of %j as %j", (input, command) => {
  expect(commandOf(input)).toBe(command);
});

test("marks a command whose arguments were cut", () => {
  expect(commandOf({ argv: Array.from({ length: 5000 }, () => "x") })).toMatch(/^x x .* x …$/);
});

test.each([undefined, {}, { command: "" }, { command: [] }, { command: [7] }, { args: ["x"] }])(
  "%j has no command",
  (input) => {
    expect(commandOf(input)).toBeUndefined();
  },
);

test.each([
  ["https://example.com/docs", "example.com/docs"],
  ["http://example.com:8080/", "example.com:8080"],
  ["https://user:hunter2@example.com/a", "example.com/a"],
  ["https://example.com/a?access_token=hunter2#x", "example.com/a?…"],
  ["https://good.example@evil.example/", "evil.example"],
  ["https://evil.example\\@good.example/", "evil.example/@good.example/"],
  ["https://ex\u0430mple.com", "xn--exmple-4nf.com"],
  ["ftp://example.com/a", "ftp://example.com/a"],
  ["file:///etc/passwd", "file:///etc/passwd"],
  ["example.com/docs?token=hunter2", "example.com/docs?…"],
  ["http://user:hunter2@exa mple.com/", "http://exa mple.com/"],
])("shows the address %j as %j", (url, address) => {
  expect(addressOf({ url })).toBe(address);
});

test("shortens a very long address and keeps its true host", () => {
  expect(addressOf({ url: `https://evil.example\\@good.example/${"a".repeat(1_000_000)}` })).toMatch(
    /^evil\.example\//,
  );
});

const SECRET_KEYS =
  "token access_token password passwd secret client_secret api_key apiKey x-api-key authorization auth auth_header";

test.each(SECRET_KEYS.split(" "))("never shows the value of %s", (key) => {
  expect(mainArgument("zap", { [key]: "hunter2" })).toBeUndefined();
  expect(mainArgument("zap", { [key]: "hunter2", colour: "red" })).toBe("red");
});

test("shows no unknown argument of a tool that handles secrets", () => {
  expect(mainArgument("set_secret", { name: "DEPLOY", payload: "hunter2" })).toBe("DEPLOY");
  expect(mainArgument("set_secret", { payload: "hunter2" })).toBeUndefined();
  expect(mainArgument("zap", { value: "hunter2" })).toBeUndefined();
});

test("shows the most informative argument first", () => {
  expect(mainArgument("zap", { colour: "red", path: "a.ts" })).toBe("a.ts");
  expect(mainArgument("zap", { colour: "red", name: "x" })).toBe("x");
  expect(mainArgument("zap", { essay: "x".repeat(81), colour: "red" })).toBe("red");
  expect(mainArgument("zap", ["red"])).toBeUndefined();
});

test("ignores inherited fields of an input", () => {
  expect(ownValue({}, "constructor")).toBeUndefined();
  expect(ownValue(Object.create({ command: "rm -rf /" }), "command")).toBeUndefined();
  expect(ownValue({ command: "ls" }, "command")).toBe("ls");
});

test("runs no getter when it reads an input", () => {
  const trap = Object.defineProperty({}, "command", {
    get() {
      throw new Error("the getter ran");
    },
  });
  expect(ownValue(trap, "command")).toBeUndefined();
});

test.each([undefined, null, "text", 7, true])("%j holds nothing", (holder) => {
  expect(ownValue(holder, "length")).toBeUndefined();
});

test("takes the first key that has a text", () => {
  expect(ownText({ path: "", file_path: 3, filePath: "a.ts" }, ["path", "file_path", "filePath"])).toBe(
    "a.ts",
  );
  expect(ownText({}, ["path"])).toBeUndefined();
});
