/** Converts the return value of a tool to its full form. */
import { textContent } from "../call/index.js";
import type { ContentBlock } from "../call/index.js";
import type { ToolResult, ToolReturn } from "./tool.js";

/** `appended`: blocks to show after what the tool has shown so far. */
export type FullResult = ToolResult & { readonly appended: ToolResult["content"] & {} };

export function fullResult(returned: ToolReturn): FullResult {
  if (typeof returned === "string") {
    return { output: returned, appended: returned === "" ? [] : [textContent(returned)] };
  }
  if (isBlocks(returned)) {
    return {
      output: outputOf(returned),
      appended: returned.map((content) => ({ type: "content", content })),
    };
  }
  return { ...returned, appended: [] };
}

const isBlocks = (returned: readonly ContentBlock[] | ToolResult): returned is readonly ContentBlock[] =>
  Array.isArray(returned);

/** The text for the model and the record: other blocks are in the content and only named here. */
function outputOf(blocks: readonly ContentBlock[]): string {
  return blocks.map(blockText).join("\n");
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type}, ${block.mimeType}]`;
    case "resource_link":
      return `[${block.name}](${block.uri})`;
    case "resource":
      return "text" in block.resource ? block.resource.text : `[resource ${block.resource.uri}]`;
    default:
      return block satisfies never;
  }
}
