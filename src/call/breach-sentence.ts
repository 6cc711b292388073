/** The sentence about a call that broke the rules: how it was reported, and which person or rule denies it. */
import type { Breach, ToolCall, ToolCallStatus } from "./tool-call.js";

export function breachSentence({ breach, state }: ToolCall): string | undefined {
  if (!breach) return undefined;
  const reported = REPORTED.get(state.status) ?? "Started";
  const how = breach.isAfterRefusal ? `after ${refusedBy(breach)} refused it` : "without asking";
  return `${reported} ${how}${why(breach)}.`;
}

const REPORTED: ReadonlyMap<ToolCallStatus, string> = new Map([
  ["done", "Done"],
  ["refused", "Done"],
  ["running", "Running"],
  ["failed", "Reported as failed"],
]);

const refusedBy = ({ who, rule }: Breach): string =>
  who ?? (rule === undefined ? "Toolgate" : `rule ${rule}`);

function why({ isAfterRefusal, rule, reason }: Breach): string {
  const because = reason === undefined ? "" : `: ${withoutFullStop(reason)}`;
  if (isAfterRefusal) return because;
  return rule === undefined ? `; it is denied${because}` : `; rule ${rule} denies it${because}`;
}

const withoutFullStop = (text: string): string => (text.endsWith(".") ? text.slice(0, -1) : text);
