/**
 * The `turn_stop` of a turn's end. AAP has no stop reason for a cancelled turn: it is sent as `end_turn`, since a person
 * wanted it to end, and every call is closed. A turn that took too many steps is an error.
 */
import type { TurnEnd } from "../../agent/index.js";
import type { SessionEvent } from "../../call/index.js";
import { redact } from "../../history/index.js";
import type { RedactionPattern } from "../../history/index.js";
import type { StopReason, TurnEvent } from "../client/protocol.js";
import { withoutAddresses } from "./without-addresses.js";

type TurnStop = TurnEvent & { readonly event: "turn_stop" };

const REASONS: { readonly [key in (TurnEnd & { status: "stopped" })["stopReason"]]: StopReason } = {
  end_turn: "end_turn",
  max_tokens: "max_tokens",
  refusal: "refusal",
  cancelled: "end_turn",
  max_turn_requests: "error",
  error: "error",
};

/** A provider may quote a key in its error: secrets are taken out of the error, as from session events. */
export function turnStop(end: TurnEnd, patterns: readonly RedactionPattern[]): TurnStop {
  if (end.status === "parked") return { event: "turn_stop", data: { stopReason: "tool_use" } };
  const { stopReason, error = stopReason === "max_turn_requests" ? TOO_MANY_STEPS : undefined } = end;
  return {
    event: "turn_stop",
    data: {
      stopReason: REASONS[stopReason],
      ...(error !== undefined && { error: redact(withoutAddresses(error), patterns) }),
    },
  };
}

/** The end that is recorded, as it was returned when it happened. */
export function recordedEnd(event: SessionEvent): TurnEnd {
  return event.type === "turn-stopped" ? { ...event, status: "stopped" } : { status: "parked" };
}

const TOO_MANY_STEPS = "The model took more steps than the agent allows. The turn was stopped.";
