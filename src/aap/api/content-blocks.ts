/** Content in AAP's form as blocks of the session's log, and back. */
import type { ContentBlock } from "../../call/index.js";
import type { Block } from "../client/protocol.js";
import type { InputContent } from "./request-bodies.js";

export function blocksOf(content: InputContent): readonly ContentBlock[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.map((block) => (block.type === "text" ? block : imageBlock(block.url)));
}

/** The request's schema has checked the form: `data:<type>;base64,<data>`. */
function imageBlock(url: string): ContentBlock {
  const comma = url.indexOf(",");
  const mimeType = url.slice("data:".length, comma - ";base64".length);
  return { type: "image", mimeType, data: url.slice(comma + 1) };
}

export function wireContent(blocks: readonly ContentBlock[]): string | readonly Block[] {
  const [only] = blocks;
  if (blocks.length === 1 && only?.type === "text") return only.text;
  return blocks.map(wireBlock);
}

/** Other protocols may have recorded blocks that AAP does not have. */
export function wireBlock(block: ContentBlock): Block {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type === "image") return { type: "image", url: `data:${block.mimeType};base64,${block.data}` };
  if (block.type === "resource" && "text" in block.resource)
    return { type: "text", text: block.resource.text };
  return {
    type: "text",
    text: block.type === "resource_link" ? `[${block.name}](${block.uri})` : `[${block.type}]`,
  };
}
