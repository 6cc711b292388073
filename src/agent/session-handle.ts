/** A session as clients use it. Its turns run in this agent, in an external agent or in the host's own loop. */
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
