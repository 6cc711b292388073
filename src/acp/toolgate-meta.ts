/**
 * `_meta.toolgate`: the data of a call or a question that the wire has no field for. A message with a
 * new state has all of it; another update only the fields that changed, with null for one that is gone. Readers trust it
 * only in our own traffic, since a foreign agent could forge it.
 */
import type {
  Breach,
  CallTimes,
  Decision,
  Meta,
  Progress,
  Question,
  ToolCall,
  ToolCallState,
} from "../call/index.js";
import { NO_INPUT, fieldCount, isOver, plainJson } from "../call/index.js";
import { isJsonObject, sameJson } from "./json.js";
import type { JsonObject } from "./json.js";

/** A state without the draft, which may be as large as the input it becomes. */
type WireState = Exclude<ToolCallState, { status: "drafting" }> | { readonly status: "drafting" };

export type ToolgateMeta = {
  readonly state: WireState;
  readonly times: Partial<CallTimes> & Pick<CallTimes, "announced">;
  readonly decision?: Decision;
  readonly breach?: Breach;
  readonly progress?: Progress;
  readonly parentToolCallId?: string;
  readonly providerCallId?: string;
  readonly kindSource?: "inferred";
  /** The title without the progress and the arrived input that were written into it. */
  readonly title?: string;
};

/** The fields that changed; null for a field that is gone. With `state` it is the whole. */
export type ToolgatePatch = { readonly [Field in keyof ToolgateMeta]?: ToolgateMeta[Field] | null };

/** The whole `_meta` of a call on the wire: the agent's and ours. */
export function wireMeta(call: ToolCall): Meta {
  return { ...ownMeta(call), toolgate: toolgateMeta(call) };
}

/** The `_meta` that came with the call. A plain JSON object stays an object when it is made safe; only odd values inside it change. */
export const ownMeta = ({ _meta }: ToolCall): Meta | undefined => _meta && (plainJson(_meta) as Meta);

/** Assigned and not spread: most updates of every call make one. */
function toolgateMeta(call: ToolCall): ToolgateMeta {
  const { decision, breach, progress, parentToolCallId, providerCallId } = call;
  const meta: Writable<ToolgateMeta> = {
    state: wireState(call),
    times: call.times,
  };
  if (decision) meta.decision = decision;
  if (breach) meta.breach = breach;
  if (progress) meta.progress = progress;
  if (hasOtherTitle(call)) meta.title = call.title;
  if (parentToolCallId !== undefined) meta.parentToolCallId = parentToolCallId;
  if (providerCallId !== undefined) meta.providerCallId = providerCallId;
  if (call.kindSource === "inferred") meta.kindSource = "inferred";
  return meta;
}

/**
 * `_meta.toolgate` of an update from one value of a call to another; undefined when nothing of it changed. Calls are
 * immutable: where the values are the same reference, nothing is compared.
 */
export function toolgatePatch(before: ToolCall, after: ToolCall): ToolgatePatch | undefined {
  if (isChanged(before.state, after.state) && isChanged(wireState(before), wireState(after)))
    return toolgateMeta(after);
  const patch: Writable<ToolgatePatch> = progressPatch(before, after) ?? {};
  if (isChanged(before.times, after.times)) patch.times = after.times;
  if (isChanged(before.decision, after.decision)) patch.decision = after.decision ?? null;
  if (isChanged(before.breach, after.breach)) patch.breach = after.breach ?? null;
  if (metaTitle(before) !== metaTitle(after)) patch.title = metaTitle(after);
  if (before.parentToolCallId !== after.parentToolCallId)
    patch.parentToolCallId = after.parentToolCallId ?? null;
  if (before.providerCallId !== after.providerCallId) patch.providerCallId = after.providerCallId ?? null;
  if (before.kindSource !== after.kindSource)
    patch.kindSource = after.kindSource === "inferred" ? "inferred" : null;
  for (const _ in patch) return patch;
  return undefined;
}

/** The part of the patch that comes with a new progress: the first one also moves the call's own title here. */
export function progressPatch(before: ToolCall, after: ToolCall): ToolgatePatch | undefined {
  // Nearly always the count differs, which takes no deep comparison.
  if (before.progress?.done === after.progress?.done && !isChanged(before.progress, after.progress))
    return undefined;
  const progress = after.progress ?? null;
  return before.progress && after.progress ? { progress } : { progress, title: metaTitle(after) };
}

type Writable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

const metaTitle = (call: ToolCall): string | null => (hasOtherTitle(call) ? call.title : null);

const isChanged = (before: unknown, after: unknown): boolean => before !== after && !sameJson(before, after);

/** The whole of ours after an update. */
function patchedToolgate(known: ToolgateMeta, patch: JsonObject): JsonObject {
  const merged = { ...known, ...patch };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}

const wireState = ({ state }: ToolCall): WireState => (state.status === "drafting" ? DRAFTING : state);

/** Whether the title on the wire differs from the call's: see wireTitle. */
const hasOtherTitle = ({ progress, state }: ToolCall): boolean =>
  state.status === "drafting"
    ? fieldCount(state.draft) > 0 || progress !== undefined
    : progress !== undefined && !isOver(state);

const DRAFTING: WireState = { status: "drafting" };

/** For a permission request: the intent, the reason for asking, and the rules that each "always" would store. */
export function questionMeta(question: Question): Meta {
  const { questionId, reason, about, options, widths, likeness, askedAt, expiresAt } = question;
  const grants = options.flatMap(({ optionId, grant }) => (grant ? [[optionId, grant] as const] : []));
  const toolgate = {
    questionId,
    askedAt,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(reason !== undefined && { reason }),
    ...(about && { about }),
    ...(grants.length > 0 && { grants: Object.fromEntries(grants) }),
    ...(widths && { widths }),
    ...(likeness !== undefined && { likeness }),
  };
  return { toolgate };
}

/** The `_meta.toolgate` of our own encoder, if it is there. `known` is what an update adds to. */
export function readToolgateMeta(
  meta: Meta | null | undefined,
  known?: ToolgateMeta,
): ToolgateMeta | undefined {
  const sent = meta?.["toolgate"];
  if (!isJsonObject(sent)) return undefined;
  const ours = known && sent["state"] === undefined ? patchedToolgate(known, sent) : sent;
  for (const [key, check] of FIELDS) if (!check(ours[key])) return undefined;
  // Every field was just checked.
  return ours as ToolgateMeta;
}

type Check = (value: unknown) => boolean;
const isOptionalText: Check = (value) => value === undefined || typeof value === "string";
const isOptionalNumber: Check = (value) => value === undefined || typeof value === "number";

const FIELDS: ReadonlyMap<string, Check> = new Map([
  ["state", isState],
  ["times", isTimes],
  ["decision", (value) => value === undefined || isDecision(value)],
  ["breach", (value) => value === undefined || isBreach(value)],
  ["progress", (value) => value === undefined || isProgress(value)],
  ["parentToolCallId", isOptionalText],
  ["providerCallId", isOptionalText],
  ["kindSource", isOptionalText],
  ["title", isOptionalText],
]);

/** The data that each state must have for the fold; a state that is not here is not ours. */
const STATE_DATA: ReadonlyMap<unknown, (state: JsonObject) => boolean> = new Map([
  ["drafting", () => true],
  ["ready", () => true],
  ["waiting", ({ waitingFor }: JsonObject) => isWaitingFor(waitingFor)],
  ["cleared", () => true],
  ["running", ({ cancelRequested }: JsonObject) => typeof cancelRequested === "boolean"],
  ["done", ({ assumed }: JsonObject) => typeof assumed === "boolean"],
  ["refused", ({ assumed }: JsonObject) => typeof assumed === "boolean"],
  ["failed", ({ assumed, error }: JsonObject) => typeof assumed === "boolean" && typeof error === "string"],
  [
    "cancelled",
    ({ assumed, reason }: JsonObject) => typeof assumed === "boolean" && typeof reason === "string",
  ],
  [
    "unknown",
    ({ assumed, reason }: JsonObject) => typeof assumed === "boolean" && typeof reason === "string",
  ],
]);

function isState(state: unknown): boolean {
  return isJsonObject(state) && (STATE_DATA.get(state["status"])?.(state) ?? false);
}

function isWaitingFor(waitingFor: unknown): boolean {
  if (!isJsonObject(waitingFor)) return false;
  const { type, questionId, childSessionId } = waitingFor;
  if (type === "question") return typeof questionId === "string";
  return type === "app" || (type === "child" && typeof childSessionId === "string");
}

function isTimes(times: unknown): boolean {
  if (!isJsonObject(times) || typeof times["announced"] !== "number") return false;
  return ["asked", "answered", "started", "ended", "waitedMs", "ranMs", "undone"].every((key) =>
    isOptionalNumber(times[key]),
  );
}

function isDecision(decision: unknown): boolean {
  if (!isJsonObject(decision) || typeof decision["at"] !== "number") return false;
  const isKnown = ["rule", "person", "sandbox"].some((one) => one === decision["by"]);
  return isKnown && ["who", "rule", "reason"].every((key) => isOptionalText(decision[key]));
}

function isBreach(breach: unknown): boolean {
  if (!isJsonObject(breach) || typeof breach["isAfterRefusal"] !== "boolean") return false;
  return ["who", "rule", "reason"].every((key) => isOptionalText(breach[key]));
}

function isProgress(progress: unknown): boolean {
  if (!isJsonObject(progress) || typeof progress["done"] !== "number") return false;
  return isOptionalNumber(progress["total"]) && isOptionalText(progress["message"]);
}

export function stateOf(meta: ToolgateMeta): ToolCallState {
  return meta.state.status === "drafting" ? { status: "drafting", draft: NO_INPUT } : meta.state;
}

/** An empty `_meta` of somebody else is kept as it came. */
export function withoutToolgate(meta: Meta): Meta | undefined {
  const { toolgate: ours, ...rest } = meta;
  return ours !== undefined && Object.keys(rest).length === 0 ? undefined : rest;
}

/** Marks the content item that holds a call's end sentence, so that our own reader does not take it for output. */
export const SENTENCE_MARK: Meta = { toolgate: { sentence: true } };

export function isSentenceMark(meta: Meta | null | undefined): boolean {
  const ours = meta?.["toolgate"];
  return isJsonObject(ours) && ours["sentence"] === true;
}
