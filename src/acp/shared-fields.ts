/**
 * The fields of a call that both versions of ACP write alike, and the memory of what was last sent of each call. Calls
 * are immutable, so a field whose source is the same reference is taken from the last message and not made again.
 */
import { completeFields, createToolTitle, fieldCount, isOver, oneLine, plainJson } from "../call/index.js";
import type { Location, Progress, ToolCall, ToolKind } from "../call/index.js";
import { isJsonObject } from "./json.js";

export type SharedFields = {
  readonly name: string | undefined;
  readonly kind: ToolKind;
  readonly locations: readonly Location[];
  readonly rawInput: unknown;
  readonly rawOutput: unknown;
};

/** A call as it was last sent: the call itself, and each wire field of it. */
export type Sent<Fields> = { readonly call: ToolCall; readonly fields: Fields };

export function sharedFields(call: ToolCall, last: Sent<SharedFields> | undefined): SharedFields {
  return {
    name: call.name === "" ? undefined : call.name,
    kind: call.kind,
    locations: call.locations,
    rawInput: last && !mayDifferInInput(last.call, call) ? last.fields.rawInput : wireInput(call),
    rawOutput:
      last && last.call.rawOutput === call.rawOutput ? last.fields.rawOutput : wireOutput(call.rawOutput),
  };
}

/** Whether the two values of a call differ in nothing but the progress. */
export function isProgressOnly(before: ToolCall, after: ToolCall): boolean {
  return (
    before.state === after.state &&
    before.content === after.content &&
    before.title === after.title &&
    before.times === after.times &&
    before.decision === after.decision &&
    before.breach === after.breach &&
    before.locations === after.locations &&
    before.rawInput === after.rawInput &&
    before.rawOutput === after.rawOutput &&
    before.name === after.name &&
    before.kind === after.kind &&
    before.kindSource === after.kindSource &&
    before.providerCallId === after.providerCallId &&
    before.parentToolCallId === after.parentToolCallId &&
    before._meta === after._meta
  );
}

/** Remembers each call that may change again; of a call that has ended for good only a mark is kept. */
export class SentCalls<Fields extends object> {
  readonly #sent = new Map<string, Sent<Fields> | "ended">();

  /** The last sent state of the call; "ended" when nothing about it can change any more. */
  last(toolCallId: string): Sent<Fields> | "ended" | undefined {
    return this.#sent.get(toolCallId);
  }

  remember(call: ToolCall, fields: Fields): void {
    const isFinal = isOver(call.state) && !("assumed" in call.state && call.state.assumed);
    this.#sent.set(call.toolCallId, isFinal ? "ended" : { call, fields });
  }
}

const MAX_MESSAGE_CHARACTERS = 60;

/**
 * Most clients show nothing of a call but its title, so the progress of a call that is under way is written into it:
 * `Fetch page [3/10] - second mirror`, `Index [42]`. While the input is still arriving, the title shows the fields that
 * have arrived.
 */
export function wireTitle({ name, title, progress, state }: ToolCall): string {
  if (state.status === "drafting" && fieldCount(state.draft) > 0)
    return createToolTitle(name, completeFields(state.draft));
  return progress && !isOver(state) ? `${title} ${progressText(progress)}` : title;
}

function progressText({ done, total, message }: Progress): string {
  const count = total === undefined ? `[${done}]` : `[${done}/${total}]`;
  return message ? `${count} - ${oneLine(message, MAX_MESSAGE_CHARACTERS)}` : count;
}

/** While the input is still being written: the fields of it that have fully arrived. */
function wireInput({ state, rawInput }: ToolCall): unknown {
  if (state.status === "drafting" && rawInput === undefined) {
    return fieldCount(state.draft) === 0 ? undefined : plainJson(completeFields(state.draft));
  }
  return wireRaw(rawInput);
}

/** Whether the input may have changed between two values of a call, without comparing its content. */
function mayDifferInInput(before: ToolCall, after: ToolCall): boolean {
  if (before.rawInput !== after.rawInput) return true;
  if (after.state.status !== "drafting") return before.state.status === "drafting";
  return (
    before.state.status !== "drafting" || fieldCount(before.state.draft) !== fieldCount(after.state.draft)
  );
}

/** An object, since clients refuse a message with any other raw output. */
function wireOutput(value: unknown): unknown {
  const output = wireRaw(value);
  return output === undefined || isJsonObject(output) ? output : { output };
}

/** A raw value made safe for JSON; none stays none, since null on the wire means something else. */
function wireRaw(value: unknown): unknown {
  return value === undefined ? undefined : plainJson(value);
}
