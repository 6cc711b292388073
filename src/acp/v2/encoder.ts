/**
 * Writes calls as ACP v2 (draft) `session/update`s: one upsert per change with the changed fields only, null for removed
 * fields, added content as chunks, terminals beside the calls that show them.
 */
import { isOver } from "../../call/index.js";
import type { Meta, ToolCall, ToolCallContent } from "../../call/index.js";
import { sameJson } from "../json.js";
import { SentCalls, sharedFields, wireTitle } from "../shared-fields.js";
import type { Sent, SharedFields } from "../shared-fields.js";
import { ownMeta, toolgatePatch, wireMeta } from "../toolgate-meta.js";
import { TerminalUpdates } from "./terminal-updates.js";
import { v2Item, v2Sentence } from "./wire-content.js";
import type { V2Content, V2Status, V2Update } from "./wire.js";

type Fields = SharedFields & {
  readonly title: string | undefined;
  readonly status: V2Status;
  /** The actions that a client has on a call that is not over. */
  readonly capabilities: { readonly cancel: object } | undefined;
};

export class V2Encoder {
  readonly #sent = new SentCalls<Fields>();
  readonly #terminals = new TerminalUpdates();

  /** The messages that bring a client's view of the call up to date, in order; none when nothing changed. */
  encode(call: ToolCall): readonly V2Update[] {
    const last = this.#sent.last(call.toolCallId);
    if (last === "ended" || last?.call === call) return [];
    const fields = wireFields(call, last);
    this.#sent.remember(call, fields);
    const { toolCallId } = call;
    const content = contentChange(call, last?.call);
    const changed = last ? patchFields(last, { call, fields }) : firstFields({ call, fields });
    const upsert = { ...changed, ...(content.replaced && { content: content.replaced }) };
    const chunks = content.appended.map(
      (item) => ({ sessionUpdate: "tool_call_content_chunk", toolCallId, content: item }) as const,
    );
    // Added content is sent before the status that may end the call: an ended call no longer changes.
    return [
      ...chunks,
      ...this.#terminals.encode(call),
      ...(last && Object.keys(upsert).length === 0
        ? []
        : [{ sessionUpdate: "tool_call_update", toolCallId, ...upsert } as const]),
    ];
  }
}

function wireFields(call: ToolCall, last: Sent<Fields> | undefined): Fields {
  const { name, kind, locations, rawInput, rawOutput } = sharedFields(call, last);
  const title = call.title === "" ? undefined : wireTitle(call);
  const capabilities = isOver(call.state) ? undefined : CANCELLABLE;
  return {
    title,
    name,
    kind,
    status: v2Status(call),
    locations,
    rawInput,
    rawOutput,
    capabilities,
  };
}

const CANCELLABLE = { cancel: {} };

/** A breach is sent as failed: clients draw a tick for completed calls. */
function v2Status({ state, breach }: ToolCall): V2Status {
  switch (state.status) {
    case "waiting":
      return state.waitingFor.type === "child" ? "paused" : "pending";
    case "drafting":
    case "ready":
    case "cleared":
      return "pending";
    case "running":
      return "in_progress";
    case "done":
      return breach ? "failed" : "completed";
    case "failed":
    case "refused":
    case "unknown":
      return "failed";
    case "cancelled":
      return "cancelled";
    default:
      return state satisfies never;
  }
}

/** A new call starts at the protocol's defaults; only differing fields are sent. */
function firstFields({ call, fields: { kind, status, locations, ...fields } }: Sent<Fields>): object {
  const set = Object.entries(fields).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(set),
    ...(kind !== "other" && { kind }),
    ...(status !== "pending" && { status }),
    ...(locations.length > 0 && { locations }),
    _meta: wireMeta(call),
  };
}

function patchFields(last: Sent<Fields>, next: Sent<Fields>): object {
  const before = new Map<string, unknown>(Object.entries(last.fields));
  const patch = Object.entries(next.fields).filter(([key, value]) => !sameJson(before.get(key), value));
  const _meta = metaPatch(last.call, next.call);
  return {
    ...Object.fromEntries(patch.map(([key, value]) => [key, value ?? null])),
    ...(_meta && { _meta }),
  };
}

/** `_meta` is patched by key: changed keys with their values, keys that are gone as null. Ours is patched by field too. */
function metaPatch(last: ToolCall, next: ToolCall): Meta | undefined {
  const toolgate = toolgatePatch(last, next);
  const [before = {}, after = {}] = last._meta === next._meta ? [] : [ownMeta(last), ownMeta(next)];
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const changed = Object.entries(after).filter(([key, value]) => !sameJson(before[key], value));
  if (!toolgate && gone.length + changed.length === 0) return undefined;
  return {
    ...Object.fromEntries([...changed, ...gone.map((key) => [key, null] as const)]),
    ...(toolgate && { toolgate }),
  };
}

type ContentChange = { readonly appended: readonly V2Content[]; readonly replaced?: readonly V2Content[] };

/** Added items are appended; any other change replaces the list. A terminal's output does not change the list. */
function contentChange(call: ToolCall, before: ToolCall | undefined): ContentChange {
  const sentence = v2Sentence(call);
  const end = sentence ? [sentence] : [];
  if (!before) {
    const all = [...call.content.map(v2Item), ...end];
    return all.length > 0 ? { appended: [], replaced: all } : { appended: [] };
  }
  if (v2Sentence(before) !== undefined || !extendsContent(before.content, call.content)) {
    return sameJson(itemsOf(before), itemsOf(call))
      ? { appended: [] }
      : { appended: [], replaced: itemsOf(call) };
  }
  return { appended: [...call.content.slice(before.content.length).map(v2Item), ...end] };
}

const itemsOf = (call: ToolCall): readonly V2Content[] => {
  const sentence = v2Sentence(call);
  return [...call.content.map(v2Item), ...(sentence ? [sentence] : [])];
};

function extendsContent(before: readonly ToolCallContent[], after: readonly ToolCallContent[]): boolean {
  return (
    before === after ||
    (before.length <= after.length && before.every((item, index) => isSameItem(item, after[index])))
  );
}

function isSameItem(before: ToolCallContent, after: ToolCallContent | undefined): boolean {
  if (before === after) return true;
  if (before.type !== "terminal" || after?.type !== "terminal") return false;
  return before.terminalId === after.terminalId && sameJson(before._meta, after._meta);
}
