/**
 * Why a command that failed because of the sandbox is asked about when the same call is made again: the question offers
 * to run it outside. Read from the recorded calls, so that another process knows it too.
 */
import { visibleText } from "../call/index.js";
import type { SessionBook } from "../call/index.js";
import { isOfSandbox } from "../tools/sandbox/run-contained.js";

/** Undefined when the sandbox was in the way of no such call. */
export function sandboxReason(book: SessionBook, name: string, rawInput: unknown): string | undefined {
  const key = commandKey(name, rawInput);
  if (key === undefined) return undefined;
  let reason: string | undefined;
  for (const call of book.calls()) {
    const refusal = call.refusals?.find(isOfSandbox);
    if (refusal && commandKey(call.name, call.rawInput) === key) reason = refusal.text;
  }
  return reason === undefined ? undefined : `it would run outside of the sandbox. ${visibleText(reason)}`;
}

/** The same command in the same folder, whatever time it is given. */
function commandKey(name: string, input: unknown): string | undefined {
  if (typeof input !== "object" || input === null || !("command" in input)) return undefined;
  const folder = "cwd" in input ? input.cwd : undefined;
  return JSON.stringify([name, input.command, folder ?? null]);
}
