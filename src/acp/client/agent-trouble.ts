/** Errors of a foreign agent, worded for the person who started it. */

export type AgentTroubleCode =
  | "AGENT_NOT_STARTED"
  | "AGENT_GONE"
  | "AGENT_REFUSED"
  | "AGENT_VERSION"
  | "AUTH_REQUIRED"
  | "NOT_OFFERED"
  | "TURN_RUNNING"
  | "NO_TURN";

export class AgentTrouble extends Error {
  constructor(
    readonly code: AgentTroubleCode,
    message: string,
  ) {
    super(message);
    this.name = "AgentTrouble";
  }
}
