/** A content block that is not text, described in one line. */
import type { ContentBlock } from "../call/index.js";
import { countOf, sizeText } from "../call/amounts.js";
import { visibleName } from "./visible-line.js";

export function blockNote(block: Exclude<ContentBlock, { type: "text" }>): string {
  switch (block.type) {
    case "image":
      return `image ${described(block.mimeType, block.uri)}, ${base64Size(block.data)}`;
    case "audio":
      return `audio ${described(block.mimeType)}, ${base64Size(block.data)}`;
    case "resource_link": {
      const size = block.size ?? undefined;
      const link = `link ${described(block.title ?? block.name, block.uri)}`;
      return size === undefined ? link : `${link}, ${sizeText(size)}`;
    }
    case "resource": {
      const { resource } = block;
      const size =
        "text" in resource ? countOf(resource.text.length, "character") : base64Size(resource.blob);
      return `resource ${described(resource.uri, resource.mimeType)}, ${size}`;
    }
    default:
      return block satisfies never;
  }
}

function described(name: string, more?: string | null): string {
  return more === undefined || more === null
    ? visibleName(name)
    : `${visibleName(name)} ${visibleName(more)}`;
}

function base64Size(data: string): string {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return sizeText(Math.max(0, Math.floor((data.length * 3) / 4) - padding));
}
