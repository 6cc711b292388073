/** A person's prompt, as the client sent it. ACP's blocks are ours; their content is checked where it is used. */
import type { ContentBlock } from "../../call/index.js";
import { invalidParams } from "../connection/message.js";
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";
import { listParam } from "./params.js";

export function promptBlocks(params: JsonObject): readonly ContentBlock[] {
  const blocks = listParam(params, "prompt");
  if (blocks.length === 0) throw invalidParams("The prompt is empty. No turn was started.");
  return blocks.map((block, index) => {
    if (!isBlock(block))
      throw invalidParams(`Part ${index + 1} of the prompt cannot be read. No turn was started.`);
    return block;
  });
}

const TEXTS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["text", ["text"]],
  ["image", ["data", "mimeType"]],
  ["audio", ["data", "mimeType"]],
  ["resource_link", ["uri", "name"]],
]);

function isBlock(block: unknown): block is ContentBlock {
  if (!isJsonObject(block)) return false;
  const { type, resource } = block;
  if (type === "resource")
    return (
      isJsonObject(resource) &&
      typeof resource["uri"] === "string" &&
      (typeof resource["text"] === "string" || typeof resource["blob"] === "string")
    );
  return TEXTS.get(type)?.every((name) => typeof block[name] === "string") ?? false;
}
