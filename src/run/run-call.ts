/**
 * Runs one call whose start is on record, and records what really happened. A cancel is a wish: a tool
 * that finishes all the same is done.
 */
import { setMaxListeners } from "node:events";
import { IllegalEvent, plainJson } from "../call/index.js";
import type { SessionEvent } from "../call/index.js";
import { ToolFailure } from "../tools/index.js";
import type { Tool, ToolContext, Workspace } from "../tools/index.js";
import { EventWriter } from "./event-writer.js";
import type { SessionRecord } from "./session-record.js";

export type RunOptions = {
  readonly tool: Tool;
  readonly input: unknown;
  readonly toolCallId: string;
  readonly signal: AbortSignal;
  readonly record: SessionRecord;
  readonly workspace: Workspace;
  readonly now: () => number;
};

export async function runCall(options: RunOptions): Promise<void> {
  const { tool, input, toolCallId, signal, record, workspace, now } = options;
  const reports = new EventWriter(record);
  const context: ToolContext = {
    toolCallId,
    workspace,
    signal,
    report: (fields) => reports.add({ type: "call-revised", toolCallId, at: now(), fields }),
    print: (terminalId, text) =>
      reports.add({ type: "terminal-output", toolCallId, at: now(), terminalId, text }),
  };
  // Every parallel call listens to the turn's one signal; Node takes the eleventh listener for a leak.
  setMaxListeners(0, signal);
  const wish = () => reports.add({ type: "cancel-wished", toolCallId, at: now() });
  signal.addEventListener("abort", wish, { once: true });
  const end = await outcome(tool, input, context, now);
  signal.removeEventListener("abort", wish);
  try {
    await reports.flush(end);
  } catch (error) {
    if (!(error instanceof IllegalEvent)) throw error;
    // Its result cannot be written down; that it ran is what must be on record.
    await record.record([
      { type: "call-failed", toolCallId, at: now(), error: `${tool.name} broke: ${error.message}` },
    ]);
  }
}

async function outcome(
  tool: Tool,
  input: unknown,
  context: ToolContext,
  now: () => number,
): Promise<readonly SessionEvent[]> {
  const { toolCallId, signal } = context;
  try {
    const { output, content, plan } = await tool.run(input, context);
    const at = now();
    return [
      ...(plan ? [{ type: "plan-updated", at, entries: plan } as const] : []),
      { type: "call-done", toolCallId, at, rawOutput: plainJson(output), ...(content && { content }) },
    ];
  } catch (error) {
    const at = now();
    if (signal.aborted && isAbort(error, signal)) {
      return [{ type: "call-cancelled", toolCallId, at, reason: "it was stopped while it ran." }];
    }
    return [{ type: "call-failed", toolCallId, at, error: failureText(tool, error) }];
  }
}

function isAbort(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error instanceof Error && error.name === "AbortError");
}

/** A failure that a tool words itself is for the model; anything else is a bug in the tool, told as such. */
export function failureText({ name }: Tool, error: unknown): string {
  if (error instanceof ToolFailure) return error.message;
  return `${name} broke: ${error instanceof Error ? error.message : typeof error === "string" ? error : "it threw something that is no error"}`;
}
