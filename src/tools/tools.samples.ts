/** A real folder for a test, and a context that records what a tool shows. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { CallFields } from "../call/index.js";
import { LocalWorkspace } from "./local-workspace.js";
import type { Tool, ToolContext, FullResult } from "./tool.js";
import { fullResult } from "./tool.js";

/** A workspace `ws` with these files, in a temporary folder; tests use the rest of that folder as the outside. */
export async function aWorkspace(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const outside = await realpath(await mkdtemp(join(tmpdir(), "toolgate-tools-")));
  // A sandbox may still be starting in it.
  onTestFinished(() => rm(outside, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  const root = join(outside, "ws");
  await mkdir(root);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return { outside, root, workspace: await LocalWorkspace.open(root) };
}

export function aContext(workspace: LocalWorkspace, signal: AbortSignal = new AbortController().signal) {
  const reported: CallFields[] = [];
  const printed: string[] = [];
  const shown: unknown[] = [];
  const context: ToolContext = {
    toolCallId: "call-1",
    workspace,
    signal,
    plan: [],
    progress: (done, total, message) => void shown.push({ done, total, message }),
    output: (text) => void printed.push(text),
    diff: (diff) => void shown.push(diff),
    locate: (path, line) => void shown.push({ path, line }),
    terminal: (name = "terminal") => ({
      terminalId: `call-1/${name}`,
      print: (text) => void printed.push(text),
      exit: (exit) => void shown.push({ exit }),
    }),
    meta: (meta) => void shown.push({ meta }),
    report: (fields) => void reported.push(fields),
    ask: () => Promise.resolve({ action: "cancel" }),
  };
  return { context, reported, printed, shown };
}

/** The full result of the tool for an input that it accepts. */
export async function resultOf(tool: Tool, input: unknown, context: ToolContext): Promise<FullResult> {
  return fullResult(await tool.run(parsed(tool, input), context));
}

/** The input as the tool itself reads it. */
export function parsed(tool: Tool, input: unknown): unknown {
  const result = tool.parse(input);
  if (!result.ok) throw new Error(result.problem);
  return result.input;
}

/** The message of the failure that the promise must reject with. */
export async function failureOf(promise: Promise<unknown>): Promise<string> {
  const [outcome] = await Promise.allSettled([promise]);
  if (outcome.status === "fulfilled") throw new Error(`No failure: ${JSON.stringify(outcome.value)}`);
  const { reason } = outcome as { readonly reason: Error };
  return `${reason.name}: ${reason.message}`;
}
