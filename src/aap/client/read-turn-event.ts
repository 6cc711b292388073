/**
 * A frame of a turn's stream as an event. Unknown events are passed on to the caller; a malformed known event is an
 * error, since a turn with a hole in it would look complete.
 */
import { AapError } from "./aap-error.js";
import type { TurnEvent } from "./protocol.js";
import type { SseFrame } from "./sse-parser.js";

/** The fields that must be there, and what each is. */
const FIELDS: ReadonlyMap<string, readonly (readonly [name: string, type: "text" | "content" | "any"])[]> =
  new Map([
    ["turn_start", []],
    ["text_delta", [["delta", "text"]]],
    ["thinking_delta", [["delta", "text"]]],
    ["text", [["text", "text"]]],
    ["thinking", [["thinking", "text"]]],
    ["answer_cut_off", []],
    ["model_retry", [["message", "text"]]],
    [
      "tool_call",
      [
        ["toolCallId", "text"],
        ["name", "text"],
        ["input", "any"],
      ],
    ],
    [
      "tool_result",
      [
        ["toolCallId", "text"],
        ["content", "content"],
      ],
    ],
    ["turn_stop", [["stopReason", "text"]]],
  ]);

/** Undefined for an unknown event that is not JSON. */
export function readTurnEvent({ event, data }: SseFrame): TurnEvent | undefined {
  const fields = FIELDS.get(event);
  const value = parsed(data);
  if (!isObject(value)) {
    if (fields) throw broken(event, "its data is no JSON object");
    return undefined;
  }
  for (const [name, type] of fields ?? []) {
    if (!isOf(type, value[name])) throw broken(event, `"${name}" is missing or wrong`);
  }
  // Known events are checked above; unknown ones are left to the caller.
  return { event, data: value } as TurnEvent;
}

function isOf(type: "text" | "content" | "any", value: unknown): boolean {
  if (type === "text") return typeof value === "string";
  return type === "any" || typeof value === "string" || Array.isArray(value);
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const broken = (event: string, what: string): AapError =>
  new AapError("NOT_AAP", `The server sent a broken ${event}: ${what}. The turn goes on at the server.`);
