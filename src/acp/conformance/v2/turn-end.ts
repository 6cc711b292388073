/** v2: how a turn ended, which its idle state says. */
import type { JsonObject } from "../../json.js";
import type { Turn } from "../evidence.js";
import { shown, shownReply, updatesIn } from "../transcript.js";
import type { Line } from "../transcript.js";

export const STOP_REASONS = new Set<unknown>([
  "end_turn",
  "max_tokens",
  "max_turn_requests",
  "refusal",
  "cancelled",
  "error",
]);
/** The idle state's update. */
export const lastUpdate = (turn: Turn): JsonObject | undefined => {
  const line = turn.end === undefined ? undefined : turn.reply.lines[turn.end];
  return line && updatesIn([line])[0]?.update;
};

/** The end of the turn as text. */
export const endLine = ({ reply, end }: Turn): string => {
  const line: Line | undefined = end === undefined ? undefined : reply.lines[end];
  return line ? shown(line) : `no idle state: ${shownReply(reply)}`;
};
