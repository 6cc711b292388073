/** A session as doors hold it, whoever runs its turns: this agent, someone else's agent, or a loop of the host's own. */
import type { Gate } from "../run/index.js";
import type { AgentSession } from "./agent-session.js";

export type SessionHandle = Pick<
  AgentSession,
  | "sessionId"
  | "seq"
  | "writtenSeq"
  | "unwritten"
  | "book"
  | "ledger"
  | "now"
  | "prompt"
  | "advance"
  | "afterOthers"
  | "setMode"
  | "onRecorded"
  | "close"
> & { readonly gate: Pick<Gate, "wake" | "cancelCall"> };
