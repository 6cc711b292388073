/**
 * Writes calls as ACP v1 `session/update`s: `tool_call` first, then only what changed, and nothing
 * when nothing did. All that it returns is valid against the SDK's schema and survives
 * `JSON.stringify`, whatever a tool put in.
 */
import { endSentence } from "../../call/index.js";
import type { Location, Meta, ToolCall, ToolCallStatus, ToolKind } from "../../call/index.js";
import { changedFields, SentCalls } from "../sent-calls.js";
import type { Sent } from "../sent-calls.js";
import { mayDifferInInput, wireInput, wireRaw } from "../wire-input.js";
import { wireMeta } from "../wire-meta.js";
import { wireTitle } from "../wire-title.js";
import { v1Content } from "./wire-content.js";
import type { V1Content, V1Status, V1ToolCall, V1Update } from "./wire.js";

type Fields = {
  readonly title: string;
  readonly name: string | undefined;
  readonly kind: ToolKind;
  readonly status: V1Status;
  readonly content: readonly V1Content[];
  readonly locations: readonly Location[];
  readonly rawInput: unknown;
  readonly rawOutput: unknown;
  readonly _meta: Meta;
};

const STATUS: { readonly [Status in ToolCallStatus]: V1Status } = {
  drafting: "pending",
  ready: "pending",
  waiting: "pending",
  cleared: "pending",
  running: "in_progress",
  done: "completed",
  failed: "failed",
  refused: "failed",
  cancelled: "failed",
  unknown: "failed",
};

export class V1Encoder {
  readonly #sent = new SentCalls<Fields>();

  /** The message that brings a client's view of the call up to date, if one is needed. */
  encode(call: ToolCall): readonly V1Update[] {
    const last = this.#sent.last(call.toolCallId);
    if (last === "ended" || last?.call === call) return [];
    const fields = wireFields(call, last);
    this.#sent.remember(call, fields);
    if (!last) return [{ sessionUpdate: "tool_call", ...whole(call.toolCallId, fields) }];
    const update = { sessionUpdate: "tool_call_update", toolCallId: call.toolCallId } as const;
    const changed = changedFields(last.fields, fields);
    return hasAnyValue(changed) ? [{ ...update, ...changed } as V1Update] : [];
  }
}

/** v1 cannot unset a field: what is no longer there stays as it was said, and JSON leaves it out. */
function hasAnyValue(fields: object): boolean {
  for (const value of Object.values(fields)) if (value !== undefined) return true;
  return false;
}

function wireFields(call: ToolCall, last: Sent<Fields> | undefined): Fields {
  const before = last?.call;
  const isSameContent = before?.content === call.content && endSentence(before) === endSentence(call);
  return {
    title: wireTitle(call),
    name: call.name === "" ? undefined : call.name,
    kind: call.kind,
    status: STATUS[call.state.status],
    content: last && isSameContent ? last.fields.content : v1Content(call),
    locations: call.locations,
    rawInput: last && !mayDifferInInput(last.call, call) ? last.fields.rawInput : wireInput(call),
    rawOutput: last && before?.rawOutput === call.rawOutput ? last.fields.rawOutput : wireRaw(call.rawOutput),
    _meta: wireMeta(call),
  };
}

/** All that v1 can say of a call. */
export function wholeV1Call(call: ToolCall): V1ToolCall {
  return whole(call.toolCallId, wireFields(call, undefined));
}

/** Defaults are left out, as the schema crate does. */
function whole(toolCallId: string, fields: Fields): V1ToolCall {
  const { title, name, kind, status, content, locations, rawInput, rawOutput, _meta } = fields;
  return {
    toolCallId,
    title,
    ...(name !== undefined && { name }),
    ...(kind !== "other" && { kind }),
    ...(status !== "pending" && { status }),
    ...(content.length > 0 && { content }),
    ...(locations.length > 0 && { locations }),
    ...(rawInput !== undefined && { rawInput }),
    ...(rawOutput !== undefined && { rawOutput }),
    _meta,
  };
}
