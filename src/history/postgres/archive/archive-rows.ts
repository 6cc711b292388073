/** The rows of a session in the archive's tables, made from its fold, with redacted texts only. */
import type { Session, ToolCall, Usage } from "../../../call/index.js";
import { isCounted, partsByCall } from "../../../call/call-parts.js";
import { callFacts, callText, messageText, sessionFacts, storable } from "../../archive-text.js";
import { wordsOf } from "../../match-terms.js";
import type { RedactionPattern } from "../../redaction/redaction-pattern.js";
import type { Replay } from "../../replay-session.js";

/** A text with more different words is found by the first of them. */
const MAX_WORDS = 20_000;
const MAX_WORD_LENGTH = 100;

type Patterns = readonly RedactionPattern[];

export type ItemRow = { readonly place: number; readonly [column: string]: unknown };

export function sessionRow(
  { created_at, updated_at }: { readonly created_at: number; readonly updated_at: number },
  { book, seq }: Replay,
  { steps, patterns }: { readonly steps: readonly StepRow[]; readonly patterns: Patterns },
): object {
  const { info, timeline } = book.snapshot();
  const { isElsewhere, ...facts } = sessionFacts(info, patterns);
  const calls = callsOf(timeline);
  const signers = new Set(steps.flatMap(({ model }) => model ?? []));
  return {
    created_at,
    updated_at,
    last_seq: seq,
    ...facts,
    is_elsewhere: isElsewhere,
    signer: signers.size === 1 ? [...signers][0] : null,
    calls: calls.filter(isCounted).length,
    messages: timeline.length - calls.length,
    breaches: calls.filter(({ breach }) => breach).length,
  };
}

/** The rows of the entries that are not as they were before. */
export function itemRows(
  timeline: Session["timeline"],
  before: Session["timeline"],
  patterns: Patterns,
): readonly ItemRow[] {
  const parts = partsByCall(callsOf(timeline));
  const partsBefore = partsByCall(callsOf(before));
  // Only the newest message grows.
  const grown = before.findLastIndex(({ type }) => type === "message");
  const isAsBefore = (entry: TimelineEntry, place: number): boolean => {
    const known = before[place];
    if (!known) return false;
    if (entry.type === "message") return place < grown;
    const { toolCallId } = entry.call;
    return (
      known.type === "call" &&
      known.call === entry.call &&
      isSameList(parts.get(toolCallId), partsBefore.get(toolCallId))
    );
  };
  return timeline.flatMap((entry, place) =>
    isAsBefore(entry, place) ? [] : itemRow(entry, place, { parts, patterns }),
  );
}

function itemRow(
  entry: TimelineEntry,
  place: number,
  {
    parts,
    patterns,
  }: { readonly parts: ReadonlyMap<string, readonly ToolCall[]>; readonly patterns: Patterns },
): ItemRow {
  if (entry.type === "message") {
    const { at, role } = entry.message;
    const text = searchable(messageText(entry.message, patterns));
    return { place, at: momentOf(at), role, is_part: false, ...text };
  }
  const { call } = entry;
  const facts = callFacts(call, patterns, parts.get(call.toolCallId));
  const { decidedBy, ranMs, waitedMs, outputSize, isPart, ...others } = facts;
  return {
    place,
    at: momentOf(call.times.announced),
    tool_call_id: storable(call.toolCallId),
    ...others,
    decided_by: decidedBy,
    ran_ms: ranMs,
    waited_ms: waitedMs,
    output_size: outputSize,
    is_part: isPart,
    ...searchable(callText(call, patterns)),
  };
}

type TimelineEntry = Session["timeline"][number];

const callsOf = (timeline: Session["timeline"]): readonly ToolCall[] =>
  timeline.flatMap((entry) => (entry.type === "call" ? entry.call : []));

const isSameList = (some: readonly unknown[] = [], others: readonly unknown[] = []): boolean =>
  some.length === others.length && some.every((item, index) => item === others[index]);

export type StepRow = ReturnType<typeof stepRow>;

export function stepRow(seq: number, at: number, model: string | undefined, usage: Usage = {}) {
  return {
    seq,
    at,
    model: model === undefined ? null : storable(model),
    input_tokens: wholeOrNull(usage.inputTokens),
    output_tokens: wholeOrNull(usage.outputTokens),
    reasoning_tokens: wholeOrNull(usage.reasoningTokens),
    cached_tokens: wholeOrNull(usage.cachedTokens),
    cache_written_tokens: wholeOrNull(usage.cacheWrittenTokens),
  };
}

/** The log may have any value where a number should be. */
const wholeOrNull = (value: unknown): number | null =>
  Number.isSafeInteger(value) ? (value as number) : null;

/** Times come from other programs too, so any number is accepted. */
function momentOf(time: number): number {
  return Number.isFinite(time) ? Math.max(0, Math.floor(time)) : 0;
}

const searchable = (text: string) => ({ text, keys: searchKeys(text).slice(0, MAX_WORDS) });

/** The distinct words of a text in the form of the index. */
export function searchKeys(text: string): readonly string[] {
  return [...new Set(wordsOf(text).map(({ key }) => key.slice(0, MAX_WORD_LENGTH)))];
}
