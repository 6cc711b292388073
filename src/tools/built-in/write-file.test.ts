import { createHash } from "node:crypto";
import { chmod, mkdir, readFile as readDisk, stat, symlink, writeFile as writeDisk } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aContext, aWorkspace, failureOf, parsed, resultOf } from "../tools.samples.js";
import { writeFile } from "./write-file.js";

async function write(old: string | Uint8Array | undefined, content: string) {
  const { root, workspace } = await aWorkspace(old === undefined ? {} : { "a.ts": old });
  const input = { path: "a.ts", content };
  const before = await writeFile.preview?.(parsed(writeFile, input), workspace);
  const { context, reported } = aContext(workspace);
  const result = await resultOf(writeFile, input, context);
  // The preview and the final content are the same.
  expect({ content: result.content, ...reported[0] }).toMatchObject(before ?? {});
  return { file: `${root}/a.ts`, ...result, reported, text: await readDisk(join(root, "a.ts"), "utf8") };
}

test("creates a file with its folders", async () => {
  const { root, workspace } = await aWorkspace();
  const { context, reported } = aContext(workspace);
  const { output, content } = await resultOf(writeFile, { path: "src/deep/a.ts", content: "one\n" }, context);
  expect(output).toBe("Created src/deep/a.ts (4 B).");
  const path = `${root}/src/deep/a.ts`;
  expect(content).toEqual([{ type: "diff", operation: "add", path, newText: "one\n" }]);
  expect(reported).toEqual([{ locations: [{ path, line: 1 }] }]);
  expect(await readDisk(path, "utf8")).toBe("one\n");
});

test("replaces a file, with a location for each run of changed lines", async () => {
  const { file, text, output, content, reported } = await write(
    "one\ntwo\nthree\nfour\n",
    "one\n2\nthree\n4\n5\n",
  );
  expect(text).toBe("one\n2\nthree\n4\n5\n");
  expect(output).toBe("Replaced a.ts (16 B).");
  expect(content).toEqual([
    {
      type: "diff",
      operation: "modify",
      path: file,
      oldText: "one\ntwo\nthree\nfour\n",
      newText: "one\n2\nthree\n4\n5\n",
    },
  ]);
  expect(reported).toEqual([
    {
      locations: [
        { path: file, line: 2 },
        { path: file, line: 4 },
      ],
    },
  ]);
});

test("writes the content unchanged, whatever the line ends of the old file", async () => {
  expect((await write("one\r\ntwo\r\n", "one\nthree\n")).text).toBe("one\nthree\n");
  expect((await write("one\n", "one\r\ntwo\n")).text).toBe("one\r\ntwo\n");
  const { text, content } = await write("\uFEFFone\n", "two\n");
  expect(text).toBe("two\n");
  // Not even a byte order mark goes unseen.
  expect(content).toMatchObject([{ oldText: "\uFEFFone\n", newText: "two\n" }]);
  expect((await write("one", "")).text).toBe("");
});

test("replaces a binary file, and its question says so", async () => {
  for (const old of [Buffer.from("a\0b"), Buffer.from("caf\xe9", "latin1")]) {
    const { file, text, content } = await write(old, "new");
    expect(text).toBe("new");
    expect(content).toEqual([
      {
        type: "content",
        content: { type: "text", text: `Replaces a file that is not text (${old.length} B).` },
      },
      { type: "diff", operation: "modify", path: file, newText: "new", fileType: "binary" },
    ]);
  }
});

test("replaces a file that is too large to show, and its question says so", async () => {
  const { content } = await write("x".repeat(10 * 1024 * 1024 + 1), "new");
  expect(content).toMatchObject([
    { content: { text: "Replaces a file that is too large to be shown (10 MB)." } },
    { operation: "modify", newText: "new" },
  ]);
  expect(content?.[1]).not.toHaveProperty("fileType");
});

test("does not write a file that has the content already", async () => {
  const { root, workspace } = await aWorkspace({ "a.ts": "same" });
  const { mtimeMs } = await stat(join(root, "a.ts"));
  const input = { path: "a.ts", content: "same" };
  expect(await writeFile.preview?.(parsed(writeFile, input), workspace)).toEqual({
    content: [],
    locations: [{ path: `${root}/a.ts` }],
  });
  const { output, content } = await resultOf(writeFile, input, aContext(workspace).context);
  expect([output, content]).toEqual([
    "a.ts has just this content already. The file was not written again.",
    [],
  ]);
  expect((await stat(join(root, "a.ts"))).mtimeMs).toBe(mtimeMs);
});

test("keeps the old file's mode", async () => {
  const { root, workspace } = await aWorkspace({ "run.sh": "one" });
  await chmod(join(root, "run.sh"), 0o751);
  await resultOf(writeFile, { path: "run.sh", content: "two" }, aContext(workspace).context);
  expect((await stat(join(root, "run.sh"))).mode & 0o777).toBe(0o751);
});

test("names in its intent all paths of the file and the hash of its old content", async () => {
  const { root, outside, workspace } = await aWorkspace();
  const bytes = Buffer.alloc(3 * 1024 * 1024 + 5, "ab\0");
  await writeDisk(join(outside, "real"), bytes);
  await symlink("../real", join(root, "a"));
  const intent = (path: string) => writeFile.intent?.(parsed(writeFile, { path, content: "" }), workspace);
  const file = `${outside}/real`;
  expect(await intent("a")).toEqual({
    paths: [{ path: file, named: `${root}/a`, access: "write" }],
    baseHashes: { [file]: createHash("sha256").update(bytes).digest("hex") },
  });
  expect(await intent("new")).toEqual({
    paths: [{ path: `${root}/new`, access: "write" }],
    baseHashes: { [`${root}/new`]: "nothing" },
  });
});

test("does not replace a folder", async () => {
  const { root, workspace } = await aWorkspace();
  await mkdir(join(root, "src"));
  const input = parsed(writeFile, { path: "src", content: "" });
  const failure = await failureOf(writeFile.preview!(input, workspace));
  expect(failure).toBe(`ToolFailure: ${root}/src is a folder. Nothing was changed. Give the path of a file.`);
  expect(await failureOf(writeFile.run(input, aContext(workspace).context))).toBe(failure);
});

test("refuses to write half a character", () => {
  expect(writeFile.parse({ path: "a", content: "\uDE00" })).toMatchObject({ ok: false });
  expect(writeFile.parse({ path: "a", content: "😀" })).toMatchObject({ ok: true });
});

test("shows what each of many writes at once really replaced", async () => {
  const { root, workspace } = await aWorkspace({ "a.ts": "0" });
  const { context } = aContext(workspace);
  const writes = ["1", "2", "3", "4", "5", "6", "7", "8"].map((content) =>
    resultOf(writeFile, { path: "a.ts", content }, context),
  );
  const diffs = (await Promise.all(writes)).flatMap(({ content = [] }) => content);
  const replaced = diffs.map((diff) => (diff.type === "diff" ? diff.oldText : undefined));
  // Each text was replaced once, but for the last.
  const last = await readDisk(join(root, "a.ts"), "utf8");
  expect(new Set([...replaced, last])).toEqual(new Set(["0", "1", "2", "3", "4", "5", "6", "7", "8"]));
});

test("changes nothing when it was cancelled before it began", async () => {
  const { root, workspace } = await aWorkspace({ "a.ts": "one" });
  const reason = new Error("no longer wanted");
  const { context } = aContext(workspace, AbortSignal.abort(reason));
  await expect(resultOf(writeFile, { path: "a.ts", content: "two" }, context)).rejects.toBe(reason);
  expect(await readDisk(join(root, "a.ts"), "utf8")).toBe("one");
});
