/**
 * The sentence for people and models about a call that did not succeed, or that broke the rules. Protocols
 * that know only "failed" carry it as content, so that nobody has to guess what happened.
 */
import type { Decision, ToolCall, Breach, ToolCallStatus } from "./tool-call.js";

export function endSentence(call: ToolCall): string | undefined {
  const { state } = call;
  switch (state.status) {
    case "failed":
      return state.error;
    case "refused":
      return breachSentence(call) ?? `Tool call denied${refusedBy(call.decision)}. Nothing was run.`;
    case "cancelled":
      return `Tool call cancelled: ${state.reason}`;
    case "unknown":
      return `Nobody knows whether this tool call took effect: ${withoutFullStop(state.reason)}. The call will not be run again by itself.`;
    case "drafting":
    case "ready":
    case "waiting":
    case "cleared":
    case "running":
      return undefined;
    case "done":
      return breachSentence(call);
    default:
      return state satisfies never;
  }
}

function refusedBy(decision: Decision | undefined): string {
  if (!decision) return "";
  // Without a rule's name no rule of the user decided: the call is never allowed, or nobody could be asked.
  const isByRule = decision.by === "rule" && decision.rule;
  const who = isByRule ? ` by rule ${decision.rule}` : decision.who ? ` by ${decision.who}` : "";
  return decision.reason ? `${who}: ${withoutFullStop(decision.reason)}` : who;
}

/** No pattern is used, since its time would grow with the square of a hostile reason's length. */
function withoutFullStop(sentence: string): string {
  let end = sentence.length;
  while (end > 0 && " .\n\t".includes(sentence.charAt(end - 1))) end -= 1;
  return sentence.slice(0, end);
}

/** The sentence about a call that broke the rules: how it was reported, and which person or rule denies it. */
export function breachSentence({ breach, state }: ToolCall): string | undefined {
  if (!breach) return undefined;
  const reported = REPORTED.get(state.status) ?? "Started";
  return `${reported} ${howOf(breach)}${why(breach)}.`;
}

function howOf(breach: Breach): string {
  if (breach.isAfterRefusal) return `after ${refuserOf(breach)} refused it`;
  if (breach.isBeforeAnswer) return "before the question about it was answered";
  return breach.isOtherThanAllowed ? "otherwise than it was allowed" : "without asking";
}

const REPORTED: ReadonlyMap<ToolCallStatus, string> = new Map([
  ["done", "Done"],
  ["refused", "Done"],
  ["running", "Running"],
  ["failed", "Reported as failed"],
]);

const refuserOf = ({ who, rule }: Breach): string =>
  who ?? (rule === undefined ? "Toolgate" : `rule ${rule}`);

function why({ isAfterRefusal, isBeforeAnswer, isOtherThanAllowed, rule, reason }: Breach): string {
  const because = reason === undefined ? "" : `: ${withoutFullStop(reason)}`;
  if (isAfterRefusal || isBeforeAnswer || isOtherThanAllowed) return because;
  return rule === undefined ? `; it is denied${because}` : `; rule ${rule} denies it${because}`;
}
