/** docs/library.md is true: each block of code compiles, and each program prints the text below it. */
import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { generateText, stepCountIs, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { MemoryLedger } from "../src/history/index.js";
import { openGate } from "../src/run/index.js";
import { folder } from "./agent-kit.js";

const root = fileURLToPath(new URL("../", import.meta.url));
const page = readFileSync(join(root, "docs/library.md"), "utf8");

const blocks = [...page.matchAll(/^```ts\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?/gms)].map(
  ([, code = "", printed], index) => ({ name: `block-${index + 1}`, code, printed }),
);
const programs = blocks.flatMap(({ printed, ...block }) =>
  printed === undefined ? [] : { ...block, printed },
);
const fragments = blocks.filter(({ printed }) => printed === undefined);

describe("the library page", () => {
  let compiled = "";
  let problems = "";

  beforeAll(() => {
    // Inside the repository, so that the package's own name resolves to the build.
    compiled = mkdtempSync(join(root, "test/.library-"));
    for (const { name, code } of blocks) writeFileSync(join(compiled, `${name}.ts`), code);
    const compilerOptions = { noEmit: false };
    const config = { extends: "../../tsconfig.json", include: ["*.ts"], compilerOptions };
    writeFileSync(join(compiled, "tsconfig.json"), JSON.stringify(config));
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    problems = spawnSync(process.execPath, [tsc, "-p", compiled], { encoding: "utf8" }).stdout;
  });

  afterAll(() => rmSync(compiled, { recursive: true, force: true }));

  test("has programs, and marks all other code as fragments", () => {
    expect(programs.length).toBeGreaterThan(6);
    expect(blocks).toHaveLength([...page.matchAll(/^```ts/gm)].length);
    for (const { code } of fragments) expect(code).toMatch(/^\/\/ A fragment/);
  });

  test("has code that compiles against the build, with our own settings", () => {
    expect(problems).toBe("");
  });

  test("has programs that print the text below them", async () => {
    // One process for all: the library is loaded once.
    const all = join(compiled, "all.mjs");
    writeFileSync(
      all,
      `for (const name of ${JSON.stringify(programs.map(({ name }) => name))}) {
  process.chdir(new URL(name, import.meta.url).pathname);
  console.log(name);
  await import(new URL(name + ".js", import.meta.url));
}`,
    );
    for (const { name } of programs) mkdirSync(join(compiled, name));
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [all]);
    expect(stderr).toBe("");
    expect(stdout).toBe(programs.map(({ name, printed }) => `${name}\n${printed}`).join(""));
  });
});

test("sends generateText of the AI SDK through the gate as streamText", async () => {
  const gate = await openGate({
    ledger: new MemoryLedger(),
    workspace: await folder(),
    rules: [{ allow: "add" }, { deny: "drop" }],
  });
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const calls = (...names: string[]) => ({
    content: names.map((toolName) => ({
      type: "tool-call" as const,
      toolCallId: `theirs-${toolName}`,
      toolName,
      input: '{"a":1,"b":2}',
    })),
    finishReason: { unified: "tool-calls" as const, raw: undefined },
    usage,
    warnings: [],
  });
  const said = {
    content: [{ type: "text" as const, text: "3" }],
    finishReason: { unified: "stop" as const, raw: undefined },
    usage,
    warnings: [],
  };
  const inputSchema = z.object({ a: z.number(), b: z.number() });
  const tools = gate.wrapTools({
    add: tool({ inputSchema, execute: async ({ a, b }) => a + b }),
    drop: tool({ inputSchema, execute: async () => "dropped" }),
  });
  const model = new MockLanguageModelV3({ doGenerate: [calls("add", "drop"), said] });
  const result = await generateText({ model, tools, prompt: "1 + 2", stopWhen: stepCountIs(3) });
  expect(result.text).toBe("3");
  expect(result.steps[0]?.content.filter(({ type }) => type !== "tool-call")).toMatchObject([
    { type: "tool-result", toolName: "add", output: 3 },
    { type: "tool-error", toolName: "drop", error: { code: "CALL_NOT_DONE", status: "refused" } },
  ]);
  const ends = [...gate.book.calls()].map(({ providerCallId, state }) => `${providerCallId} ${state.status}`);
  expect(ends.sort()).toEqual(["theirs-add done", "theirs-drop refused"]);
  await gate.close();
});
