/** Reads a file for the model: an image, or a text, whole or in parts; each part says how to get the next. */
import { z } from "zod";
import type { ContentBlock } from "../../call/index.js";
import { defineTool } from "../define-tool.js";
import { ToolFailure } from "../tool.js";
import type { FileInfo, Workspace } from "../workspace.js";
import { imageType, SIGNATURE_BYTES } from "./image-type.js";
import { largeFilePart } from "./large-file-part.js";
import { mustBeText } from "./must-be-text.js";
import { sizeText } from "../../call/amounts.js";
import { MAX_LINES, textPart } from "./text-part.js";
import { pathAccess, pathInput } from "../path-access.js";

const MAX_WHOLE_TEXT = 10 * 1024 * 1024;
const MAX_IMAGE = 5 * 1024 * 1024;

const input = () =>
  z.object({
    path: pathInput("The file"),
    line: z.int().min(1).optional().describe("The first line to read, counted from 1."),
    limit: z
      .int()
      .min(1)
      .optional()
      .describe(`How many lines to read; at most, and without it, ${MAX_LINES}.`),
  });

export const readFile = defineTool({
  name: "read_file",
  description:
    "Reads a text file, or shows an image (PNG, JPEG, GIF, WebP). A long text comes in parts; the last line of a part says how to continue.",
  kind: "read",
  input,
  async intent({ path }, workspace) {
    return { paths: [await pathAccess(path, "read", workspace)] };
  },
  async preview({ path, line }, workspace) {
    const place = { path: await workspace.resolve(path) };
    return { locations: [line === undefined ? place : { ...place, line }] };
  },
  async run(wanted, { workspace, signal }) {
    const { path } = wanted;
    const file = await workspace.resolve(path);
    const { size } = mustBeFile(path, await workspace.look(file));
    const start = await workspace.readBytes(file, { length: SIGNATURE_BYTES });
    const image = start && imageType(start.bytes);
    if (image !== undefined) return imageBlocks(path, image, await imageBytes(path, file, workspace));
    if (size > MAX_WHOLE_TEXT) return largeFilePart(workspace, { file, size, signal }, wanted);
    const text = await wholeText(path, file, workspace);
    return textPart(text, wanted);
  },
});

function mustBeFile(path: string, info: FileInfo | undefined): FileInfo {
  if (info?.type === "file") return info;
  if (!info) throw notThere(path);
  throw new ToolFailure(
    info.type === "folder"
      ? `read_file: ${path} is a folder, not a file. Nothing was read. Use list_directory to see what is in it.`
      : `read_file: ${path} is a device, pipe or socket, not a file. Nothing was read. Give the path of a file.`,
  );
}

/** The workspace's text comes first: an editor may have a newer one than the disk. */
async function wholeText(path: string, file: string, workspace: Workspace): Promise<string> {
  try {
    const text = await workspace.readText(file);
    if (text !== undefined) return text;
  } catch (error) {
    const read =
      error instanceof ToolFailure && (await workspace.readBytes(file, { length: MAX_WHOLE_TEXT }));
    if (read) mustBeText(path, read.bytes);
    throw error;
  }
  throw notThere(path);
}

async function imageBytes(path: string, file: string, workspace: Workspace): Promise<Uint8Array> {
  const read = await workspace.readBytes(file, { length: MAX_IMAGE });
  if (!read) throw notThere(path);
  if (read.size <= MAX_IMAGE) return read.bytes;
  throw new ToolFailure(
    `read_file: ${path} is an image of ${sizeText(read.size)}, and one of at most ${sizeText(MAX_IMAGE)} can be shown. Nothing was read. Make a smaller copy with a command, and read that.`,
  );
}

function notThere(path: string): ToolFailure {
  return new ToolFailure(
    `read_file: ${path} does not exist. Nothing was read. List its folder to find the right name.`,
  );
}

function imageBlocks(path: string, mimeType: string, bytes: Uint8Array): readonly ContentBlock[] {
  return [
    { type: "text", text: `[${path} is an image: ${mimeType}, ${sizeText(bytes.length)}.]` },
    { type: "image", data: Buffer.from(bytes).toString("base64"), mimeType },
  ];
}
