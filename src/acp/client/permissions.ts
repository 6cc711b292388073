/**
 * `session/request_permission` of a foreign agent: its call is recorded as it stands, judged by what it carries,
 * asked about if need be, and answered in the agent's own options.
 */
import { shownText } from "../../call/index.js";
import type { SessionEvent, ToolCall, ToolCallContent } from "../../call/index.js";
import type { Outcome } from "../../run/outcome.js";
import { invalidParams } from "../connection/message.js";
import type { Asked } from "../connection/peer.js";
import { isJsonObject, isNone, sameJson } from "../json.js";
import type { JsonObject } from "../json.js";
import type { AskedPermission } from "../v1/permission.js";
import { agentsId, askedId } from "./call-ids.js";
import { editPreview, forgedDiff } from "./edit-preview.js";
import { foreignIntent } from "./foreign-intent.js";
import type { Carried } from "./foreign-intent.js";
import { CANCELLED_ANSWER, optionTrouble, permissionAnswer } from "./permission-answer.js";
import type { PermissionAnswer } from "./permission-answer.js";
import type { SessionParts } from "./session-parts.js";
import { repaired } from "./update-fold.js";

export class Permissions {
  readonly #parts: SessionParts;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  async answer({ params, signal }: Asked): Promise<PermissionAnswer> {
    const { inbox, isCancelling, dialect, reported } = this.#parts;
    const asked = dialect.readPermission(params);
    if (!asked)
      throw invalidParams(
        "The permission request cannot be read: it needs a sessionId, a toolCall, and options with an optionId, a name and a kind of ACP's. The call was not allowed.",
      );
    const submitted = await inbox.do(async () => (isCancelling() ? undefined : this.#submit(asked)));
    if (submitted === undefined) return CANCELLED_ANSWER;
    // The agent may take its request back, or be gone.
    const taken = "the agent took its question back.";
    const outcome =
      typeof submitted === "string" ? await reported.outcome(submitted, signal, taken) : submitted;
    const call = typeof submitted === "string" ? this.#parts.book.call(submitted) : undefined;
    if (call) this.#parts.reasons?.add(call);
    return permissionAnswer(outcome, asked.options);
  }

  /** Returns the id of the submitted call, or the refusal of one whose options cannot be answered with a yes. */
  async #submit({ toolCall: asked, options }: AskedPermission): Promise<string | Outcome> {
    const { reported, workspace, agent, now } = this.#parts;
    const toolCall = isJsonObject(asked) ? asked : {};
    const { call, before, events } = this.#recorded(toolCall);
    const { toolCallId, title } = call;
    const reason = optionTrouble(options);
    if (reason !== undefined) {
      await reported.refuse(toolCallId, events, { rule: "options of the agent", reason });
      return { type: "refused", reason };
    }
    const place = { cwd: workspace.root, agent, workspace };
    const { rawInput } = toolCall;
    const askedInput = isPartOf(rawInput, call.rawInput) ? undefined : rawInput;
    const carried = carriedBy(before, [otherFields(toolCall), askedInput]);
    const read = await foreignIntent(call, carried, place);
    const shown = {
      intent: read.intent,
      rawInputs: read.inputs,
      content: call.content,
      workspace,
      agent,
    };
    const intent = { ...read, disagreement: read.disagreement ?? (await forgedDiff(shown)) };
    const preview = async (): Promise<readonly SessionEvent[]> => {
      const content = await editPreview(shown);
      return content ? [{ type: "call-revised", toolCallId, at: now(), fields: { content } }] : [];
    };
    await reported.submit({ toolCallId, title, reported: intent, events, preview });
    return toolCallId;
  }

  /** The call that is asked about, ready to be decided on, and the events that make it so. */
  #recorded(toolCall: JsonObject): {
    readonly call: ToolCall;
    readonly before: ToolCall | undefined;
    readonly events: readonly SessionEvent[];
  } {
    const { book, fold, dialect, unannounced, now } = this.#parts;
    const { status: _, ...fields } = toolCall;
    const requested = { ...fields, toolCallId: agentsId(String(fields["toolCallId"])) };
    const currentId = this.#askedNow(requested.toolCallId);
    const before = book.call(currentId);
    if (!before) unannounced.add(currentId);
    const isOwn =
      !before ||
      isUndecided(before) ||
      (isStartedUnasked(before) && isBeside(toolCall["rawInput"], before.rawInput));
    const toolCallId = isOwn ? currentId : this.#freeId(currentId);
    const update = isOwn
      ? { ...withoutOtherInput(before, requested), toolCallId, sessionUpdate: "tool_call_update" }
      : { ...askedAgain(before, requested), sessionUpdate: dialect.start, toolCallId };
    const events = [...fold.read([update])];
    if (!isOwn) events.push(...shownAgain(before, requested, toolCallId, now()));
    const call = fold.call(toolCallId);
    if (!call)
      throw invalidParams("The permission request names no call that can be read. The call was not allowed.");
    if (call.state.status === "drafting")
      events.push({ type: "input-ready", toolCallId, at: now(), rawInput: call.rawInput });
    // A repeated question has its own input, or else the input of the earlier call.
    return { call, before: isOwn ? before : undefined, events };
  }

  /** An agent that uses one id for every question, and none of its calls, asks about another call each time. */
  #askedNow(id: string): string {
    const { book, unannounced } = this.#parts;
    const currentId = this.#currentId(id);
    const before = book.call(currentId);
    if (!before || isUndecided(before) || !unannounced.has(currentId)) return currentId;
    let count = 2;
    while (book.call(`${id}#${count}`)) count += 1;
    return `${id}#${count}`;
  }

  /** The reader calls a call whose id was used before `id#2`, `id#3`: the newest is meant. */
  #currentId(id: string): string {
    const { book } = this.#parts;
    let count = 2;
    while (book.call(`${id}#${count}`)) count += 1;
    return count === 2 ? id : `${id}#${count - 1}`;
  }

  #freeId(id: string): string {
    const { book } = this.#parts;
    let count = 2;
    while (book.call(askedId(id, count))) count += 1;
    return askedId(id, count);
  }
}

const isUndecided = ({ state, times }: ToolCall): boolean =>
  (state.status === "drafting" || state.status === "ready") && times.asked === undefined;

/** Some agents report a call as in progress and then ask about it. */
const isStartedUnasked = ({ state, times, decision, breach, rawOutput, content }: ToolCall): boolean =>
  state.status === "running" &&
  !state.cancelRequested &&
  times.asked === undefined &&
  (decision ?? breach ?? rawOutput) === undefined &&
  content.every((item) => item.type === "diff" || isEmptyTerminal(item));

/** codex-acp shows the terminal of a command before it asks about it. */
const isEmptyTerminal = (item: ToolCallContent): boolean =>
  item.type === "terminal" &&
  item.exit === undefined &&
  (item.output === undefined || shownText(item.output) === "");

/**
 * A question may repeat a part of the input that the agent reported before, or, of a call in progress, show the act in
 * other fields (opencode: the diff of an edit). The reported input stays; both are judged.
 */
function withoutOtherInput(before: ToolCall | undefined, requested: JsonObject): JsonObject {
  const { rawInput, ...others } = requested;
  if (!before || isNone(before.rawInput)) return requested;
  return isPartOf(rawInput, before.rawInput) || isStartedUnasked(before) ? others : requested;
}

/** No field of the question has another value than the reported input has. */
function isBeside(asked: unknown, known: unknown): boolean {
  if (!isJsonObject(known) || !isJsonObject(asked)) return isPartOf(asked, known);
  return Object.entries(asked).every(([name, value]) => !(name in known) || sameJson(value, known[name]));
}

function isPartOf(asked: unknown, known: unknown): boolean {
  if (isNone(asked)) return true;
  if (!isJsonObject(known) || !isJsonObject(asked)) return sameJson(asked, known);
  return Object.entries(asked).every(([name, value]) => sameJson(value, known[name]));
}

/** A call that was asked about, or has printed something, cannot wait again: the new question is a call of its own, below it. */
function askedAgain(before: ToolCall, requested: JsonObject): JsonObject {
  const { title, kind, name, rawInput, toolCallId } = before;
  const _meta = {
    ...(isJsonObject(requested["_meta"]) ? requested["_meta"] : {}),
    parentToolCallId: toolCallId,
  };
  return { title, kind, rawInput, ...(name !== "" && { name }), ...withoutNulls(requested), _meta };
}

const carriedBy = (before: ToolCall | undefined, others: readonly unknown[]): Carried => ({
  rawInputs: [before?.rawInput, ...others],
  content: before?.content ?? [],
  locations: before?.locations ?? [],
  kinds: before ? [before.kind] : [],
  laterTitles: [],
});

/** Fields that the protocol does not have: the agent may take them for input. */
function otherFields(toolCall: JsonObject): JsonObject | undefined {
  const others = Object.entries(toolCall).filter(([name, value]) => !FIELDS.has(name) && value !== null);
  return others.length === 0 ? undefined : Object.fromEntries(others);
}

const FIELDS: ReadonlySet<string> = new Set(
  "toolCallId title kind status content locations rawInput rawOutput name sessionUpdate _meta".split(" "),
);

const withoutNulls = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

function shownAgain(
  { content, locations, state }: ToolCall,
  requested: JsonObject,
  toolCallId: string,
  at: number,
): readonly SessionEvent[] {
  const fields = {
    ...(!Array.isArray(requested["content"]) && content.length > 0 && { content }),
    ...(!Array.isArray(requested["locations"]) && locations.length > 0 && { locations }),
  };
  const detail = `permission was asked for a call that is ${state.status}; the question is a call of its own`;
  return [
    ...(Object.keys(fields).length > 0 ? [{ type: "call-revised", toolCallId, at, fields } as const] : []),
    repaired(at, "asked-again", detail, toolCallId),
  ];
}
