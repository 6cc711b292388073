import type { Block, MessageContent } from "../aap/client/index.js";
import type { ContentBlock } from "../call/index.js";

/** A message with its files, as AAP takes it. */
export function messageContentOf(blocks: readonly ContentBlock[]): MessageContent {
  const content = blocks.flatMap((block): readonly Block[] => {
    switch (block.type) {
      case "text":
        return [block];
      case "image":
        return [{ type: "image", url: `data:${block.mimeType};base64,${block.data}` }];
      case "resource":
        return "text" in block.resource
          ? [{ type: "text", text: `\n${block.resource.uri}:\n${block.resource.text}` }]
          : [];
      case "resource_link":
        return [{ type: "text", text: `\n${block.uri}` }];
      default:
        return [];
    }
  });
  const [only, ...others] = content;
  return only?.type === "text" && others.length === 0 ? only.text : content;
}
