/** Shared by the tests across rooms: a scripted agent in a real folder, with tools that count their runs. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { createAgent } from "../src/agent/index.js";
import type { Agent, AgentOptions } from "../src/agent/index.js";
import { parseScript, scriptedModel } from "../src/model/index.js";
import type { ScriptStep } from "../src/model/index.js";
import { builtInTools, defineTool, LocalWorkspace } from "../src/tools/index.js";
import type { Tool } from "../src/tools/index.js";

export async function folder(files: Record<string, string> = {}): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "toolgate-test-"));
  // A sandbox may still be starting in it.
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
  return path;
}

export async function workspace(files: Record<string, string> = {}): Promise<LocalWorkspace> {
  return LocalWorkspace.open(await folder(files));
}

export function scripted(steps: readonly ScriptStep[], options: Partial<AgentOptions> = {}): Agent {
  return createAgent({
    name: "tester",
    model: scriptedModel(parseScript({ steps })),
    tools: builtInTools,
    ...options,
  });
}

/** A tool of the given kind that does nothing but count, and answers with its own count. */
export function counting(name: string, kind: Tool["kind"] = "other"): { readonly tool: Tool; runs: number } {
  const count = { runs: 0 };
  const tool = defineTool({
    name,
    description: `Counts as ${name}.`,
    kind,
    input: z.looseObject({}),
    run: () => {
      count.runs += 1;
      return Promise.resolve({ output: `${name} ran ${count.runs} time(s)` });
    },
  });
  return Object.assign(count, { tool });
}

export const text = (value: string) => [{ type: "text", text: value }] as const;

export const never = (): AbortSignal => new AbortController().signal;
