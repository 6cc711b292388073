/**
 * The tool call of the ACP schema crate, in TypeScript: its constructors, its conversions and its
 * `update`, on plain v1 wire values. Defaults are left out when writing and filled in when reading;
 * collections are overwritten, not extended; null and absent both mean unchanged.
 */
import type { V1ToolCall, V1ToolCallUpdate, V1UpdateFields } from "./wire.js";

/** A call with every default filled in: kind other, status pending, no content, no locations. */
export type FilledToolCall = V1ToolCall &
  Required<Pick<V1ToolCall, "kind" | "status" | "content" | "locations">>;

export function toolCall(
  toolCallId: string,
  title: string,
  fields: Partial<V1ToolCall> = {},
): FilledToolCall {
  return withoutUnset({
    ...fields,
    toolCallId,
    title,
    kind: fields.kind ?? "other",
    status: fields.status ?? "pending",
    content: fields.content ?? [],
    locations: fields.locations ?? [],
  });
}

/** The call after an update. An update cannot unset a field; an empty list clears a collection. */
export function updateToolCall(call: FilledToolCall, update: V1UpdateFields): FilledToolCall {
  return withoutUnset({
    ...call,
    title: update.title ?? call.title,
    name: update.name ?? call.name,
    kind: update.kind ?? call.kind,
    status: update.status ?? call.status,
    content: update.content ?? call.content,
    locations: update.locations ?? call.locations,
    rawInput: update.rawInput ?? call.rawInput,
    rawOutput: update.rawOutput ?? call.rawOutput,
  });
}

/** The call that an update for an unknown id creates; it must have a title. */
export function toolCallFromUpdate(update: V1ToolCallUpdate): FilledToolCall {
  const { toolCallId, title, kind, status, content, locations, ...rest } = update;
  if (typeof title !== "string") throw new TitleRequired(toolCallId);
  return withoutUnset({
    ...rest,
    toolCallId,
    title,
    kind: kind ?? "other",
    status: status ?? "pending",
    content: content ?? [],
    locations: locations ?? [],
  });
}

/** The update that says all that a call says, defaults too: a second `tool_call` replaces this way. */
export function updateFromToolCall(call: V1ToolCall): V1ToolCallUpdate {
  return toolCall(call.toolCallId, call.title, call);
}

/** The call as it is sent, without fields that have their default value. */
export function writeToolCall(call: FilledToolCall): V1ToolCall {
  const { kind, status, content, locations, ...written } = call;
  return {
    ...written,
    ...(kind === "other" ? {} : { kind }),
    ...(status === "pending" ? {} : { status }),
    ...(content.length === 0 ? {} : { content }),
    ...(locations.length === 0 ? {} : { locations }),
  };
}

export class TitleRequired extends Error {
  readonly code = "TITLE_REQUIRED";

  constructor(toolCallId: string) {
    super(
      `title is required for a tool call: the update for ${toolCallId} is its first message and has none`,
    );
    this.name = "TitleRequired";
  }
}

const OPTIONAL = ["name", "rawInput", "rawOutput", "_meta"] as const;

/** The same call, where an optional field may still be set to nothing. */
type Unsettled = Omit<FilledToolCall, (typeof OPTIONAL)[number]> & {
  readonly [Key in (typeof OPTIONAL)[number]]?: unknown;
};

/** Null is how a peer may write "none"; here none is the absence of the field. */
function withoutUnset(call: Unsettled): FilledToolCall {
  const copy: { [Key in keyof Unsettled]: Unsettled[Key] } = { ...call };
  for (const key of OPTIONAL) if (copy[key] === undefined || copy[key] === null) delete copy[key];
  // The optional fields that are left came from a FilledToolCall or an update of one.
  return copy as FilledToolCall;
}
