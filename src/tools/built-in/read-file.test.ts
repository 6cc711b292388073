import { expect, test } from "vitest";
import { aContext, aWorkspace, failureOf, parsed } from "../tools.samples.js";
import { readFile } from "./read-file.js";

async function read(files: Record<string, string>, input: object): Promise<string> {
  const { workspace } = await aWorkspace(files);
  const { output, content } = await readFile.run(parsed(readFile, input), aContext(workspace).context);
  expect(content).toEqual([{ type: "content", content: { type: "text", text: output } }]);
  return String(output);
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

test("a short file comes as it is", async () => {
  for (const text of ["one\r\ntwo", "one\n", "\n", "é"])
    expect(await read({ "a.txt": text }, { path: "a.txt" })).toBe(text);
});

test("a long file comes in parts, and each says how to get the next", async () => {
  const files = { "a.txt": numbered(4500) };
  const first = await read(files, { path: "a.txt" });
  expect(first).toBe(`${numbered(2000)}[Lines 1-2000 of 4500. Use line=2001 to continue.]`);
  const second = await read(files, { path: "a.txt", line: 2001 });
  expect(second.startsWith("line 2001\n")).toBe(true);
  expect(second.endsWith("line 4000\n[Lines 2001-4000 of 4500. Use line=4001 to continue.]")).toBe(true);
  const third = await read(files, { path: "a.txt", line: 4001 });
  expect(third.startsWith("line 4001\n") && third.endsWith("line 4500\n")).toBe(true);
});

test("a part may be asked for, but none is larger than the largest", async () => {
  expect(await read({ "a.txt": numbered(9) }, { path: "a.txt", line: 3, limit: 2 })).toBe(
    "line 3\nline 4\n[Lines 3-4 of 9. Use line=5 to continue.]",
  );
  expect(await read({ "a.txt": numbered(9) }, { path: "a.txt", line: 9, limit: 1 })).toBe("line 9\n");
  expect(await read({ "a.txt": numbered(2001) }, { path: "a.txt", limit: 5000 })).toContain("Use line=2001");
});

test("wide lines end a part before its lines are up", async () => {
  const wide = `${"é".repeat(49_999)}\n`;
  expect(await read({ "a.txt": wide.repeat(4) }, { path: "a.txt" })).toBe(
    `${wide.repeat(2)}[Lines 1-2 of 4. Use line=3 to continue.]`,
  );
});

test("a line that is too long for any part is cut between characters, and the next can be reached", async () => {
  const endless = `x${"é".repeat(200_000)}\n`;
  const cut = `x${"é".repeat(131_071)}`;
  expect(await read({ "a.txt": `${endless}end` }, { path: "a.txt" })).toBe(
    `${cut}\n[Line 1 is cut after 256 kB. Use line=2 to continue.]`,
  );
  expect(await read({ "a.txt": endless }, { path: "a.txt" })).toBe(`${cut}\n[Line 1 is cut after 256 kB.]`);
});

test("an empty file is told from one that could not be read", async () => {
  expect(await read({ "a.txt": "" }, { path: "a.txt" })).toBe("[The file is empty.]");
});

test("what cannot be read is a failure that says what to do", async () => {
  expect(await failureOf(read({}, { path: "src/ap.ts" }))).toBe(
    "ToolFailure: read_file: src/ap.ts does not exist. Nothing was read. List its folder to find the right name.",
  );
  expect(await failureOf(read({ "a.txt": "one\n" }, { path: "a.txt", line: 4 }))).toBe(
    "ToolFailure: read_file: a.txt has 1 line, so there is no line 4. Nothing was read. Use a line from 1 to 1.",
  );
  expect(await failureOf(read({}, { path: "../x" }))).toContain("outside of the workspace");
});

test("an input that makes no sense is not run", () => {
  for (const input of [{}, { path: "" }, { path: "a", line: 0 }, { path: "a", limit: 1.5 }, { path: 7 }])
    expect(readFile.parse(input)).toMatchObject({ ok: false });
});

test("it says beforehand which file it reads, and where", async () => {
  const { root, workspace } = await aWorkspace();
  const input = parsed(readFile, { path: "a.txt", line: 7 });
  expect(await readFile.intent?.(input, workspace)).toEqual({
    paths: [{ path: `${root}/a.txt`, access: "read" }],
  });
  expect(await readFile.preview?.(input, workspace)).toEqual({
    locations: [{ path: `${root}/a.txt`, line: 7 }],
  });
});
