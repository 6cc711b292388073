/**
 * Writes calls as ACP v1 `session/update`s: `tool_call` first, then only what changed, and nothing
 * when nothing did. The result is valid against the SDK's schema and survives
 * `JSON.stringify`, whatever a tool put in.
 */
import { endSentence, isOver, NO_INPUT } from "../../call/index.js";
import type { Meta, ToolCall, ToolCallStatus } from "../../call/index.js";
import { sameJson } from "../json.js";
import { isProgressOnly, SentCalls, sharedFields, wireTitle } from "../shared-fields.js";
import type { Sent, SharedFields } from "../shared-fields.js";
import { ownMeta, progressPatch, toolgatePatch, wireMeta } from "../toolgate-meta.js";
import { TerminalMeta } from "./terminal-meta.js";
import { isAhead, isShownInMeta, v1Content } from "./wire-content.js";
import type { OwnTerminal, TerminalsShown } from "./wire-content.js";
import type { V1Content, V1Status, V1ToolCall, V1Update } from "./wire.js";

type Fields = SharedFields & {
  readonly status: V1Status;
  readonly content: readonly V1Content[];
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

/** v1 has no status for a pause: a call that a sub-agent works on is in progress. A breach shows no tick. */
function v1Status({ state, breach }: ToolCall): V1Status {
  if (state.status === "done" && breach) return "failed";
  return state.status === "waiting" && state.waitingFor.type === "child"
    ? "in_progress"
    : STATUS[state.status];
}

export type V1EncoderOptions = {
  /** How a terminal of ours is shown: as text, or as one, in the `_meta.terminal_*` dialect. */
  readonly terminalDialect?: "text" | "meta";
};

export class V1Encoder {
  readonly #sent = new SentCalls<Fields>();
  readonly #inMeta: boolean;
  readonly #terminals = new TerminalMeta();
  /** Calls whose permission request showed more than their content: a client may have put it in its place. */
  readonly #asked = new Set<string>();

  constructor({ terminalDialect = "text" }: V1EncoderOptions = {}) {
    this.#inMeta = terminalDialect === "meta";
  }

  /** To be called with each permission request: the next update of the call sends its content again. */
  asked(toolCallId: string): void {
    this.#asked.add(toolCallId);
  }

  /** The messages that bring a client's view of the call up to date, in order; none when nothing changed. */
  encode(call: ToolCall): readonly V1Update[] {
    const sent = this.#sent.last(call.toolCallId);
    if (sent === "ended" || sent?.call === call) return NOTHING;
    return sent && isProgressOnly(sent.call, call) && !this.#asked.has(call.toolCallId)
      ? this.#progress(call, sent)
      : this.#changes(call, sent);
  }

  #changes(call: ToolCall, sent: Sent<Fields> | undefined): readonly V1Update[] {
    const last = sent && this.#asked.delete(call.toolCallId) ? withoutContent(sent) : sent;
    // A call that had ended before its first update ran in a terminal that the client no longer has.
    const shown = { clients: last !== undefined || !isOver(call.state), inMeta: this.#inMeta };
    const own = this.#inMeta ? call.content.filter((item) => isShownInMeta(item, shown)) : NONE;
    return own.length > 0 ? this.#withTerminals(call, last, shown, own) : this.#update(call, last, shown);
  }

  /** The usual update of a busy call has its own path, since the general one is slow before it is compiled. */
  #progress(call: ToolCall, { call: before, fields }: Sent<Fields>): readonly V1Update[] {
    this.#sent.remember(call, fields);
    const toolgate = progressPatch(before, call);
    if (!toolgate) return NOTHING;
    const { toolCallId } = call;
    const _meta = call._meta ? { ...ownMeta(call), toolgate } : { toolgate };
    // The title shows the progress, so it changes too.
    return [{ sessionUpdate: "tool_call_update", toolCallId, title: wireTitle(call), _meta }];
  }

  #update(call: ToolCall, last: Sent<Fields> | undefined, shown: TerminalsShown): readonly V1Update[] {
    const fields = wireFields(call, last, shown);
    this.#sent.remember(call, fields);
    if (!last) return [{ sessionUpdate: "tool_call", ...whole({ call, fields }) }];
    const update = changed(last, { call, fields });
    return update ? [update] : NOTHING;
  }

  /** The terminals' output is sent before the status that may end the call. */
  #withTerminals(
    call: ToolCall,
    last: Sent<Fields> | undefined,
    shown: TerminalsShown,
    own: readonly OwnTerminal[],
  ): readonly V1Update[] {
    const { toolCallId } = call;
    const opened = this.#terminals.opened(own);
    const before = last && opened.length === 0 ? last : opening(call, last, shown);
    const starts = opened.map((meta): V1Update => {
      const shownBefore = whole(before);
      return { sessionUpdate: "tool_call", ...shownBefore, _meta: { ...shownBefore._meta, ...meta } };
    });
    const printed = this.#terminals
      .changed(own)
      .map((meta): V1Update => ({ sessionUpdate: "tool_call_update", toolCallId, _meta: meta }));
    return [...starts, ...printed, ...this.#update(call, before, shown)];
  }
}

const withoutContent = ({ call, fields }: Sent<Fields>): Sent<Fields> => ({
  call: { ...call, content: [] },
  fields: { ...fields, content: NOT_SENT },
});

const NOT_SENT: readonly V1Content[] = [{ type: "content", content: { type: "text", text: "" } }];
const NONE: readonly OwnTerminal[] = [];
const NOTHING: readonly V1Update[] = [];

/** The call as it is sent when one of its terminals opens: not yet ended, since the output is sent first. */
function opening(call: ToolCall, last: Sent<Fields> | undefined, shown: TerminalsShown): Sent<Fields> {
  const open = isOver(call.state) ? { ...(last?.call ?? asDraft(call)), content: call.content } : call;
  return { call: open, fields: wireFields(open, last, shown) };
}

function asDraft(call: ToolCall): ToolCall {
  const state = { status: "drafting", draft: NO_INPUT } as const;
  const { announced } = call.times;
  const none = undefined;
  const times = { announced, asked: none, answered: none, started: none, ended: none, undone: none };
  const durations = { waitedMs: none, ranMs: none };
  return { ...call, state, decision: undefined, breach: undefined, times: { ...times, ...durations } };
}

/**
 * The fields that differ, with their new values; undefined when there are none. v1 cannot unset a field: a value
 * that is gone stays as it was sent. Field by field and not in a loop: every step of every call comes through here.
 */
function changed(before: Sent<Fields>, { call, fields: next }: Sent<Fields>): V1Update | undefined {
  const { fields: last } = before;
  const { name, kind, status, content, locations, rawInput, rawOutput } = next;
  const title = wireTitle(call);
  const update: Update = { sessionUpdate: "tool_call_update", toolCallId: call.toolCallId };
  if (title !== wireTitle(before.call)) update.title = title;
  if (name !== undefined && name !== last.name) update.name = name;
  if (kind !== last.kind) update.kind = kind;
  if (status !== last.status) update.status = status;
  if (isRepeated(last, next) || (content !== last.content && !sameJson(content, last.content)))
    update.content = content;
  if (locations !== last.locations && !sameJson(locations, last.locations)) update.locations = locations;
  if (rawInput !== undefined && rawInput !== last.rawInput && !sameJson(rawInput, last.rawInput))
    update.rawInput = rawInput;
  if (rawOutput !== undefined && rawOutput !== last.rawOutput && !sameJson(rawOutput, last.rawOutput))
    update.rawOutput = rawOutput;
  const _meta = changedMeta(before.call, call);
  if (_meta) update._meta = _meta;
  return Object.keys(update).length > 2 ? update : undefined;
}

/** A v1 reader takes the `_meta` of an update for the whole of it, so only our own part may be sent incrementally. */
function changedMeta(before: ToolCall, call: ToolCall): Meta | undefined {
  const toolgate = toolgatePatch(before, call);
  if (!call._meta && !before._meta) return toolgate && { toolgate };
  const isSame = before._meta === call._meta || sameJson(before._meta, call._meta);
  return toolgate || !isSame ? { ...ownMeta(call), toolgate: toolgate ?? {} } : undefined;
}

/** Some clients show only the content of the latest update, so the one that ends a call repeats the content. */
const isRepeated = (last: Fields, { status, content }: Fields): boolean =>
  status !== last.status &&
  (status === "completed" || status === "failed") &&
  content.length > 0 &&
  content.reduce((sum, item) => sum + charactersOf(item), 0) <= MAX_REPEATED_CHARACTERS;

const MAX_REPEATED_CHARACTERS = 256 * 1024;

function charactersOf(item: V1Content): number {
  if (item.type === "terminal") return 0;
  if (item.type === "diff") return (item.oldText?.length ?? 0) + item.newText.length;
  const { content: block } = item;
  if (block.type === "text") return block.text.length;
  return "data" in block ? block.data.length : JSON.stringify(block).length;
}

type Update = { readonly sessionUpdate: "tool_call_update"; readonly toolCallId: string } & {
  -readonly [Field in keyof Fields]?: Exclude<Fields[Field], undefined>;
} & { title?: string; _meta?: Meta };

/** On the wire no status goes back: a reported start that is asked about after all stays in progress. */
const statusAfter = (last: V1Status | undefined, next: V1Status): V1Status =>
  last === "in_progress" && next === "pending" ? last : next;

function wireFields(call: ToolCall, last: Sent<Fields> | undefined, shown: TerminalsShown): Fields {
  const before = last?.call;
  const isSameContent =
    before?.content === call.content &&
    before.breach === call.breach &&
    isAhead(before) === isAhead(call) &&
    (before.state === call.state || endSentence(before) === endSentence(call));
  const { name, kind, locations, rawInput, rawOutput } = sharedFields(call, last);
  const content = last && isSameContent ? last.fields.content : v1Content(call, shown);
  // Named and not spread: with a spread, encoding takes several times as long.
  return {
    name,
    kind,
    status: statusAfter(last?.fields.status, v1Status(call)),
    content,
    locations,
    rawInput,
    rawOutput,
  };
}

/** The whole call in v1. */
export function wholeV1Call(call: ToolCall): V1ToolCall {
  return whole({ call, fields: wireFields(call, undefined, { clients: true, inMeta: false }) });
}

/** Defaults are left out, as the schema crate does, but for the status: several clients take a missing one for "in progress". */
function whole({ call, fields }: Sent<Fields>): V1ToolCall & { readonly _meta: Meta } {
  const { name, kind, status, content, locations, rawInput, rawOutput } = fields;
  return {
    toolCallId: call.toolCallId,
    title: wireTitle(call),
    ...(name !== undefined && { name }),
    ...(kind !== "other" && { kind }),
    status,
    ...(content.length > 0 && { content }),
    ...(locations.length > 0 && { locations }),
    ...(rawInput !== undefined && { rawInput }),
    ...(rawOutput !== undefined && { rawOutput }),
    _meta: wireMeta(call),
  };
}
