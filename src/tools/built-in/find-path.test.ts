import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aContext, aWorkspace, failureOf, parsed, resultOf } from "../tools.samples.js";
import { findPath, findPathTool } from "./find-path.js";
import { grep } from "./grep.js";

const FILES = {
  ".gitignore": "node_modules/\n*.log\n!keep.log\n",
  "README.md": "",
  "src/a.ts": "",
  "src/deep/b.ts": "",
  "src/deep/b.test.ts": "",
  "node_modules/x/c.ts": "",
  "d.log": "",
  "keep.log": "",
  ".env": "",
  ".git/HEAD": "",
  "line\nbreak.ts": "",
};
const NOTHING =
  'No file matches. Only files are found, so use "folder/**" for what is in a folder; "hidden" and "ignored" widen the search.';

test.each<[object, readonly string[]]>([
  [{ pattern: "*.ts" }, ["src/a.ts", "src/deep/b.test.ts", "src/deep/b.ts"]],
  [{ pattern: "src/*.ts" }, ["src/a.ts"]],
  [{ pattern: "src/**" }, ["src/a.ts", "src/deep/b.test.ts", "src/deep/b.ts"]],
  [{ pattern: "**/{b,b.test}.ts" }, ["src/deep/b.test.ts", "src/deep/b.ts"]],
  [{ pattern: "*.ts", path: "src/deep" }, ["src/deep/b.test.ts", "src/deep/b.ts"]],
  [{ pattern: "/*.ts", path: "src" }, ["src/a.ts"]],
  [{ pattern: "*" }, ["README.md", "keep.log", "src/a.ts", "src/deep/b.test.ts", "src/deep/b.ts"]],
  [{ pattern: "*.log" }, ["keep.log"]],
  [{ pattern: "*.log", ignored: true }, ["d.log", "keep.log"]],
  [{ pattern: "c.ts" }, []],
  [{ pattern: "c.ts", ignored: true }, ["node_modules/x/c.ts"]],
  [{ pattern: ".env" }, []],
  [{ pattern: ".env", hidden: true }, [".env"]],
  [{ pattern: "HEAD", hidden: true, ignored: true }, []],
  [{ pattern: "src" }, []],
  [{ pattern: "-x" }, []],
])("%j finds %j", async (input, expected) => {
  const { workspace } = await aWorkspace(FILES);
  const { output, content } = await resultOf(findPath, input, aContext(workspace).context);
  expect(output).toBe(expected.length > 0 ? expected.join("\n") : NOTHING);
  expect(content).toEqual([{ type: "content", content: { type: "text", text: output } }]);
});

test("reports the files as locations", async () => {
  const { workspace, root } = await aWorkspace(FILES);
  const { context, reported } = aContext(workspace);
  await resultOf(findPath, { pattern: "a.ts" }, context);
  expect(reported).toEqual([{ locations: [{ path: join(root, "src/a.ts") }] }]);
  await resultOf(findPath, { pattern: "none" }, context);
  expect(reported).toHaveLength(1);
});

test("reports an invalid glob, a file and a missing folder", async () => {
  const { workspace } = await aWorkspace(FILES);
  const fail = (input: object) => failureOf(resultOf(findPath, input, aContext(workspace).context));
  expect(await fail({ pattern: "{a" })).toMatch(/unclosed alternate group[^]*Nothing was searched/);
  expect(await fail({ pattern: "*", path: "README.md" })).toContain("README.md is a file");
  expect(await fail({ pattern: "*", path: "nowhere" })).toContain("nowhere does not exist");
});

test("names in its intent the folder that it reads", async () => {
  const { workspace, root } = await aWorkspace(FILES);
  const input = parsed(findPath, { pattern: "*", path: "src" });
  expect(await findPath.intent?.(input, workspace)).toEqual({
    paths: [{ path: join(root, "src"), access: "read" }],
  });
  expect(await findPath.preview?.(input, workspace)).toEqual({ locations: [{ path: join(root, "src") }] });
});

test("reports a search that timed out", async () => {
  const { workspace } = await aWorkspace(FILES);
  // Longer to read than the one millisecond that it has.
  const pattern = "{[!a],?}*".repeat(110);
  const hasty = findPathTool({ timeLimit: 0 });
  const { output } = await resultOf(hasty, { pattern }, aContext(workspace).context);
  expect(String(output)).toMatch(
    /\[The search was stopped after 0 s: there may be more\. Search a folder further down, or use a narrower glob\.\]$/,
  );
});

// Each search promises five seconds; 100,000 files with TOOLGATE_LONG=1.
test("searches a large tree with loops and node_modules in time, or notes that it stopped", async () => {
  const { workspace, root } = await aWorkspace({ ".gitignore": "node_modules\n" });
  const folders = process.env["TOOLGATE_LONG"] === "1" ? 1000 : 60;
  const names = Array.from({ length: 100 }, (_, index) => `f${index}.ts`);
  for (let folder = 0; folder < folders; folder += 1) {
    const path = join(root, folder % 4 === 0 ? "node_modules" : "src", `d${folder}`);
    await mkdir(path, { recursive: true });
    await Promise.all(names.map((name) => writeFile(join(path, name), `hello ${name}\n`)));
  }
  await symlink("..", join(root, "src/loop"));
  const started = performance.now();
  const { output } = await resultOf(findPath, { pattern: "f7.ts" }, aContext(workspace).context);
  const all = await resultOf(findPath, { pattern: "*.ts" }, aContext(workspace).context);
  const lines = await resultOf(
    grep,
    { pattern: "hello f7\\.", filesOnly: true },
    aContext(workspace).context,
  );
  expect(performance.now() - started).toBeLessThan(3 * 10 * 5000);
  const found = String(output).split("\n");
  expect(found.length).toBe(Math.min((folders * 3) / 4, 501));
  expect(found.every((path) => path.startsWith("src/d") || path.startsWith("[The first 500 of"))).toBe(true);
  expect(String(all.output)).toMatch(
    new RegExp(
      String.raw`\n\[The first 500 of ${folders * 75} files\. Search a folder further down, or use a narrower glob\.\]$`,
    ),
  );
  expect(String(lines.output).split("\n").length).toBe(Math.min((folders * 3) / 4, 201));
});
