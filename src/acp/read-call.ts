/**
 * Reads the fields of a tool-call message, of either protocol version, into our own terms. It looks
 * at one message alone; what it means for the call is `call-events.ts`'s business.
 */
import { absolutePath, isAbsolutePath, isToolKind } from "../call/index.js";
import type { Location, Meta, ToolCallContent, ToolKind } from "../call/index.js";
import { isJsonObject, isNone } from "./json.js";
import type { JsonObject } from "./json.js";
import type { BlockRules } from "./read-block.js";
import { readBlock } from "./read-block.js";
import type { Troubles } from "./troubles.js";

export type WireStatus = "pending" | "in_progress" | "paused" | "completed" | "failed" | "cancelled";

/** Undefined: not said. Null: cleared (v2 only). All fields are there, so that all messages have one shape. */
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

/** Where the two protocol versions read a call differently. */
export type CallRules = {
  readonly blocks: BlockRules;
  readonly statuses: ReadonlySet<unknown>;
  /** v2: unknown kinds and statuses are vendors' or the future's, and are no fault. */
  readonly openEnums: boolean;
  /** v2: null clears a field. v1: null leaves it as it is. */
  readonly nullClears: boolean;
  readonly minimumLine: 0 | 1;
  readDiff(value: JsonObject, at: Place): ToolCallContent[];
};

export type Place = { readonly cwd: string; readonly troubles: Troubles };

/** `starts`: a v1 `tool_call`, whose title is required and whose other fields may be absent but not null. */
export function readCall(message: JsonObject, starts: boolean, rules: CallRules, at: Place): CallMessage {
  const { troubles } = at;
  const toolCallId = readId(message["toolCallId"], troubles);
  troubles.toolCallId = toolCallId;
  const nullable = !starts;
  return {
    toolCallId,
    starts,
    title: readText(message, "title", nullable, rules, troubles),
    name: readText(message, "name", true, rules, troubles),
    kind: readKind(message["kind"], nullable, rules, troubles),
    status: readStatus(message["status"], nullable, rules, troubles),
    content: readList(message, "content", nullable, rules, troubles, (item) => readContent(item, rules, at)),
    locations: readList(message, "locations", nullable, rules, troubles, (item) => readLocation(item, rules, at)),
    rawInput: readRaw(message["rawInput"], rules),
    rawOutput: readRaw(message["rawOutput"], rules),
    _meta: readMeta(message["_meta"], rules.nullClears, troubles),
  };
}

export function readId(value: unknown, troubles: Troubles): string {
  if (typeof value === "string") return value;
  if (typeof value !== "number") return troubles.fail("toolCallId must be a text; the message belongs to no call");
  troubles.tolerate("id-not-text", "a number stood where the toolCallId must be a text");
  return String(value);
}

function readText(
  message: JsonObject,
  key: "title" | "name",
  nullable: boolean,
  rules: CallRules,
  troubles: Troubles,
): string | null | undefined {
  const value = message[key];
  if (typeof value === "string") return value;
  if (value === undefined) return undefined;
  if (value === null && nullable) return rules.nullClears ? null : undefined;
  troubles.tolerate(value === null ? "null-field" : "bad-field", `"${key}" must be a text and was left out`);
  return undefined;
}

function readKind(value: unknown, nullable: boolean, rules: CallRules, troubles: Troubles): ToolKind | undefined {
  if (isToolKind(value)) return value;
  if (value === undefined) return undefined;
  if (value === null) {
    if (!nullable) troubles.tolerate("null-field", `"kind" may be left out but not be null`);
    return nullable && !rules.nullClears ? undefined : "other";
  }
  if (typeof value !== "string") troubles.tolerate("bad-field", `"kind" must be a text; taken for other`);
  else if (!rules.openEnums) troubles.mend("unknown-kind", `kind "${value.slice(0, 40)}" is not one of ACP's; taken for other`);
  return "other";
}

function readStatus(value: unknown, nullable: boolean, rules: CallRules, troubles: Troubles): WireStatus | undefined {
  // Membership was checked; the set holds only wire statuses.
  if (rules.statuses.has(value)) return value as WireStatus;
  if (value === undefined) return undefined;
  if (value === null) {
    if (!nullable) troubles.tolerate("null-field", `"status" may be left out but not be null`);
    return nullable && rules.nullClears ? "pending" : undefined;
  }
  if (typeof value === "string" && rules.openEnums) return "in_progress";
  troubles.tolerate("unknown-status", `status ${JSON.stringify(value).slice(0, 40)} is not one of ACP's`);
  return value === "cancelled" || value === "canceled" ? "cancelled" : undefined;
}

function readList<Item>(
  message: JsonObject,
  key: "content" | "locations",
  nullable: boolean,
  rules: CallRules,
  troubles: Troubles,
  read: (item: unknown) => readonly Item[],
): readonly Item[] | undefined {
  const value = message[key];
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return value.flatMap(read);
  if (value === null && nullable) return rules.nullClears ? [] : undefined;
  troubles.tolerate(value === null ? "null-field" : "bad-field", `"${key}" must be a list`);
  if (isJsonObject(value)) return read(value);
  return undefined;
}

function readContent(value: unknown, rules: CallRules, at: Place): readonly ToolCallContent[] {
  const { troubles } = at;
  if (!isJsonObject(value)) {
    troubles.tolerate("bad-content", "a content item that is not an object was left out");
    return [];
  }
  const { type } = value;
  if (type === "diff") return rules.readDiff(value, at);
  if (type === "terminal") return readTerminal(value, rules, troubles);
  if (type === "content") return readWrapped(value, rules, troubles);
  if (rules.blocks.shapes.has(type) && !rules.openEnums) {
    troubles.tolerate("bare-block", `a bare ${String(type)} block was wrapped as content`);
    const content = readBlock(value, rules.blocks, troubles);
    return content ? [{ type: "content", content }] : [];
  }
  if (rules.openEnums && typeof type === "string") return [];
  troubles.tolerate("bad-content", "a content item of no known type was left out");
  return [];
}

function readWrapped(value: JsonObject, rules: CallRules, troubles: Troubles): readonly ToolCallContent[] {
  const _meta = readMeta(value["_meta"], false, troubles);
  const content = readBlock(value["content"], rules.blocks, troubles);
  if (!content) return [];
  return [_meta ? { type: "content", content, _meta } : { type: "content", content }];
}

function readTerminal(value: JsonObject, rules: CallRules, troubles: Troubles): readonly ToolCallContent[] {
  const { terminalId } = value;
  const _meta = readMeta(value["_meta"], false, troubles);
  if (typeof terminalId === "string") return [_meta ? { type: "terminal", terminalId, _meta } : { type: "terminal", terminalId }];
  troubles.tolerate("bad-content", "a terminal without a terminalId was left out");
  return [];
}

function readLocation(value: unknown, rules: CallRules, at: Place): readonly Location[] {
  const { troubles } = at;
  if (!isJsonObject(value) || typeof value["path"] !== "string") {
    troubles.tolerate("bad-location", "a location without a path was left out");
    return [];
  }
  const path = readPath(value["path"], at);
  const line = readLine(value["line"], rules, troubles);
  const _meta = readMeta(value["_meta"], false, troubles);
  if (!_meta) return [line === undefined ? { path } : { path, line }];
  return [line === undefined ? { path, _meta } : { path, line, _meta }];
}

function readLine(value: unknown, rules: CallRules, troubles: Troubles): number | undefined {
  if (isNone(value)) return undefined;
  if (typeof value === "number" && Number.isInteger(value)) {
    if (value >= 1) return value;
    if (value === 0 && rules.minimumLine === 0) {
      troubles.mend("line-zero", "lines count from 1; line 0 was left out");
      return undefined;
    }
  }
  troubles.tolerate("bad-location", "a line must be a whole number from 1; it was left out");
  return undefined;
}

export function readPath(path: string, { cwd, troubles }: Place): string {
  if (isAbsolutePath(path)) return path;
  troubles.mend("relative-path", "paths are absolute; a relative one was taken from the session's folder");
  return absolutePath(cwd, path);
}

/** Null stands for "none" at most levels; for a v2 call it clears what was there. */
export function readMeta(value: unknown, nullClears: boolean, troubles: Troubles): Meta | null | undefined {
  if (value === undefined || isJsonObject(value)) return value;
  if (value === null) return nullClears ? null : undefined;
  troubles.tolerate("bad-meta", `"_meta" must be an object and was left out`);
  return undefined;
}

/** Raw values are any JSON; null cannot be told from none. */
function readRaw(value: unknown, rules: CallRules): unknown {
  return value === null && !rules.nullClears ? undefined : value;
}
