/** The result of a call that has ended, as an app gets it. */
import { changedInputRemarks } from "../../call/call-remarks.js";
import { breachSentence, endSentence } from "../../call/index.js";
import type { ToolCall } from "../../call/index.js";
import type { MessageContent } from "../client/protocol.js";
import { wireBlock } from "../api/content-blocks.js";

export type CallResult = { readonly content: MessageContent; readonly isError: boolean };

/** `remarks` come first. A result that ran with a changed input says so, since its call shows the input as the model wrote it. */
export function callResult(call: ToolCall, remarks = changedInputRemarks(call)): CallResult {
  const { content, isError } = plainResult(call);
  return { content: remarks.length === 0 ? content : withSentence(remarks.join("\n"), content), isError };
}

function plainResult(call: ToolCall): CallResult {
  const { state } = call;
  if (state.status === "done") {
    const breach = breachSentence(call);
    if (breach === undefined) return { content: doneContent(call), isError: false };
    return { content: withSentence(breach, doneContent(call)), isError: true };
  }
  if (state.status === "refused") return { content: deniedText(call), isError: true };
  return { content: endSentence(call) ?? "", isError: true };
}

/** An app's tool and an external agent give blocks; for our own tools the app gets the text that the model gets. */
function doneContent({ rawOutput, content, times }: ToolCall): MessageContent {
  const blocks = content.flatMap((item) => (item.type === "content" ? [wireBlock(item.content)] : []));
  const isApps = times.started === undefined;
  if (blocks.length > 0 && (isApps || rawOutput === undefined)) return blocks;
  // A file that we read or wrote for an external agent, for example, has no output.
  if (rawOutput === undefined) return "";
  return typeof rawOutput === "string" ? rawOutput : JSON.stringify(rawOutput);
}

/** The sentence first, and then the outcome. */
function withSentence(sentence: string, content: MessageContent): MessageContent {
  if (typeof content === "string") return content === "" ? sentence : `${sentence}\n${content}`;
  return [{ type: "text", text: sentence }, ...content];
}

/** The text is the protocol's. Where a rule refused without a reason, the rule is the reason. */
function deniedText({ decision }: ToolCall): string {
  const rule = decision?.rule === undefined ? undefined : `rule ${decision.rule}`;
  const reason = decision?.reason ?? rule;
  return reason === undefined || reason === "" ? "Tool call denied" : `Tool call denied: ${reason}`;
}
