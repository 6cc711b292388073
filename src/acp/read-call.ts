/**
 * Reads the fields of a tool-call message, of either protocol version, into our own terms: one message alone.
 * `call-events.ts` finds the effect on the call.
 */
import { absolutePath, isAbsolutePath, isToolKind } from "../call/index.js";
import type { Location, Meta, ToolCallContent, ToolKind } from "../call/index.js";
import { isJsonObject, isNone } from "./json.js";
import type { JsonObject } from "./json.js";
import type { BlockRules } from "./read-block.js";
import { readBlock } from "./read-block.js";
import type { Reading } from "./reading.js";
import { withoutToolgate } from "./toolgate-meta.js";

export type WireStatus = "pending" | "in_progress" | "paused" | "completed" | "failed" | "cancelled";

/** Undefined: absent. Null: cleared (v2 only). All fields are there, so that all messages have one shape. */
export type CallMessage = {
  readonly toolCallId: string;
  /** A v1 `tool_call`: it replaces all that a call shows. */
  readonly starts: boolean;
  readonly title: string | null | undefined;
  readonly name: string | null | undefined;
  readonly kind: ToolKind | undefined;
  readonly status: WireStatus | undefined;
  readonly content: readonly ToolCallContent[] | undefined;
  readonly locations: readonly Location[] | undefined;
  readonly rawInput: unknown;
  readonly rawOutput: unknown;
  readonly _meta: Meta | null | undefined;
};

/** The differences between the two protocol versions in reading a call. */
export type CallRules = {
  readonly blocks: BlockRules;
  readonly statuses: ReadonlySet<unknown>;
  /** v2: unknown kinds and statuses are vendors' or the future's, and are no fault. */
  readonly openEnums: boolean;
  /** v2: null clears a field. v1: null leaves it as it is. */
  readonly nullClears: boolean;
  readonly minimumLine: 0 | 1;
  readDiff(value: JsonObject, reading: Reading): ToolCallContent[];
};

/** `starts`: a v1 `tool_call`, whose title is required and whose other fields may be absent but not null. */
export function readCall(
  message: JsonObject,
  starts: boolean,
  rules: CallRules,
  reading: Reading,
): CallMessage {
  const toolCallId = readId(message["toolCallId"], reading);
  reading.toolCallId = toolCallId;
  const nullable = !starts;
  return {
    toolCallId,
    starts,
    title: readText(message, "title", nullable, rules, reading),
    name: readText(message, "name", true, rules, reading),
    kind: readKind(message["kind"], nullable, rules, reading),
    status: readStatus(message["status"], nullable, rules, reading),
    content: readList(message, "content", nullable, rules, reading, readContent),
    locations: readList(message, "locations", nullable, rules, reading, readLocation),
    rawInput: readRaw(message["rawInput"], rules),
    rawOutput: readRaw(message["rawOutput"], rules),
    _meta: readMeta(message["_meta"], rules.nullClears, reading),
  };
}

export function readId(value: unknown, reading: Reading): string {
  if (typeof value === "string") return value;
  if (typeof value !== "number")
    return reading.fail("toolCallId must be a text; the message belongs to no call");
  reading.tolerate("id-not-text", "a number stood where the toolCallId must be a text");
  return String(value);
}

function readText(
  message: JsonObject,
  key: "title" | "name",
  nullable: boolean,
  rules: CallRules,
  reading: Reading,
): string | null | undefined {
  const value = message[key];
  if (typeof value === "string") return value;
  if (value === undefined) return undefined;
  if (value === null && nullable) return rules.nullClears ? null : undefined;
  reading.tolerate(value === null ? "null-field" : "bad-field", `"${key}" must be a text and was left out`);
  return undefined;
}

function readKind(
  value: unknown,
  nullable: boolean,
  rules: CallRules,
  reading: Reading,
): ToolKind | undefined {
  if (isToolKind(value)) return value;
  if (value === undefined) return undefined;
  if (value === null) {
    if (!nullable) reading.tolerate("null-field", `"kind" may be left out but not be null`);
    return nullable && !rules.nullClears ? undefined : "other";
  }
  if (typeof value !== "string") reading.tolerate("bad-field", `"kind" must be a text; taken for other`);
  else if (!rules.openEnums)
    reading.repair("unknown-kind", `kind "${value.slice(0, 40)}" is not one of ACP's; taken for other`);
  return "other";
}

function readStatus(
  value: unknown,
  nullable: boolean,
  rules: CallRules,
  reading: Reading,
): WireStatus | undefined {
  // Membership was checked; the set holds only wire statuses.
  if (rules.statuses.has(value)) return value as WireStatus;
  if (value === undefined) return undefined;
  if (value === null) {
    if (!nullable) reading.tolerate("null-field", `"status" may be left out but not be null`);
    return nullable && rules.nullClears ? "pending" : undefined;
  }
  if (typeof value === "string" && rules.openEnums) return "in_progress";
  reading.tolerate("unknown-status", `status ${JSON.stringify(value).slice(0, 40)} is not one of ACP's`);
  return typeof value === "string" ? statusOfWord(value) : undefined;
}

/** Undefined for a word that means none of them. */
export const statusOfWord = (word: string): WireStatus | undefined => STATUS_OF_WORD.get(word.toLowerCase());

/** Other agents' names for ACP's statuses. A finished call must not look like one that has not started. */
const STATUS_OF_WORD: ReadonlyMap<string, WireStatus> = new Map(
  (
    [
      ["cancelled", "cancelled canceled"],
      ["completed", "complete done success succeeded successful finished ok"],
      ["failed", "failure error errored"],
      ["in_progress", "inprogress in-progress running started executing"],
    ] as const
  ).flatMap(([status, words]) => words.split(" ").map((word) => [word, status] as const)),
);

function readList<Item>(
  message: JsonObject,
  key: "content" | "locations",
  nullable: boolean,
  rules: CallRules,
  reading: Reading,
  read: (item: unknown, rules: CallRules, reading: Reading) => readonly Item[],
): readonly Item[] | undefined {
  const value = message[key];
  if (value === undefined) return undefined;
  if (Array.isArray(value)) {
    const items: Item[] = [];
    for (const item of value) items.push(...read(item, rules, reading));
    return items;
  }
  if (value === null && nullable) return rules.nullClears ? [] : undefined;
  reading.tolerate(value === null ? "null-field" : "bad-field", `"${key}" must be a list`);
  if (isJsonObject(value)) return read(value, rules, reading);
  return undefined;
}

function readContent(value: unknown, rules: CallRules, reading: Reading): readonly ToolCallContent[] {
  if (!isJsonObject(value)) {
    reading.tolerate("bad-content", "a content item that is not an object was left out");
    return [];
  }
  const { type } = value;
  if (type === "diff") return rules.readDiff(value, reading);
  if (type === "terminal") return readTerminal(value, rules, reading);
  if (type === "content") return readWrapped(value, rules, reading);
  if (rules.blocks.shapes.has(type) && !rules.openEnums) {
    reading.tolerate("bare-block", `a bare ${String(type)} block was wrapped as content`);
    const content = readBlock(value, rules.blocks, reading);
    return content ? [{ type: "content", content }] : [];
  }
  if (rules.openEnums && typeof type === "string") return [];
  reading.tolerate("bad-content", "a content item of no known type was left out");
  return [];
}

function readWrapped(value: JsonObject, rules: CallRules, reading: Reading): readonly ToolCallContent[] {
  const _meta = readItemMeta(value["_meta"], reading);
  const content = readBlock(value["content"], rules.blocks, reading);
  if (!content) return [];
  return [_meta ? { type: "content", content, _meta } : { type: "content", content }];
}

function readTerminal(value: JsonObject, rules: CallRules, reading: Reading): readonly ToolCallContent[] {
  const { terminalId } = value;
  const _meta = readMeta(value["_meta"], false, reading);
  if (typeof terminalId === "string")
    return [_meta ? { type: "terminal", terminalId, _meta } : { type: "terminal", terminalId }];
  reading.tolerate("bad-content", "a terminal without a terminalId was left out");
  return [];
}

function readLocation(value: unknown, rules: CallRules, reading: Reading): readonly Location[] {
  if (!isJsonObject(value) || typeof value["path"] !== "string") {
    reading.tolerate("bad-location", "a location without a path was left out");
    return [];
  }
  const path = readPath(value["path"], reading);
  const line = readLine(value["line"], rules, reading);
  const _meta = readMeta(value["_meta"], false, reading);
  if (!_meta) return [line === undefined ? { path } : { path, line }];
  return [line === undefined ? { path, _meta } : { path, line, _meta }];
}

/** ACP's schema has 32 bits for it: a reader of ours would pass on a message that others refuse as a whole. */
const MAX_LINE = 2 ** 32 - 1;

function readLine(value: unknown, rules: CallRules, reading: Reading): number | undefined {
  if (isNone(value)) return undefined;
  if (typeof value === "number" && Number.isInteger(value)) {
    if (value >= 1 && value <= MAX_LINE) return value;
    if (value === 0 && rules.minimumLine === 0) {
      reading.repair("line-zero", "lines count from 1; line 0 was left out");
      return undefined;
    }
  }
  reading.tolerate("bad-location", `a line must be a whole number from 1 to ${MAX_LINE}; it was left out`);
  return undefined;
}

export function readPath(path: string, reading: Reading): string {
  if (isAbsolutePath(path)) return path;
  reading.repair("relative-path", "paths are absolute; a relative one was taken from the session's folder");
  return absolutePath(reading.cwd, path);
}

/** Null means "none" at most levels. For a v2 call it clears the earlier value. */
export function readMeta(value: unknown, nullClears: boolean, reading: Reading): Meta | null | undefined {
  if (value === undefined || isJsonObject(value)) return value;
  if (value === null) return nullClears ? null : undefined;
  reading.tolerate("bad-meta", `"_meta" must be an object and was left out`);
  return undefined;
}

/** The `_meta` of an item, without our own field when an agent that is not ours sent it. */
export function readItemMeta(value: unknown, reading: Reading): Meta | undefined {
  const meta = readMeta(value, false, reading) ?? undefined;
  return meta && reading.mode === "lenient" ? withoutToolgate(meta) : meta;
}

/** Raw values are any JSON; v1 has no difference between null and none. */
function readRaw(value: unknown, rules: CallRules): unknown {
  return value === null && !rules.nullClears ? undefined : value;
}
