/** A call discloses nothing about files that it was not allowed for, nor about files that were swapped since. */
import { renameSync, symlinkSync } from "node:fs";
import { mkdir, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ToolCall } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import type { Rule } from "../src/policy/index.js";
import { openGate } from "../src/run/index.js";
import { builtInTools } from "../src/tools/index.js";
import { folder } from "./agent-kit.js";

async function gateWith(rules: (root: string, outside: string) => readonly Rule[]) {
  const root = await realpath(await folder());
  const outside = await realpath(await folder({ a: "secret one", b: "secret two" }));
  const gate = await openGate({
    ledger: new MemoryLedger(),
    workspace: root,
    rules: rules(root, outside),
    tools: builtInTools,
  });
  onTestFinished(() => gate.close());
  return { root, outside, gate };
}

const disclosed = ({ state, content, locations, rawOutput, decision }: ToolCall) => ({
  state,
  content,
  locations,
  rawOutput,
  reason: decision?.reason,
});

test("discloses neither existence nor type when a path is denied", async () => {
  const { outside, gate } = await gateWith((_root, denied) => [
    { allow: "*" },
    { deny: "*", path: denied },
    { deny: "*", path: `${denied}/**` },
  ]);
  const calls: readonly (readonly [string, (path: string) => object])[] = [
    ["delete_path", (path) => ({ path })],
    ["move_path", (path) => ({ from: path, to: "new" })],
    ["move_path", (path) => ({ from: path, to: path })],
    ["edit_file", (path) => ({ path, oldText: "a", newText: "b" })],
    ["write_file", (path) => ({ path, content: "x" })],
  ];
  for (const [name, input] of calls) {
    const nowhere = await gate.call({ name, input: input(`${outside}/nowhere`) });
    expect(nowhere.state, name).toEqual({ status: "refused", assumed: false });
    for (const path of [outside, `${outside}/a`])
      expect(disclosed(await gate.call({ name, input: input(path) })), `${name} ${path}`).toEqual(
        disclosed(nowhere),
      );
  }
});

test.each([
  ["grep", { pattern: "secret", path: "sub" }],
  ["grep", { pattern: "secret", path: "sub/a" }],
  ["find_path", { pattern: "*", path: "sub" }],
] as const)("%s of %j does not follow a link when it was created after the decision", async (name, input) => {
  const { root, outside, gate } = await gateWith((own) => [{ allow: "search", path: `${own}/**` }]);
  await mkdir(join(root, "sub"));
  await writeFile(join(root, "sub/a"), "my own secret");
  gate.onRecorded((events) => {
    if (!events.some(({ type }) => type === "run-started")) return;
    renameSync(join(root, "sub"), join(root, "old"));
    symlinkSync(outside, join(root, "sub"));
  });
  const { state, rawOutput } = await gate.call({ name, input });
  expect(state).toMatchObject({
    status: "failed",
    error: expect.stringContaining("is not among the paths that this call was allowed for"),
  });
  expect(rawOutput).toBeUndefined();
});
