/** A conversation as plain text for a model whose window is too small for the conversation itself. */
import type { LanguageModelV3Prompt } from "@ai-sdk/provider";
import { pluralize } from "../call/index.js";
import { cutMiddle } from "./step-messages.js";

type PromptMessage = LanguageModelV3Prompt[number];
type Part = Exclude<PromptMessage["content"], string>[number];

/** No message gets more than this share of the text. */
const SHARE = 0.25;

/** The instructions are left out. Long messages lose their middle, and so does the whole. */
export function transcript(prompt: LanguageModelV3Prompt, maxCharacters: number): string {
  const messages = prompt
    .filter(({ role }) => role !== "system")
    .map((message) => cutMiddle(`${message.role}: ${messageText(message)}`, maxCharacters * SHARE, leftOut));
  return cutMiddle(messages.join("\n\n"), maxCharacters, leftOut);
}

const leftOut = (count: number): string =>
  `[… ${pluralize(count, "character is", "characters are")} left out …]`;

const messageText = ({ content }: PromptMessage): string =>
  typeof content === "string" ? content : content.map(partText).join("\n");

function partText(part: Part): string {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text;
    case "tool-call":
      return `[call of ${part.toolName} with ${JSON.stringify(part.input)}]`;
    case "tool-result": {
      const { output } = part;
      if (output.type === "content")
        return output.value.map((item) => (item.type === "text" ? item.text : `[${item.type}]`)).join("\n");
      return "value" in output && typeof output.value === "string" ? output.value : JSON.stringify(output);
    }
    default:
      return `[${part.type}]`;
  }
}
