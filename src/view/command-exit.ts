/**
 * The exit of a call's command that failed. The call itself is done, since the tool ran the command and the model gets
 * its output. A reader must see both.
 */
import type { TerminalContent, ToolCall } from "../call/index.js";
import { visibleName } from "./visible-line.js";

/** Undefined without a command, while it runs, or when it ended with 0. */
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
