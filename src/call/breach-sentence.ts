/** The sentence about a call that broke the rules: how it was reported, and which person or rule denies it. */
import type { Breach, ToolCall, ToolCallStatus } from "./tool-call.js";

export function breachSentence({ breach, state }: ToolCall): string | undefined {
  if (!breach) return undefined;
  const reported = REPORTED.get(state.status) ?? "Started";
  return `${reported} ${howOf(breach)}${why(breach)}.`;
}

function howOf(breach: Breach): string {
  if (breach.isAfterRefusal) return `after ${refusedBy(breach)} refused it`;
  if (breach.isBeforeAnswer) return "before the question about it was answered";
  return breach.isOtherThanAllowed ? "otherwise than it was allowed" : "without asking";
}

const REPORTED: ReadonlyMap<ToolCallStatus, string> = new Map([
  ["done", "Done"],
  ["refused", "Done"],
  ["running", "Running"],
  ["failed", "Reported as failed"],
]);

const refusedBy = ({ who, rule }: Breach): string =>
  who ?? (rule === undefined ? "Toolgate" : `rule ${rule}`);

function why({ isAfterRefusal, isBeforeAnswer, isOtherThanAllowed, rule, reason }: Breach): string {
  const because = reason === undefined ? "" : `: ${withoutFullStop(reason)}`;
  if (isAfterRefusal || isBeforeAnswer || isOtherThanAllowed) return because;
  return rule === undefined ? `; it is denied${because}` : `; rule ${rule} denies it${because}`;
}

const withoutFullStop = (text: string): string => (text.endsWith(".") ? text.slice(0, -1) : text);
