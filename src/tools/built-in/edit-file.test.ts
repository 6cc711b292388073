import { readdir, readFile as readDisk, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aContext, aWorkspace, failureOf, parsed } from "../tools.samples.js";
import { editFile } from "./edit-file.js";

async function edit(text: string | undefined, change: { oldText?: string; newText: string }) {
  const { root, workspace } = await aWorkspace(text === undefined ? {} : { "a.ts": text });
  const input = parsed(editFile, { path: "a.ts", ...change });
  const result = await editFile.run(input, aContext(workspace).context);
  return { root, ...result, text: await readDisk(join(root, "a.ts"), "utf8") };
}

test("a passage that occurs once is replaced, and the diff is of what was written", async () => {
  const { root, text, output, content } = await edit("one\ntwo\nthree\n", {
    oldText: "two",
    newText: "$& 2",
  });
  expect(text).toBe("one\n$& 2\nthree\n");
  expect(output).toBe("Edited a.ts at line 2: 1 passage replaced.");
  expect(content).toEqual([
    {
      type: "diff",
      operation: "modify",
      path: `${root}/a.ts`,
      oldText: "one\ntwo\nthree\n",
      newText: "one\n$& 2\nthree\n",
    },
  ]);
});

test("a passage may be taken out", async () => {
  expect((await edit("one\ntwo\n", { oldText: "one\n", newText: "" })).text).toBe("two\n");
});

test("a passage that occurs several times is not replaced, and the message says where it is", async () => {
  const lines = Array.from({ length: 90 }, (_, index) =>
    [12, 40, 88].includes(index + 1) ? "same" : "other",
  );
  expect(await failureOf(edit(lines.join("\n"), { oldText: "same", newText: "x" }))).toBe(
    'ToolFailure: edit_file: "oldText" occurs 3 times in a.ts (lines 12, 40, 88); it must occur once. Add a line before or after it. The file was not changed.',
  );
  expect(await failureOf(edit("x\n".repeat(12), { oldText: "x", newText: "y" }))).toContain(
    "occurs 12 times in a.ts (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …);",
  );
});

test("passages that overlap count as two", async () => {
  expect(await failureOf(edit("aaa", { oldText: "aa", newText: "b" }))).toContain(
    "occurs 2 times in a.ts (lines 1, 1)",
  );
});

test("a passage that is not there is not replaced", async () => {
  expect(await failureOf(edit("one\n", { oldText: "One", newText: "x" }))).toBe(
    'ToolFailure: edit_file: "oldText" does not occur in a.ts; it must occur once, with the same spaces and line ends. Read the file again and copy the passage. The file was not changed.',
  );
});

test("an edit that changes nothing says so", async () => {
  expect(await failureOf(edit("one\n", { oldText: "one", newText: "one" }))).toContain("are the same");
});

test("without an old text a file is created, in folders that need not exist", async () => {
  const { root, workspace } = await aWorkspace();
  const input = parsed(editFile, { path: "src/deep/a.ts", newText: "new\n" });
  const { output, content } = await editFile.run(input, aContext(workspace).context);
  expect(output).toBe("Created src/deep/a.ts.");
  expect(content).toEqual([
    { type: "diff", operation: "add", path: `${root}/src/deep/a.ts`, newText: "new\n" },
  ]);
  expect(await readDisk(join(root, "src/deep/a.ts"), "utf8")).toBe("new\n");
  expect(await readdir(root, { recursive: true })).toEqual(["src", "src/deep", "src/deep/a.ts"]);
});

test("a file that has something in it is not created again", async () => {
  for (const change of [{ newText: "x" }, { oldText: "", newText: "x" }])
    expect(await failureOf(edit("one", change))).toBe(
      'ToolFailure: edit_file: a.ts exists already, and without "oldText" a new file is created. The file was not changed. Give the passage to replace as "oldText".',
    );
});

test("an empty file can be filled", async () => {
  expect((await edit("", { newText: "x" })).text).toBe("x");
});

test("a passage of a file that does not exist cannot be replaced", async () => {
  expect(await failureOf(edit(undefined, { oldText: "a", newText: "b" }))).toContain("a.ts does not exist");
});

test("a file with CRLF line ends keeps them, whichever the model writes", async () => {
  const crlf = "one\r\ntwo\r\nthree\r\n";
  const changed = "one\r\n2\r\n2.5\r\nthree\r\n";
  expect((await edit(crlf, { oldText: "one\ntwo\n", newText: "one\n2\n2.5\n" })).text).toBe(changed);
  expect((await edit(crlf, { oldText: "one\r\ntwo\r\n", newText: "one\r\n2\r\n2.5\r\n" })).text).toBe(
    changed,
  );
  expect((await edit(crlf, { oldText: "two", newText: "2\n2.5" })).text).toBe(changed);
});

test("a file with both line ends is changed only as written", async () => {
  const mixed = "one\r\ntwo\nthree\r\n";
  expect((await edit(mixed, { oldText: "two\nthree", newText: "2\n3" })).text).toBe("one\r\n2\n3\r\n");
  expect(await failureOf(edit(mixed, { oldText: "one\ntwo", newText: "x" }))).toContain("does not occur");
});

test("a byte order mark stays", async () => {
  expect((await edit("\uFEFFone", { oldText: "one", newText: "two" })).text).toBe("\uFEFFtwo");
});

test("it says beforehand what it will write, where, and onto what", async () => {
  const { root, workspace } = await aWorkspace({ "a.ts": "abc" });
  const input = parsed(editFile, { path: "a.ts", oldText: "abc", newText: "abc\nd" });
  expect(await editFile.intent?.(input, workspace)).toEqual({
    paths: [{ path: `${root}/a.ts`, access: "write" }],
    // SHA-256 of "abc", from FIPS 180.
    baseHashes: { [`${root}/a.ts`]: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
  });
  expect(await editFile.preview?.(input, workspace)).toEqual({
    content: [{ type: "diff", operation: "modify", path: `${root}/a.ts`, oldText: "abc", newText: "abc\nd" }],
    locations: [{ path: `${root}/a.ts`, line: 1 }],
  });
});

test("a new file has no hash to be bound to", async () => {
  const { root, workspace } = await aWorkspace();
  const input = parsed(editFile, { path: "new.ts", newText: "x" });
  expect(await editFile.intent?.(input, workspace)).toEqual({
    paths: [{ path: `${root}/new.ts`, access: "write" }],
    baseHashes: {},
  });
});

test("the place is the line where the texts begin to differ", async () => {
  const { root, workspace } = await aWorkspace({ "a.ts": "one\ntwo\nthree\n" });
  const input = parsed(editFile, { path: "a.ts", oldText: "one\ntwo\n", newText: "one\ntwo\n2.5\n" });
  expect(await editFile.preview?.(input, workspace)).toMatchObject({
    locations: [{ path: `${root}/a.ts`, line: 3 }],
  });
});

test("an edit that cannot be made fails before anyone is asked", async () => {
  const { workspace } = await aWorkspace({ "a.ts": "one" });
  const preview = editFile.preview?.(
    parsed(editFile, { path: "a.ts", oldText: "two", newText: "" }),
    workspace,
  );
  expect(await failureOf(preview!)).toContain("does not occur");
});

test("a file that changed since it was shown is edited as it is now, and that is what is shown", async () => {
  const { root, workspace } = await aWorkspace({ "a.ts": "one\n" });
  const input = parsed(editFile, { path: "a.ts", oldText: "one", newText: "1" });
  await editFile.preview?.(input, workspace);
  await writeFile(join(root, "a.ts"), "zero\none\n");
  const { context, reported } = aContext(workspace);
  const { content } = await editFile.run(input, context);
  expect(content).toMatchObject([{ oldText: "zero\none\n", newText: "zero\n1\n" }]);
  expect(reported).toEqual([{ locations: [{ path: `${root}/a.ts`, line: 2 }] }]);
});

test("of many edits of one file at once none is lost", async () => {
  const { root, workspace } = await aWorkspace({ "a.ts": "<0><1><2><3><4><5><6><7>" });
  const { context } = aContext(workspace);
  const edits = Array.from({ length: 8 }, (_, index) =>
    editFile.run(parsed(editFile, { path: "a.ts", oldText: `<${index}>`, newText: `${index} ` }), context),
  );
  const failing = editFile.run(parsed(editFile, { path: "a.ts", oldText: "none", newText: "" }), context);
  expect(await failureOf(failing)).toContain("does not occur");
  await Promise.all(edits);
  expect(await readDisk(join(root, "a.ts"), "utf8")).toBe("0 1 2 3 4 5 6 7 ");
});

test("an edit that was cancelled before it was written changes nothing", async () => {
  const { root, workspace } = await aWorkspace({ "a.ts": "one" });
  const reason = new Error("no longer wanted");
  const input = parsed(editFile, { path: "a.ts", oldText: "one", newText: "two" });
  await expect(editFile.run(input, aContext(workspace, AbortSignal.abort(reason)).context)).rejects.toBe(
    reason,
  );
  expect(await readDisk(join(root, "a.ts"), "utf8")).toBe("one");
});
