import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LocalWorkspace } from "../local-workspace.js";
import { aContext, aWorkspace, failureOf, parsed, resultOf } from "../tools.samples.js";
import { findPath } from "./find-path.js";
import { grep, grepTool } from "./grep.js";

type FilesOfTest = Readonly<Record<string, string | Uint8Array>>;

async function search(files: FilesOfTest, input: object): Promise<string> {
  const { workspace } = await aWorkspace(files);
  const { output, content } = await resultOf(grep, input, aContext(workspace).context);
  expect(content).toEqual([{ type: "content", content: { type: "text", text: output } }]);
  return String(output);
}

const NOTHING =
  'No line matches. Binary files, hidden files and what .gitignore names were not searched; "hidden" and "ignored" widen the search.';

test("returns matching lines with numbers, by file, sorted", async () => {
  const files = { "src/b.ts": "one\ntwo\r\nTwo\n", "a.md": "two\n", "c.md": "three\n" };
  expect(await search(files, { pattern: "tw." })).toBe("a.md\n1: two\n\nsrc/b.ts\n2: two\n3: Two");
  expect(await search(files, { pattern: "tw.", caseSensitive: true })).toBe(
    "a.md\n1: two\n\nsrc/b.ts\n2: two",
  );
  expect(await search(files, { pattern: "^(two|three)$", filesOnly: true })).toBe("a.md\nc.md\nsrc/b.ts");
});

test("searches only the given folder or file, and names results from the workspace", async () => {
  const files = { "src/b.ts": "two\n", "src/deep/c.ts": "two\n", "a.md": "two\n" };
  expect(await search(files, { pattern: "two", path: "src/deep" })).toBe("src/deep/c.ts\n1: two");
  expect(await search(files, { pattern: "two", path: "src/b.ts" })).toBe("src/b.ts\n1: two");
  expect(await search(files, { pattern: "two", path: "src/b.ts", glob: "*.md" })).toBe("src/b.ts\n1: two");
});

test("names files outside the workspace in full", async () => {
  const { workspace, outside } = await aWorkspace();
  await writeFile(join(outside, "x.txt"), "two\n");
  const { output } = await resultOf(grep, { pattern: "two", path: "../x.txt" }, aContext(workspace).context);
  expect(output).toBe(`${outside}/x.txt\n1: two`);
});

test("lines around a match are shown, and gaps between them", async () => {
  const text = "1\n2\nhit\n4\n5\n6\n7\n8\nhit\nhit\n11\n";
  expect(await search({ "a.txt": text }, { pattern: "hit", context: 1 })).toBe(
    "a.txt\n2- 2\n3: hit\n4- 4\n…\n8- 8\n9: hit\n10: hit\n11- 11",
  );
});

test("says in a sentence that nothing matched", async () => {
  expect(await search({ "a.txt": "one\n" }, { pattern: "two" })).toBe(NOTHING);
});

const IGNORED = {
  ".gitignore": "node_modules/\n*.log\n",
  "a.ts": "hit\n",
  "node_modules/x/b.ts": "hit\n",
  "c.log": "hit\n",
  ".config": "hit\n",
  ".git/config": "hit\n",
};

test.each<[object, string]>([
  [{}, "a.ts"],
  [{ glob: "*" }, "a.ts"],
  [{ glob: "**" }, "a.ts"],
  [{ glob: "*.log" }, ""],
  [{ glob: ".config" }, ""],
  [{ glob: "!*.ts" }, ""],
  [{ hidden: true }, ".config\na.ts"],
  [{ hidden: true, glob: ".*" }, ".config"],
  [{ ignored: true }, "a.ts\nc.log\nnode_modules/x/b.ts"],
  [{ ignored: true, hidden: true }, ".config\na.ts\nc.log\nnode_modules/x/b.ts"],
  [{ path: "node_modules" }, "node_modules/x/b.ts"],
])("searches, with %j, %j", async (input, expected) => {
  expect(await search(IGNORED, { pattern: "hit", filesOnly: true, ...input })).toBe(expected || NOTHING);
});

const SECRETS = {
  "a.ts": "hit\n",
  ".env": "hit\n",
  "keys/id_rsa": "hit\n",
  ".aws/credentials": "hit\n",
  ".env.example": "hit\n",
};

test.each<[object, string]>([
  [{}, "a.ts"],
  [{ hidden: true }, ".env.example\na.ts"],
  [{ hidden: true, glob: "**/.e*" }, ".env.example"],
  [{ path: "keys" }, ""],
  [{ hidden: true, path: ".env" }, ".env"],
  [{ path: "keys/id_rsa" }, "keys/id_rsa"],
  [{ path: ".aws" }, ".aws/credentials"],
])("searches a file with secrets only when it is named: %j", async (input, expected) => {
  expect(await search(SECRETS, { pattern: "hit", filesOnly: true, ...input })).toBe(expected || NOTHING);
});

test("never discloses whether a file with secrets would match", async () => {
  const files = { "a.ts": "hit\n", ".env": "KEY=abc\nhit\n" };
  const input = { hidden: true, context: 2 };
  expect(await search(files, { ...input, pattern: "KEY=a" })).toBe(NOTHING);
  expect(await search(files, { ...input, pattern: "KEY=a|hit" })).toBe("a.ts\n1: hit");
  expect(await search(files, { ...input, pattern: "hit", skip: 1 })).toBe(
    "There is only 1 match. Use a smaller skip.",
  );
});

test("Toolgate's own files are left out where they lie in the folder that is searched", async () => {
  const { root } = await aWorkspace({ "own/token": "hit\n", "a.ts": "hit\n" });
  const workspace = await LocalWorkspace.open(root, { own: [`${root}/own`] });
  const { output } = await resultOf(grep, { pattern: "hit" }, aContext(workspace).context);
  expect(output).toBe("a.ts\n1: hit");
});

test("cuts a huge line and skips a binary file", async () => {
  const output = await search(
    {
      "z.txt": `${"a".repeat(10)}hit${"b".repeat(5_000_000)}\n`,
      "b.bin": Buffer.from("hit\0hit\n"),
      "c.bin": Buffer.from(`hit\n${"zzzzzz\n".repeat(100_000)}\0\nhit\n`),
      "d.txt": "hit\n",
    },
    { pattern: "hit" },
  );
  expect(output.length).toBeLessThan(800);
  expect(output).toMatch(/^c\.bin\n1: hit\n\nd\.txt\n1: hit\n\nz\.txt\n1: a{10}hitb+ \[.*\]$/);
});

test("many matches come in parts, and each says how to get the next", async () => {
  const text = Array.from({ length: 450 }, (_, index) => `hit ${index + 1}\n`).join("");
  const files = { "a.txt": text };
  const first = await search(files, { pattern: "hit" });
  expect(first).toMatch(/^a\.txt\n1: hit 1\n/);
  expect(first).toMatch(
    /\n200: hit 200\n\[There are more matches\. Use skip=200 to continue, or narrow it with path or glob\.\]$/,
  );
  const third = await search(files, { pattern: "hit", skip: 400, context: 1 });
  expect(third).toMatch(/^a\.txt\n401: hit 401\n[^]*\n450: hit 450$/);
  expect(await search(files, { pattern: "hit", skip: 450 })).toBe(
    "There are only 450 matches. Use a smaller skip.",
  );
  expect(await search(files, { pattern: "hit", limit: 1, skip: 7 })).toContain("8: hit 8\n[There are more");
});

test("returns the whole result in parts, with context lines", async () => {
  const files = { "a.txt": "1\n2\nhit\n4\n5\n6\nhit\n8\n", "b.txt": "hit\n2\n" };
  const parts = [];
  for (const skip of [0, 1, 2])
    parts.push(await search(files, { pattern: "hit", context: 1, limit: 1, skip }));
  for (const line of ["2- 2", "3: hit", "4- 4", "6- 6", "7: hit", "8- 8", "1: hit", "2- 2"])
    expect(parts.join("\n").split("\n")).toContain(line);
});

test("bounds its output, and a single match too", async () => {
  const line = `hit ${"x".repeat(480)}\n`;
  const output = await search({ "a.txt": line.repeat(1000) }, { pattern: "hit" });
  expect(output.length).toBeLessThan(70_000);
  expect(output).toMatch(/Use skip=1\d\d to continue/);
});

test.each([
  ["(a", "unclosed group"],
  ["(?=a)", "look-around"],
  ["(a)\\1", "backreferences are not supported"],
  ["a\nb", "not allowed in a regex"],
  ["((a{1000}){1000}){1000}", "size limit"],
])("names the error in the pattern %j", async (pattern, why) => {
  const { workspace } = await aWorkspace({ "a.txt": "a\n" });
  const failure = await failureOf(resultOf(grep, { pattern }, aContext(workspace).context));
  expect(failure).toMatch(/^ToolFailure: grep: rg: /);
  expect(failure).toContain(why);
  expect(failure).toMatch(/\nNothing was searched\. Correct the pattern or the glob\.$/);
});

test("reports an invalid glob, too", async () => {
  const { workspace } = await aWorkspace({ "a.txt": "a\n" });
  const run = resultOf(grep, { pattern: "a", glob: "{a" }, aContext(workspace).context);
  expect(await failureOf(run)).toContain("unclosed alternate group");
});

test("runs a pattern in linear time that would hang other engines", async () => {
  const output = await search({ "a.txt": `${"a".repeat(50)}b\n` }, { pattern: "(a+)+$" });
  expect(output).toBe(NOTHING);
});

test.each(["-e", "--pre=touch evil", "-", "--", "$(touch evil)", "`touch evil`"])(
  "passes the pattern %j as a pattern and not as an option",
  async (pattern) => {
    const { workspace } = await aWorkspace({ "a.txt": `say ${pattern}\n` });
    const quoted = pattern.replaceAll(/[$()`]/g, "\\$&");
    const { output } = await resultOf(grep, { pattern: quoted, glob: "-*" }, aContext(workspace).context);
    expect(output).toBe(NOTHING);
    const again = await resultOf(grep, { pattern: quoted }, aContext(workspace).context);
    expect(again.output).toBe(`a.txt\n1: say ${pattern}`);
    expect((await workspace.list(workspace.root)).map(({ name }) => name)).toEqual(["a.txt"]);
  },
);

test("links are not followed, whether they lead out or in a circle", async () => {
  const { workspace, root, outside } = await aWorkspace({ "src/a.txt": "hit\n" });
  await mkdir(join(outside, "secret"));
  await writeFile(join(outside, "secret/key"), "hit\n");
  await symlink(join(outside, "secret"), join(root, "out"));
  await symlink(join(outside, "secret/key"), join(root, "key"));
  await symlink("..", join(root, "src/loop"));
  const { output } = await resultOf(grep, { pattern: "hit" }, aContext(workspace).context);
  expect(output).toBe("src/a.txt\n1: hit");
});

test.each([grep, findPath])(
  "returns nothing from a folder that becomes a link while $name searches",
  async (tool) => {
    const { workspace, root, outside } = await aWorkspace({ "src/a.txt": "hit\n" });
    await writeFile(join(outside, "key.txt"), "hit\n");
    const raced = Object.assign(Object.create(workspace) as typeof workspace, {
      list: async (path: string) => {
        const found = await workspace.list(path);
        await rm(path, { recursive: true });
        await symlink(outside, path);
        return found;
      },
    });
    const run = resultOf(
      tool,
      { pattern: tool === grep ? "hit" : "*", path: "src" },
      aContext(raced).context,
    );
    expect(await failureOf(run)).toBe(
      `ToolFailure: ${tool.name}: ${root}/src leads to ${outside} now: a link was put in its way. The results are not returned. Search again.`,
    );
  },
);

test("names in its intent the real folder beside the written one", async () => {
  const { workspace, root, outside } = await aWorkspace({ "src/a.txt": "hit\n" });
  await symlink(outside, join(root, "out"));
  const intentOf = (input: object) => grep.intent?.(parsed(grep, { pattern: "x", ...input }), workspace);
  expect(await intentOf({})).toEqual({ paths: [{ path: root, access: "search" }] });
  expect(await intentOf({ path: "out" })).toEqual({
    paths: [{ path: outside, named: join(root, "out"), access: "search" }],
  });
  expect(await grep.preview?.(parsed(grep, { pattern: "x", path: "src" }), workspace)).toEqual({
    locations: [{ path: join(root, "src") }],
  });
});

test("reports the locations of matches, as many as an editor can use", async () => {
  const { workspace, root } = await aWorkspace({ "a.txt": "hit\nno\nhit\n", "b.txt": "hit\n".repeat(100) });
  const { context, reported } = aContext(workspace);
  await resultOf(grep, { pattern: "hit" }, context);
  expect(reported).toHaveLength(1);
  const [{ locations = [] } = {}] = reported;
  expect(locations).toHaveLength(50);
  expect(locations.slice(0, 3)).toEqual([
    { path: join(root, "a.txt"), line: 1 },
    { path: join(root, "a.txt"), line: 3 },
    { path: join(root, "b.txt"), line: 1 },
  ]);
});

test("reports a path that cannot be searched", async () => {
  const { workspace } = await aWorkspace();
  expect(
    await failureOf(resultOf(grep, { pattern: "a", path: "nowhere" }, aContext(workspace).context)),
  ).toBe(
    "ToolFailure: grep: nowhere does not exist. Nothing was searched. Give the path of a folder or a file that exists.",
  );
});

test("reports a search that timed out", async () => {
  const { workspace } = await aWorkspace({ "a.txt": "a\n" });
  const hasty = grepTool({ timeLimit: 0 });
  const { output } = await resultOf(
    hasty,
    { pattern: "((a{1000}){1000}){1000}" },
    aContext(workspace).context,
  );
  expect(output).toBe(
    "[The search was stopped after 0 s: there may be more. Better narrow it with path or glob.]",
  );
});

test("ends a cancelled search with the reason of the cancel", async () => {
  const { workspace } = await aWorkspace();
  const reason = new Error("the user pressed stop");
  const { context } = aContext(workspace, AbortSignal.abort(reason));
  await expect(resultOf(grep, { pattern: "a" }, context)).rejects.toBe(reason);
});

test.each([
  {},
  { pattern: "" },
  { pattern: "a\0b" },
  { pattern: "a", context: 11 },
  { pattern: "a", limit: 0 },
])("%j is no input", (input) => {
  expect(grep.parse(input)).toMatchObject({ ok: false });
});
