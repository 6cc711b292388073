/**
 * The sentence for people and models about a call that did not succeed, or that broke the rules. Protocols
 * that know only "failed" carry it as content, so that nobody has to guess what happened.
 */
import { breachSentence } from "./breach-sentence.js";
import type { Decision, ToolCall } from "./tool-call.js";

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
      return `It is not known whether this tool call took effect: ${withoutFullStop(state.reason)}. It will not be run again by itself.`;
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
  const who =
    decision.by === "rule"
      ? // Without a rule's name no rule of the user decided: the call is never allowed.
        decision.rule
        ? ` by rule ${decision.rule}`
        : ""
      : decision.who
        ? ` by ${decision.who}`
        : "";
  return decision.reason ? `${who}: ${withoutFullStop(decision.reason)}` : who;
}

/** No pattern is used, since its time would grow with the square of a hostile reason's length. */
function withoutFullStop(sentence: string): string {
  let end = sentence.length;
  while (end > 0 && " .\n\t".includes(sentence.charAt(end - 1))) end -= 1;
  return sentence.slice(0, end);
}
