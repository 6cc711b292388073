/**
 * The command, file or address that somebody decided on, where the call's title does not show it. A foreign agent writes
 * the title itself, and nobody decides on a title.
 */
import { addressOf, commandOf, pathOf } from "./title-arguments.js";
import type { ToolCall } from "./tool-call.js";
import { oneLine } from "./visible-text.js";

export function decidedSubject({ decision, rawInput, title, name }: ToolCall): string | undefined {
  if (!decision) return undefined;
  const subject = commandOf(rawInput) ?? pathOf(rawInput) ?? addressOf(rawInput);
  if (subject !== undefined) return title.includes(subject) ? undefined : subject;
  // A call without a name is a foreign agent's: its input is all that there is to show.
  const isUnknown = name === "" && rawInput !== undefined && rawInput !== null;
  return isUnknown ? oneLine(JSON.stringify(rawInput), MAX_INPUT) : undefined;
}

const MAX_INPUT = 200;
