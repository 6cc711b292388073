/** `@path` in a message: the named files go with it, as text, as an image, or as a link where they are large. */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { extname, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { ContentBlock } from "../call/index.js";

const MAX_TEXT_BYTES = 100_000;
const MAX_IMAGE_BYTES = 5_000_000;
const IMAGES: ReadonlyMap<string, string> = new Map([
  [".png", "image/png"],
  [".jpg", "image/jpeg"],
  [".jpeg", "image/jpeg"],
  [".gif", "image/gif"],
  [".webp", "image/webp"],
]);
/** A path with spaces stands in quotes. */
const MENTION = /(?<=^|\s)@(?:"([^"\n]+)"|(\S+))/g;

export type AttachOptions = {
  /** A path that leads out of the folder is only text, for messages that come over a network. */
  readonly onlyInside?: boolean;
};

/** The message and its files. A word after @ that names no file is only text. */
export function messageBlocks(
  text: string,
  folder: string,
  { onlyInside = false }: AttachOptions = {},
): readonly ContentBlock[] {
  const names = [...text.matchAll(MENTION)].map(
    ([, quoted, word = ""]) => quoted ?? word.replace(/[,.;:!?)]+$/, ""),
  );
  const files = [...new Set(names)].flatMap((name) => {
    const path = resolve(folder, name);
    return onlyInside && !isInside(path, folder) ? [] : (blockOf(name, path) ?? []);
  });
  return [{ type: "text", text }, ...files];
}

function isInside(path: string, folder: string): boolean {
  try {
    return realpathSync(path).startsWith(realpathSync(folder) + sep);
  } catch {
    return false;
  }
}

function blockOf(name: string, path: string): ContentBlock | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return undefined;
  const uri = pathToFileURL(path).href;
  const mimeType = IMAGES.get(extname(path).toLowerCase());
  if (!stats.isFile()) return { type: "resource_link", name, uri };
  if (mimeType !== undefined && stats.size <= MAX_IMAGE_BYTES)
    return { type: "image", data: readFileSync(path).toString("base64"), mimeType, uri };
  const text = stats.size <= MAX_TEXT_BYTES ? textOf(path) : undefined;
  return text === undefined
    ? { type: "resource_link", name, uri, size: stats.size }
    : { type: "resource", resource: { uri, text } };
}

/** Undefined for a file that is not text. */
function textOf(path: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch {
    return undefined;
  }
}
