/**
 * How the command of a call ended, when not well. The call is done all the same: the tool did what it was asked to, and
 * the model is told what came of it. Whoever looks must see both.
 */
import type { TerminalContent, ToolCall } from "../call/index.js";
import { visibleName } from "./visible-line.js";

/** Undefined when there is none, it runs still, or it ended with 0. */
export function failedCommand({ content }: ToolCall): string | undefined {
  const last = content.findLast((item) => item.type === "terminal" && item.exit !== undefined);
  if (last?.type !== "terminal" || (last.exit?.exitCode === 0 && last.exit.signal === undefined))
    return undefined;
  return exitWords(last).join(", ") || undefined;
}

export function exitWords({ exit }: TerminalContent): readonly string[] {
  return [
    ...(exit?.exitCode === undefined ? [] : [`exit code ${exit.exitCode}`]),
    ...(exit?.signal === undefined ? [] : [`ended by ${visibleName(exit.signal)}`]),
  ];
}
