/** What an app reads of a call that has ended. */
import { endSentence } from "../call/index.js";
import type { ToolCall } from "../call/index.js";
import type { MessageContent } from "./client/protocol.js";
import { textContent } from "./request-bodies.js";

export type CallResult = { readonly content: MessageContent; readonly isError: boolean };

export function callResult(call: ToolCall): CallResult {
  const { state, rawOutput } = call;
  if (state.status === "done") return { content: doneContent(rawOutput), isError: false };
  if (state.status === "refused") return { content: deniedText(call), isError: true };
  return { content: endSentence(call) ?? "", isError: true };
}

/** The app's own results are stored as they came; other tools' output is told as the model reads it. */
function doneContent(output: unknown): MessageContent {
  const asItCame = textContent.safeParse(output);
  return asItCame.success ? asItCame.data : JSON.stringify(output ?? null);
}

/** The protocol's words. Where a rule refused without a reason, the rule is the reason. */
function deniedText({ decision }: ToolCall): string {
  const rule = decision?.rule === undefined ? undefined : `rule ${decision.rule}`;
  const reason = decision?.reason ?? rule;
  return reason === undefined || reason === "" ? "Tool call denied" : `Tool call denied: ${reason}`;
}
