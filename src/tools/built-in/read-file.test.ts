import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aContext, aWorkspace, failureOf, parsed, resultOf } from "../tools.samples.js";
import { readFile } from "./read-file.js";

async function read(files: Record<string, string | Uint8Array>, input: object): Promise<string> {
  const { workspace } = await aWorkspace(files);
  const { output, appended } = await resultOf(readFile, input, aContext(workspace).context);
  expect(appended).toEqual([{ type: "content", content: { type: "text", text: output } }]);
  return String(output);
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

test("returns a short file unchanged", async () => {
  for (const text of ["one\r\ntwo", "one\n", "\n", "é"])
    expect(await read({ "a.txt": text }, { path: "a.txt" })).toBe(text);
});

test("returns a long file in parts, each with the way to the next", async () => {
  const files = { "a.txt": numbered(4500) };
  const first = await read(files, { path: "a.txt" });
  expect(first).toBe(`${numbered(2000)}[Lines 1-2000 of 4500. Use line=2001 to continue.]`);
  const second = await read(files, { path: "a.txt", line: 2001 });
  expect(second.startsWith("line 2001\n")).toBe(true);
  expect(second.endsWith("line 4000\n[Lines 2001-4000 of 4500. Use line=4001 to continue.]")).toBe(true);
  const third = await read(files, { path: "a.txt", line: 4001 });
  expect(third.startsWith("line 4001\n") && third.endsWith("line 4500\n")).toBe(true);
});

test("returns the requested part, up to the maximum", async () => {
  expect(await read({ "a.txt": numbered(9) }, { path: "a.txt", line: 3, limit: 2 })).toBe(
    "line 3\nline 4\n[Lines 3-4 of 9. Use line=5 to continue.]",
  );
  expect(await read({ "a.txt": numbered(9) }, { path: "a.txt", line: 9, limit: 1 })).toBe("line 9\n");
  expect(await read({ "a.txt": numbered(2001) }, { path: "a.txt", limit: 5000 })).toContain("Use line=2001");
});

test("ends a part of wide lines before the maximum number of lines", async () => {
  const wide = `${"é".repeat(49_999)}\n`;
  expect(await read({ "a.txt": wide.repeat(4) }, { path: "a.txt" })).toBe(
    `${wide.repeat(2)}[Lines 1-2 of 4. Use line=3 to continue.]`,
  );
});

test("cuts a line that is too long for a part between characters, and can continue after it", async () => {
  const endless = `x${"é".repeat(200_000)}\n`;
  const cut = `x${"é".repeat(131_071)}`;
  expect(await read({ "a.txt": `${endless}end` }, { path: "a.txt" })).toBe(
    `${cut}\n[Line 1 is cut after 256 kB. Use line=2 to continue.]`,
  );
  expect(await read({ "a.txt": endless }, { path: "a.txt" })).toBe(`${cut}\n[Line 1 is cut after 256 kB.]`);
});

test("distinguishes an empty file from one that could not be read", async () => {
  expect(await read({ "a.txt": "" }, { path: "a.txt" })).toBe("[The file is empty.]");
});

test("fails with the next step when a file cannot be read", async () => {
  expect(await failureOf(read({}, { path: "src/ap.ts" }))).toBe(
    "ToolFailure: read_file: src/ap.ts does not exist. Nothing was read. List its folder to find the right name.",
  );
  expect(await failureOf(read({ "a.txt": "one\n" }, { path: "a.txt", line: 4 }))).toBe(
    "ToolFailure: read_file: a.txt has 1 line, so there is no line 4. Nothing was read. Use a line from 1 to 1.",
  );
  expect(await failureOf(read({ "src/a.ts": "" }, { path: "src" }))).toBe(
    "ToolFailure: read_file: src is a folder, not a file. Nothing was read. Use list_directory to see what is in it.",
  );
  expect(await failureOf(read({}, { path: "/dev/null" }))).toContain("a device, pipe or socket");
});

test("refuses an invalid input", () => {
  for (const input of [
    {},
    { path: "" },
    { path: "a", line: 0 },
    { path: "a", line: -1 },
    { path: "a", limit: 0 },
    { path: "a", limit: 1.5 },
    { path: 7 },
  ])
    expect(readFile.parse(input)).toMatchObject({ ok: false });
});

test("reports a line or a limit below 1", () => {
  const problem = (input: object) => {
    const result = readFile.parse({ path: "a", ...input });
    return result.ok ? "" : result.problem;
  };
  expect(problem({ line: -1 })).toMatch(
    /^read_file: the input is not valid\. line: .*>=1\. Nothing was run\.$/,
  );
  expect(problem({ limit: 0 })).toMatch(/limit: .*>=1/);
});

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";

test("detects an image by its bytes and not by its name", async () => {
  const start: readonly (readonly [string, Uint8Array])[] = [
    ["image/png", Buffer.from(PNG, "base64")],
    ["image/jpeg", Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16])],
    ["image/gif", Buffer.from("GIF89a\x01\x00\x01\x00")],
    ["image/webp", Buffer.from("RIFF\x0a\x00\x00\x00WEBPVP8 ")],
  ];
  for (const [mimeType, bytes] of start) {
    const { workspace } = await aWorkspace({ "a.txt": bytes });
    const { appended } = await resultOf(readFile, { path: "a.txt" }, aContext(workspace).context);
    expect(appended.map((item) => (item.type === "content" ? item.content : item))).toEqual([
      { type: "text", text: `[a.txt is an image: ${mimeType}, ${bytes.length} B.]` },
      { type: "image", data: Buffer.from(bytes).toString("base64"), mimeType },
    ]);
  }
});

test("reports an image that is too large", async () => {
  const image = Buffer.alloc(5 * 1024 * 1024 + 1);
  Buffer.from(PNG, "base64").copy(image);
  expect(await failureOf(read({ "a.png": image }, { path: "a.png" }))).toBe(
    "ToolFailure: read_file: a.png is an image of 5 MB, and one of at most 5 MB can be shown. Nothing was read. Make a smaller copy with a command, and read that.",
  );
  const { workspace } = await aWorkspace({ "a.png": image.subarray(0, -1) });
  const { output } = await resultOf(readFile, { path: "a.png" }, aContext(workspace).context);
  expect(output).toBe("[a.png is an image: image/png, 5 MB.]\n[image, image/png]");
});

test("names a command for a file that is not UTF-8 text", async () => {
  const failure = (bytes: Uint8Array) => failureOf(read({ "a.txt": bytes }, { path: "a.txt" }));
  expect(await failure(Buffer.from("a\0b"))).toBe(
    'ToolFailure: read_file: a.txt is not text: it has NUL bytes. Nothing was read. A command such as "file" says what it is, and "xxd" shows its bytes.',
  );
  expect(await failure(Buffer.from("caf\xe9", "latin1"))).toContain("iconv -f latin1 -t utf-8");
  expect(await failure(Buffer.from("\uFEFFhi", "utf16le"))).toContain("iconv -f utf-16 -t utf-8");
});

/** Lines of 1 MB each but for the first three, which are short. */
async function aLargeFile(lines: number) {
  const { root, workspace } = await aWorkspace();
  const path = join(root, "large.log");
  await writeFile(path, "first\nsecond\nthird é\n");
  const file = await open(path, "a");
  const wide = Buffer.from(`${"x".repeat(1024 * 1024 - 1)}\n`);
  for (let line = 0; line < lines; line++) await file.write(wide);
  await file.write("last\nthe end");
  await file.close();
  return async (input: object) =>
    String((await resultOf(readFile, { path: "large.log", ...input }, aContext(workspace).context)).output);
}

test("reads a file in parts when it is too large for memory", async () => {
  const part = await aLargeFile(12);
  expect(await part({ limit: 2 })).toBe(
    "first\nsecond\n[Lines 1-2 of a file of 12 MB. Use line=3 to continue.]",
  );
  // The lines after it do not fit.
  expect(await part({ line: 2 })).toBe(
    "second\nthird é\n[Lines 2-3 of a file of 12 MB. Use line=4 to continue.]",
  );
  expect(await part({ line: 15 })).toBe(
    `${"x".repeat(256 * 1024)}\n[Line 15 is cut after 256 kB. Use line=16 to continue.]`,
  );
  expect(await part({ line: 16 })).toBe("last\nthe end");
  expect(await part({ line: 16, limit: 1 })).toBe(
    "last\n[Lines 16-16 of a file of 12 MB. Use line=17 to continue.]",
  );
  expect(await part({ line: 17 })).toBe("the end");
  expect(await failureOf(part({ line: 18 }))).toBe(
    "ToolFailure: read_file: large.log has 17 lines, so there is no line 18. Nothing was read. Use a line from 1 to 17.",
  );
});

test("reports a line too far into a huge file, and reads the lines before it", async () => {
  const part = await aLargeFile(66);
  expect(await part({ line: 66 })).toContain("[Line 66 is cut after 256 kB. Use line=67 to continue.]");
  expect(await failureOf(part({ line: 69 }))).toBe(
    "ToolFailure: read_file: line 69 of large.log (66 MB) is too far into the file: 64 MB were looked through, 66 lines. Nothing was read. Search it with grep, or take out the lines with a command such as sed -n or tail.",
  );
});

test("does not read a huge empty file to its end", async () => {
  const { root, workspace } = await aWorkspace();
  const file = await open(join(root, "huge"), "w");
  await file.write("one\ntwo\n");
  await file.truncate(10 * 1024 ** 3);
  await file.close();
  const part = async (input: object) =>
    (await resultOf(readFile, { path: "huge", ...input }, aContext(workspace).context)).output;
  expect(await part({ limit: 2 })).toBe("one\ntwo\n[Lines 1-2 of a file of 10 GB. Use line=3 to continue.]");
  expect(await failureOf(part({ line: 3 }))).toContain("NUL bytes");
  expect(await failureOf(part({ line: 4 }))).toContain("NUL bytes");
});

test("cuts a large file between characters and shows no binary", async () => {
  const text = Buffer.from(`x${"é".repeat(6 * 1024 * 1024)}`);
  const shown = await read({ "a.txt": text }, { path: "a.txt" });
  expect(shown).toBe(`x${"é".repeat(131_071)}\n[Line 1 is cut after 256 kB.]`);
  text[1000] = 0xff;
  expect(await failureOf(read({ "a.txt": text }, { path: "a.txt" }))).toContain("not text in UTF-8");
});

test("stops a long search for a line when the call is cancelled", async () => {
  const { workspace } = await aWorkspace({ "a.txt": "x\n".repeat(6 * 1024 * 1024) });
  const reason = new Error("no longer wanted");
  const { context } = aContext(workspace, AbortSignal.abort(reason));
  await expect(resultOf(readFile, { path: "a.txt", line: 3_000_000 }, context)).rejects.toBe(reason);
});

test("names in its intent the file and line that it reads", async () => {
  const { root, workspace } = await aWorkspace();
  const input = parsed(readFile, { path: "a.txt", line: 7 });
  expect(await readFile.intent?.(input, workspace)).toEqual({
    paths: [{ path: `${root}/a.txt`, access: "read" }],
  });
  expect(await readFile.preview?.(input, workspace)).toEqual({
    locations: [{ path: `${root}/a.txt`, line: 7 }],
  });
});
