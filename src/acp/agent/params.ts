/** Reads the params of a client's request. An error names the param that is missing or of another type. */
import { isAbsolute, resolve } from "node:path";
import type { ContentBlock } from "../../call/index.js";
// Not the whole room: this file is loaded before the first message is answered.
import { oneLine } from "../../call/visible-text.js";
import { invalidParams } from "../connection/message.js";
import type { JsonObject } from "../json.js";
import { isJsonObject, isNone } from "../json.js";

export function objectParams(params: unknown): JsonObject {
  if (!isJsonObject(params)) throw invalidParams("The params must be an object. Nothing was done.");
  return params;
}

export function textParam(params: JsonObject, name: string): string {
  const value = params[name];
  if (typeof value !== "string") throw invalidParams(`"${name}" must be a text. Nothing was done.`);
  return value;
}

export function optionalText(params: JsonObject, name: string): string | undefined {
  return isNone(params[name]) ? undefined : textParam(params, name);
}

/**
 * A folder. A relative one is taken from `base`, the folder that a client which started us shares with us; without
 * `base` it is refused, since a client elsewhere has another idea of where it begins.
 */
export function folderParam(params: JsonObject, name: string, base: string | undefined): string {
  return absoluteFolder(textParam(params, name), name, base);
}

export function foldersParam(params: JsonObject, name: string, base: string | undefined): readonly string[] {
  return listParam(params, name).map((folder) => {
    if (typeof folder !== "string")
      throw invalidParams(`"${name}" must be a list of texts. Nothing was done.`);
    return absoluteFolder(folder, name, base);
  });
}

/** Null means none. */
export function listParam(params: JsonObject, name: string): readonly unknown[] {
  const value = params[name];
  if (isNone(value)) return [];
  if (!Array.isArray(value)) throw invalidParams(`"${name}" must be a list. Nothing was done.`);
  return value;
}

function absoluteFolder(path: string, name: string, base: string | undefined): string {
  if (isAbsolute(path)) return path;
  if (base !== undefined) return resolve(base, path);
  throw invalidParams(
    `"${name}" must be an absolute path, and ${oneLine(path, 200)} is none. Nothing was done.`,
  );
}

/** A person's prompt. ACP's blocks are ours; their content is checked where it is used. */
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
