/**
 * Converts a server's result to blocks for display and to the output for the model. Nothing in the result is fetched.
 * The result is bounded: content that is too large is cut or left out, and a note says so.
 */
import { z } from "zod";
import { oneLine, plainJson, pluralize } from "../call/index.js";
import type { ContentBlock } from "../call/index.js";
import type { JsonSchemaCheck, ToolResult } from "../tools/index.js";

const MAX_TEXT = 1_000_000;
const MAX_TOTAL = 4_000_000;
const MAX_BLOCKS = 1000;
const MAX_META = 16_384;
const MAX_NAME = 2000;

export const callResultSchema = z.looseObject({
  content: z.array(z.unknown()).nullish(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().nullish(),
});

export type CallResult = z.output<typeof callResultSchema>;

const extras = {
  annotations: z
    .looseObject({
      audience: z.array(z.enum(["assistant", "user"])).exactOptional(),
      priority: z.number().exactOptional(),
      lastModified: z.string().max(100).exactOptional(),
    })
    .exactOptional()
    .catch({}),
  _meta: z.looseObject({}).exactOptional().catch({}),
};
const short = z.string().max(MAX_NAME);

const blockSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string(), ...extras }),
  z.object({ type: z.literal("image"), data: z.string(), mimeType: short, ...extras }),
  z.object({ type: z.literal("audio"), data: z.string(), mimeType: short, ...extras }),
  z.object({
    type: z.literal("resource_link"),
    name: short,
    uri: short,
    title: short.exactOptional(),
    description: short.exactOptional(),
    mimeType: short.exactOptional(),
    size: z.number().exactOptional(),
    ...extras,
  }),
  z.object({
    type: z.literal("resource"),
    resource: z.union([
      z.object({ uri: short, mimeType: short.exactOptional(), text: z.string() }),
      z.object({ uri: short, mimeType: short.exactOptional(), blob: z.string() }),
    ]),
    ...extras,
  }),
]);

export function readCallResult(result: CallResult, checkOutput: JsonSchemaCheck | undefined): ToolResult {
  const blocks = readBlocks(result.content ?? []);
  const structured = result.structuredContent;
  const isError = result.isError === true;
  const checked = structured === undefined || isError ? undefined : checkOutput?.(structured);
  if (checked?.ok === false) {
    blocks.push(
      note(`the structured result does not match the tool's schema: ${oneLine(checked.problem, 300)}`),
    );
  }
  const useStructured = structured !== undefined && structured !== null && checked?.ok !== false;
  return {
    output: useStructured ? plainJson(structured) : blocks.map(wordsOf).join("\n"),
    content: blocks.map((content) => ({ type: "content", content })),
    ...(isError && { isError }),
  };
}

function readBlocks(content: readonly unknown[]): ContentBlock[] {
  const blocks: ContentBlock[] = [];
  let room = MAX_TOTAL;
  for (const one of content.slice(0, MAX_BLOCKS)) {
    const block = bounded(readBlock(one), room);
    room -= sizeOf(block);
    blocks.push(block);
  }
  const left = content.length - blocks.length;
  if (left > 0) blocks.push(note(`${pluralize(left, "more block was", "more blocks were")} left out`));
  return blocks;
}

function readBlock(value: unknown): ContentBlock {
  const read = blockSchema.safeParse(value);
  if (!read.success) {
    const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
    return note(
      `a block of the type "${oneLine(typeof type === "string" ? type : typeof type, 60)}" cannot be read here and was left out`,
    );
  }
  const { _meta, ...block } = read.data;
  if (_meta === undefined) return block;
  // An object stays an object when it is shortened.
  return { ...block, _meta: { ...Object(plainJson(_meta, { maxCharacters: MAX_META })) } };
}

/** Texts are cut. Other blocks are left out whole: a part of them is useless. */
function bounded(block: ContentBlock, room: number): ContentBlock {
  if (block.type === "text") return { ...block, text: cut(block.text, room) };
  if (block.type === "resource" && "text" in block.resource) {
    return { ...block, resource: { ...block.resource, text: cut(block.resource.text, room) } };
  }
  const size = sizeOf(block);
  return size <= room
    ? block
    : note(`the ${block.type} of ${pluralize(size, "character")} is too large and was left out`);
}

function cut(text: string, room: number): string {
  const end = Math.max(0, Math.min(MAX_TEXT, room));
  if (text.length <= end) return text;
  const kept = text.slice(0, end).replace(/[\uD800-\uDBFF]$/, "");
  return `${kept}\n[${pluralize(text.length - kept.length, "more character was", "more characters were")} left out]`;
}

function sizeOf(block: ContentBlock): number {
  switch (block.type) {
    case "text":
      return block.text.length;
    case "image":
    case "audio":
      return block.data.length;
    case "resource_link":
      return block.uri.length + block.name.length;
    case "resource":
      return "text" in block.resource ? block.resource.text.length : block.resource.blob.length;
    default:
      return block satisfies never;
  }
}

function wordsOf(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type} ${oneLine(block.mimeType, 60)}]`;
    case "resource_link":
      return `[link to ${oneLine(block.name, 120)}: ${oneLine(block.uri, 500)}]`;
    case "resource":
      return "text" in block.resource
        ? block.resource.text
        : `[resource ${oneLine(block.resource.uri, 500)}]`;
    default:
      return block satisfies never;
  }
}

const note = (text: string): ContentBlock => ({ type: "text", text: `[${text}]` });
