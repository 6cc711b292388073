import {
  chmod,
  readdir,
  readFile as readDisk,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aContext, aWorkspace, failureOf, parsed, resultOf } from "../tools.samples.js";
import { editFile } from "./edit-file.js";

async function edit(text: string | undefined, change: object) {
  const { root, workspace } = await aWorkspace(text === undefined ? {} : { "a.ts": text });
  const result = await resultOf(editFile, { path: "a.ts", ...change }, aContext(workspace).context);
  return { root, ...result, text: await readDisk(join(root, "a.ts"), "utf8") };
}

test("replaces a passage that occurs once, and shows the diff of the written text", async () => {
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

test("removes a passage", async () => {
  expect((await edit("one\ntwo\n", { oldText: "one\n", newText: "" })).text).toBe("two\n");
});

test("refuses a passage that occurs several times, and says where", async () => {
  const lines = Array.from({ length: 90 }, (_, index) =>
    [12, 40, 88].includes(index + 1) ? "same" : "other",
  );
  expect(await failureOf(edit(lines.join("\n"), { oldText: "same", newText: "x" }))).toBe(
    'ToolFailure: edit_file: "oldText" occurs 3 times in a.ts (lines 12, 40, 88); it must occur once. Add a line before or after it, or set "replaceAll" to replace every one. The file was not changed.',
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

test("refuses a passage that is not in the file", async () => {
  expect(await failureOf(edit("one\n", { oldText: "One", newText: "x" }))).toBe(
    'ToolFailure: edit_file: "oldText" does not occur in a.ts; it must be there with the same spaces and line ends. Read the file again and copy the passage. The file was not changed.',
  );
});

test("says that an edit changes nothing", async () => {
  expect(await failureOf(edit("one\n", { oldText: "one", newText: "one" }))).toContain("are the same");
});

test("creates a file with its folders when there is no old text", async () => {
  const { root, workspace } = await aWorkspace();
  const input = { path: "src/deep/a.ts", newText: "new\n" };
  const { output, content } = await resultOf(editFile, input, aContext(workspace).context);
  expect(output).toBe("Created src/deep/a.ts.");
  expect(content).toEqual([
    { type: "diff", operation: "add", path: `${root}/src/deep/a.ts`, newText: "new\n" },
  ]);
  expect(await readDisk(join(root, "src/deep/a.ts"), "utf8")).toBe("new\n");
  expect(await readdir(root, { recursive: true })).toEqual(["src", "src/deep", "src/deep/a.ts"]);
});

test("refuses to create a file that has content", async () => {
  for (const change of [{ newText: "x" }, { oldText: "", newText: "x" }])
    expect(await failureOf(edit("one", change))).toBe(
      'ToolFailure: edit_file: a.ts exists already, and without "oldText" a new file is created. The file was not changed. Give the passage to replace as "oldText".',
    );
});

test("fills an empty file", async () => {
  const { text, output } = await edit("", { newText: "x" });
  expect([text, output]).toEqual(["x", "Filled a.ts, which was empty."]);
  expect(await failureOf(edit("", { newText: "" }))).toContain("a.ts is empty and");
});

test("refuses a passage of a file that does not exist", async () => {
  expect(await failureOf(edit(undefined, { oldText: "a", newText: "b" }))).toContain("a.ts does not exist");
});

test("keeps CRLF line ends whichever the model writes", async () => {
  const crlf = "one\r\ntwo\r\nthree\r\n";
  const changed = "one\r\n2\r\n2.5\r\nthree\r\n";
  expect((await edit(crlf, { oldText: "one\ntwo\n", newText: "one\n2\n2.5\n" })).text).toBe(changed);
  expect((await edit(crlf, { oldText: "one\r\ntwo\r\n", newText: "one\r\n2\r\n2.5\r\n" })).text).toBe(
    changed,
  );
  expect((await edit(crlf, { oldText: "two", newText: "2\n2.5" })).text).toBe(changed);
});

test("changes a file with both line ends only as written", async () => {
  const mixed = "one\r\ntwo\nthree\r\n";
  expect((await edit(mixed, { oldText: "two\nthree", newText: "2\n3" })).text).toBe("one\r\n2\n3\r\n");
  expect(await failureOf(edit(mixed, { oldText: "one\ntwo", newText: "x" }))).toContain("does not occur");
});

test("replaces several passages at once, with one location for each run of changed lines", async () => {
  const { root, workspace } = await aWorkspace({ "a.ts": "one\ntwo\nthree\nfour\nfive\n" });
  const edits = [
    { oldText: "five", newText: "5" },
    { oldText: "one\n", newText: "0.5\n1\n" },
    { oldText: "1\ntwo", newText: "1\n2" },
  ];
  const { context, reported } = aContext(workspace);
  const input = { path: "a.ts", edits };
  const before = await editFile.preview?.(parsed(editFile, input), workspace);
  const { output, content } = await resultOf(editFile, input, context);
  expect(await readDisk(join(root, "a.ts"), "utf8")).toBe("0.5\n1\n2\nthree\nfour\n5\n");
  expect(output).toBe("Edited a.ts at lines 1, 6: 3 passages replaced.");
  const locations = [1, 6].map((line) => ({ path: `${root}/a.ts`, line }));
  expect(reported).toEqual([{ locations }]);
  expect(before).toEqual({ content, locations });
});

test("makes none of several edits when one does not fit", async () => {
  const { root, workspace } = await aWorkspace({ "a.ts": "one\n" });
  const edits = [
    { oldText: "one", newText: "two" },
    { oldText: "one", newText: "three" },
  ];
  const failure = await failureOf(resultOf(editFile, { path: "a.ts", edits }, aContext(workspace).context));
  expect(failure).toContain(
    '"oldText" of edit 2 of 2 does not occur in a.ts as the edits before it leave it',
  );
  expect(await readDisk(join(root, "a.ts"), "utf8")).toBe("one\n");
});

test("replaces every occurrence when asked to", async () => {
  const { text, output } = await edit("x.x\nx\n", { oldText: "x", newText: "yx", replaceAll: true });
  expect(text).toBe("yx.yx\nyx\n");
  expect(output).toBe("Edited a.ts at line 1: 3 passages replaced.");
});

test("refuses an input that does not say what to do", () => {
  const problem = (input: object) => {
    const result = editFile.parse({ path: "a.ts", ...input });
    return result.ok ? "" : result.problem;
  };
  const one = { oldText: "a", newText: "b" };
  for (const input of [{}, { oldText: "a" }, { ...one, edits: [one] }, { replaceAll: true, edits: [one] }])
    expect(problem(input)).toContain(
      'Give either "newText", with the "oldText" that it replaces, or "edits"',
    );
  for (const input of [
    { edits: [] },
    { edits: [{ oldText: "", newText: "b" }] },
    { edits: [{ oldText: "a" }] },
  ])
    expect(problem(input)).toContain("edits");
  expect(problem({ newText: "b", replaceAll: true })).toContain('"replaceAll" needs the "oldText"');
  expect(problem({ oldText: "\uD83D", newText: "b" })).toContain("half a character");
  expect(problem({ ...one, replaceAll: false })).toBe("");
});

test("shows both forms in the schema", () => {
  expect(editFile.parameters).toMatchObject({
    type: "object",
    required: ["path"],
    properties: { oldText: { type: "string" }, edits: { type: "array", minItems: 1 } },
  });
});

test("keeps the mode of a file", async () => {
  const { root, workspace } = await aWorkspace({ "run.sh": "one" });
  await chmod(join(root, "run.sh"), 0o751);
  const input = { path: "run.sh", oldText: "one", newText: "two" };
  await resultOf(editFile, input, aContext(workspace).context);
  expect((await stat(join(root, "run.sh"))).mode & 0o777).toBe(0o751);
});

test("keeps a byte order mark, whether or not the model copied it", async () => {
  for (const oldText of ["one", "\uFEFFone"])
    for (const newText of ["two", "\uFEFFtwo"])
      expect((await edit("\uFEFFone\n", { oldText, newText })).text).toBe("\uFEFFtwo\n");
});

test("names before the edit what it will write, where, and over which content", async () => {
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

test("names and writes the real file behind a link", async () => {
  const { root, outside, workspace } = await aWorkspace();
  await writeFile(join(outside, "real.ts"), "abc");
  await symlink("../real.ts", join(root, "a.ts"));
  const input = { path: "a.ts", oldText: "abc", newText: "d" };
  expect(await editFile.intent?.(parsed(editFile, input), workspace)).toMatchObject({
    paths: [{ path: `${outside}/real.ts`, named: `${root}/a.ts`, access: "write" }],
  });
  await resultOf(editFile, input, aContext(workspace).context);
  expect(await readDisk(join(outside, "real.ts"), "utf8")).toBe("d");
  expect(await readlink(join(root, "a.ts"))).toBe("../real.ts");
});

test("binds the creation of a file to the absence of one", async () => {
  const { root, workspace } = await aWorkspace();
  const input = parsed(editFile, { path: "new.ts", newText: "x" });
  expect(await editFile.intent?.(input, workspace)).toEqual({
    paths: [{ path: `${root}/new.ts`, access: "write" }],
    baseHashes: { [`${root}/new.ts`]: "nothing" },
  });
});

test("discloses nothing about the file in its intent", async () => {
  const { root, workspace } = await aWorkspace({ "src/a.bin": Buffer.from("a\0b") });
  const intent = (path: string) =>
    editFile.intent?.(parsed(editFile, { path, oldText: "a", newText: "b" }), workspace);
  const paths = (path: string) => [{ path: `${root}/${path}`, access: "write" }];
  expect(await intent("src")).toEqual({ paths: paths("src"), baseHashes: {} });
  expect(await intent("src/a.bin")).toEqual({
    paths: paths("src/a.bin"),
    baseHashes: { [`${root}/src/a.bin`]: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
  for (const [path, words] of [
    ["src", "is a folder, not a file"],
    ["src/a.bin", "it has NUL bytes"],
  ] as const) {
    const input = { path, oldText: "a", newText: "b" };
    const shown = editFile.preview?.(parsed(editFile, input), workspace) ?? Promise.resolve();
    expect(await failureOf(shown)).toContain(words);
    expect(await failureOf(resultOf(editFile, input, aContext(workspace).context))).toContain(words);
  }
});

test("locates the line where the texts begin to differ", async () => {
  const { root, workspace } = await aWorkspace({ "a.ts": "one\ntwo\nthree\n" });
  const input = parsed(editFile, { path: "a.ts", oldText: "one\ntwo\n", newText: "one\ntwo\n2.5\n" });
  expect(await editFile.preview?.(input, workspace)).toMatchObject({
    locations: [{ path: `${root}/a.ts`, line: 3 }],
  });
});

test("fails an impossible edit before anyone is asked", async () => {
  const { workspace } = await aWorkspace({ "a.ts": "one" });
  const preview = editFile.preview?.(
    parsed(editFile, { path: "a.ts", oldText: "two", newText: "" }),
    workspace,
  );
  expect(await failureOf(preview!)).toContain("does not occur");
});

test("edits and shows the current file when it changed since the question", async () => {
  const { root, workspace } = await aWorkspace({ "a.ts": "one\n" });
  const input = parsed(editFile, { path: "a.ts", oldText: "one", newText: "1" });
  await editFile.preview?.(input, workspace);
  await writeFile(join(root, "a.ts"), "zero\none\n");
  const { context, reported } = aContext(workspace);
  const { content } = await resultOf(editFile, input, context);
  expect(content).toMatchObject([{ oldText: "zero\none\n", newText: "zero\n1\n" }]);
  expect(reported).toEqual([{ locations: [{ path: `${root}/a.ts`, line: 2 }] }]);
});

test("leaves a file that changed so that the edit no longer fits", async () => {
  const { root, workspace } = await aWorkspace({ "a.ts": "one\n" });
  const input = { path: "a.ts", oldText: "one", newText: "1" };
  await editFile.preview?.(parsed(editFile, input), workspace);
  await writeFile(join(root, "a.ts"), "two\n");
  const run = () => failureOf(resultOf(editFile, input, aContext(workspace).context));
  expect(await run()).toContain('"oldText" does not occur in a.ts');
  expect(await readDisk(join(root, "a.ts"), "utf8")).toBe("two\n");
  await rm(join(root, "a.ts"));
  expect(await run()).toContain("a.ts does not exist");
  expect(await readdir(root)).toEqual([]);
});

test("names the first few of very many locations", async () => {
  const text = Array.from({ length: 120 }, (_, index) => (index % 2 === 0 ? "x\n" : "-\n")).join("");
  const { root, workspace } = await aWorkspace({ "a.ts": text });
  const { context, reported } = aContext(workspace);
  const input = { path: "a.ts", oldText: "x", newText: "y", replaceAll: true };
  const { output } = await resultOf(editFile, input, context);
  expect(output).toBe("Edited a.ts at lines 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, …: 60 passages replaced.");
  const lines = Array.from({ length: 50 }, (_, index) => 2 * index + 1);
  expect(reported).toEqual([{ locations: lines.map((line) => ({ path: `${root}/a.ts`, line })) }]);
});

test("loses none of many edits of one file at once", async () => {
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

test("changes nothing when it is cancelled before the write", async () => {
  const { root, workspace } = await aWorkspace({ "a.ts": "one" });
  const reason = new Error("no longer wanted");
  const input = parsed(editFile, { path: "a.ts", oldText: "one", newText: "two" });
  await expect(editFile.run(input, aContext(workspace, AbortSignal.abort(reason)).context)).rejects.toBe(
    reason,
  );
  expect(await readDisk(join(root, "a.ts"), "utf8")).toBe("one");
});
