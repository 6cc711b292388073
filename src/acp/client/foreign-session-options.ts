/** The options of a foreign agent's session, and the judge that they make. */
import {
  AMOUNT,
  FLAG,
  FUNCTION,
  LEDGER,
  OBJECT,
  oneOf,
  required,
  TEXT,
  WORKSPACE,
} from "../../call/check-options.js";
import type { OptionChecks } from "../../call/check-options.js";
import type { LeaseWait } from "../../record/index.js";
import type { Agent, PolicyFor } from "../../agent/index.js";
import type { Ledger, SessionInfo } from "../../call/index.js";
import { decide } from "../../policy/index.js";
import type { Verdict } from "../../policy/index.js";
import type { Elicit, Judge, RememberedGrant } from "../../run/index.js";
import { placesOf } from "../../tools/scratch/session-workspace.js";
import type { Workspace } from "../../tools/index.js";

export type SessionPlace = { readonly root: string; readonly sessionId: string };

export type ForeignSessionOptions = LeaseWait & {
  readonly ledger: Ledger;
  readonly workspace: Workspace;
  /** Returns the rules in force; called for each decision. */
  readonly policy: PolicyFor;
  /** Stores what an "always" says. Without it no question offers one. */
  readonly remember?: (grant: RememberedGrant, place: SessionPlace) => Promise<void>;
  /** Subscribes to changes of the rules: the open questions that they settle are then answered by rule. */
  readonly onRulesChanged?: Agent["onRulesChanged"];
  /** Called for each call that a rule allowed. */
  readonly onCleared?: (verdict: Verdict, place: SessionPlace) => void;
  /** Asks the person at this side what the agent wants to know. */
  readonly elicit?: Elicit;
  /** Ours; a new one when left out. */
  readonly sessionId?: string;
  readonly info?: SessionInfo;
  /**
   * Whether a turn with an open question is parked: `prompt` and `advance` then return, and the agent waits for the
   * answer. Otherwise they return when the question is answered and the turn has ended.
   */
  readonly parksOnQuestions?: boolean;
  /** How many milliseconds an agent may take to end a turn after a cancel. */
  readonly cancelGraceMs?: number;
  /**
   * The consequence when the agent runs a call that the rules deny: the call is only marked, or the agent is ended
   * too. Default: "mark".
   */
  readonly onBreach?: OnBreach;
  /** How long questions and our tools may take, and how often a call may be made again. */
  readonly limits?: Agent["limits"];
  readonly now?: () => number;
};

export type OnBreach = "mark" | "end";

export const FOREIGN_SESSION_OPTIONS: OptionChecks<ForeignSessionOptions> = {
  ledger: required(LEDGER),
  workspace: required(WORKSPACE),
  policy: required(FUNCTION),
  remember: FUNCTION,
  onRulesChanged: FUNCTION,
  onCleared: FUNCTION,
  elicit: FUNCTION,
  sessionId: TEXT,
  info: OBJECT,
  parksOnQuestions: FLAG,
  cancelGraceMs: AMOUNT,
  onBreach: oneOf("mark", "end"),
  limits: OBJECT,
  leaseWaitMs: AMOUNT,
  onLeaseWait: FUNCTION,
  now: FUNCTION,
};

/** The modes that an agent has are its own: they are no part of what our rules are asked with. */
export function judgeFor(
  { policy, workspace }: ForeignSessionOptions,
  place: SessionPlace,
  { now, isByRule = false }: JudgeOptions,
): Judge {
  return (intent, also = []) => {
    const { default: otherwise, ...inForce } = policy(place);
    const rules = [...inForce.rules, ...also];
    const unspoken = isByRule ? ("ask" as const) : otherwise;
    return decide(intent, {
      ...inForce,
      ...(unspoken !== undefined && { default: unspoken }),
      rules,
      ...placesOf(workspace),
      // The agent runs its commands itself, in no sandbox of ours.
      canContain: false,
      now: now(),
    });
  };
}

type JudgeOptions = {
  readonly now: () => number;
  /** Denies only what a rule denies, and not what no rule allows. */
  readonly isByRule?: boolean;
};
