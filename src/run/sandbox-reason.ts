/**
 * Why a command that failed because of the sandbox is asked about when the same call is made again at once: the question
 * offers to run it outside. After another command it is contained again: tests that failed for two reasons are run many
 * times. Read from the recorded calls, so that another process knows it too.
 */
import { visibleText } from "../call/index.js";
import type { SessionBook, ToolCall } from "../call/index.js";
import { isOfSandbox } from "../tools/sandbox/run-contained.js";

/** Undefined when the sandbox was not in the way of the last command, or when that was another one. */
export function sandboxReason(book: SessionBook, name: string, rawInput: unknown): string | undefined {
  const key = commandKey(name, rawInput);
  if (key === undefined) return undefined;
  let last: ToolCall | undefined;
  for (const call of book.calls())
    if (call.times.started !== undefined && commandKey(call.name, call.rawInput) !== undefined) last = call;
  const refusal = last?.refusals?.find(isOfSandbox);
  if (!last || !refusal || commandKey(last.name, last.rawInput) !== key) return undefined;
  return `it would run outside of the sandbox. ${visibleText(refusal.text)}`;
}

/** The same command in the same folder, whatever time it is given. */
function commandKey(name: string, input: unknown): string | undefined {
  if (typeof input !== "object" || input === null || !("command" in input)) return undefined;
  const folder = "cwd" in input ? input.cwd : undefined;
  return JSON.stringify([name, input.command, folder ?? null]);
}
