/** What an app reads of a call that has ended. */
import { endSentence } from "../call/index.js";
import type { ToolCall } from "../call/index.js";
import type { MessageContent } from "./client/protocol.js";
import { textContent } from "./request-bodies.js";

export type CallResult = { readonly content: MessageContent; readonly isError: boolean };

export function callResult(call: ToolCall): CallResult {
  const { state } = call;
  if (state.status === "done") return { content: doneContent(call), isError: false };
  if (state.status === "refused") return { content: deniedText(call), isError: true };
  return { content: endSentence(call) ?? "", isError: true };
}

/** The app's own results, which nothing here ran, are told as they came; other output as the model reads it. */
function doneContent({ rawOutput, times }: ToolCall): MessageContent {
  if (typeof rawOutput === "string") return rawOutput;
  const asItCame = times.started === undefined ? textContent.safeParse(rawOutput) : undefined;
  return asItCame?.success ? asItCame.data : JSON.stringify(rawOutput ?? null);
}

/** The protocol's words. Where a rule refused without a reason, the rule is the reason. */
function deniedText({ decision }: ToolCall): string {
  const rule = decision?.rule === undefined ? undefined : `rule ${decision.rule}`;
  const reason = decision?.reason ?? rule;
  return reason === undefined || reason === "" ? "Tool call denied" : `Tool call denied: ${reason}`;
}
