/**
 * Reads a content block: text, image, audio, resource link, embedded resource. A good block is handed
 * on as the very object that came; only one with a bad optional field is rebuilt without that field.
 */
import type { ContentBlock } from "../call/index.js";
import { isJsonObject, isNone } from "./json.js";
import type { Reading } from "./reading.js";

type Check = (value: unknown) => boolean;
type Shape = { readonly required: ReadonlyMap<string, Check>; readonly optional: ReadonlyMap<string, Check> };

/** The differences between the two protocol versions in reading a block. */
export type BlockRules = {
  readonly shapes: ReadonlyMap<unknown, Shape>;
  readonly keepsUnknownTypes: boolean;
};

const isText: Check = (value) => typeof value === "string";
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isAudience: Check = (value) =>
  Array.isArray(value) && value.every((role) => role === "assistant" || role === "user");

const ANNOTATIONS_V1 = shape({}, { audience: isAudience, lastModified: isText, priority: isFiniteNumber });
// v2 leaves room for roles to come.
const ANNOTATIONS_V2 = shape({}, { audience: isTexts, lastModified: isText, priority: isShare });
const TEXT_RESOURCE = shape({ text: isText, uri: isText }, { mimeType: isText });
const BLOB_RESOURCE = shape({ blob: isText, uri: isText }, { mimeType: isText });
const ICON = shape({ src: isText }, { mimeType: isText, sizes: isTexts, theme: isText });
const isResource: Check = (value) => fits(value, TEXT_RESOURCE) || fits(value, BLOB_RESOURCE);

export const V1_BLOCKS: BlockRules = {
  shapes: blockShapes((value) => fits(value, ANNOTATIONS_V1), { size: Number.isInteger }),
  keepsUnknownTypes: false,
};

export const V2_BLOCKS: BlockRules = {
  shapes: blockShapes((value) => fits(value, ANNOTATIONS_V2), { size: isCount, icons: isIcons }),
  keepsUnknownTypes: true,
};

/** The block, or undefined when it was left out with a repair. */
export function readBlock(value: unknown, rules: BlockRules, reading: Reading): ContentBlock | undefined {
  const shapeOf = isJsonObject(value) ? rules.shapes.get(value["type"]) : undefined;
  if (!isJsonObject(value) || (!shapeOf && !(rules.keepsUnknownTypes && isText(value["type"])))) {
    reading.tolerate("bad-content", "a content block of no known type was left out");
    return undefined;
  }
  // A block of a later protocol is kept as it came; a view may not know it.
  if (!shapeOf || fits(value, shapeOf)) return value as ContentBlock;
  for (const [key, check] of shapeOf.required) {
    if (check(value[key])) continue;
    reading.tolerate(
      "bad-content",
      `a ${String(value["type"])} block without a proper "${key}" was left out`,
    );
    return undefined;
  }
  const good = Object.entries(value).filter(([key, field]) => isGoodOptional(shapeOf, key, field));
  reading.tolerate(
    "bad-annotations",
    `bad optional fields of a ${String(value["type"])} block were left out`,
  );
  // All required fields were checked above and the bad optional ones are gone.
  return Object.fromEntries(good) as ContentBlock;
}

function fits(value: unknown, { required, optional }: Shape): boolean {
  if (!isJsonObject(value)) return false;
  for (const [key, check] of required) if (!check(value[key])) return false;
  for (const [key, check] of optional) {
    const field = value[key];
    if (field !== undefined && field !== null && !check(field)) return false;
  }
  return true;
}

function isGoodOptional(shapeOf: Shape, key: string, field: unknown): boolean {
  const check = shapeOf.optional.get(key);
  return !check || isNone(field) || check(field);
}

function shape(required: Record<string, Check>, optional: Record<string, Check>): Shape {
  return {
    required: new Map(Object.entries(required)),
    optional: new Map([...Object.entries(optional), ["_meta", isJsonObject]]),
  };
}

function blockShapes(annotations: Check, link: Record<string, Check>): ReadonlyMap<unknown, Shape> {
  const media = { data: isText, mimeType: isText };
  const described = { title: isText, description: isText, mimeType: isText, ...link };
  return new Map([
    ["text", shape({ text: isText }, { annotations })],
    ["image", shape(media, { annotations, uri: isText })],
    ["audio", shape(media, { annotations })],
    ["resource_link", shape({ name: isText, uri: isText }, { annotations, ...described })],
    ["resource", shape({ resource: isResource }, { annotations })],
  ]);
}

function isFiniteNumber(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value);
}

function isShare(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value <= 1;
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0;
}

function isIcons(value: unknown): boolean {
  return Array.isArray(value) && value.every((icon: unknown) => fits(icon, ICON));
}

/** The block with what v2 forbids and v1 allows taken out: a priority or a size out of range. */
export function blockForV2(block: ContentBlock): ContentBlock {
  const rules = V2_BLOCKS.shapes.get(block.type);
  if (!rules || fits(block, rules)) return block;
  const good = Object.entries(block).filter(([key, field]) => isGoodOptional(rules, key, field));
  // Only optional fields were taken out.
  return Object.fromEntries(good) as ContentBlock;
}
