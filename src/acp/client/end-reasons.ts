/** Why the open calls of a foreign agent end when it does not report it. */
import type { EndReasons } from "../../run/index.js";

export const TURN_OVER: EndReasons = {
  waiting: "the agent ended its turn without it.",
  begun: "the agent ended its turn and did not say how this ended.",
};
export const CANCELLED: EndReasons = {
  waiting: "the turn was cancelled.",
  begun: "the turn was cancelled, and the agent did not say how this ended.",
};
export const AGENT_GONE: EndReasons = {
  waiting: "the agent's process ended.",
  begun: "the agent's process ended, and how this ended was not said.",
};
