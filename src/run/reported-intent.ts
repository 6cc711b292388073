/**
 * The intent of a call that somebody else runs, as far as its reports show, and the verdict of the rules on it.
 *
 * Invariants: a call is allowed only when the rules allow every reading of it. The runner's own label can make the
 * verdict stricter and never looser.
 */
import type { Intent, Verdict } from "../policy/index.js";
import type { Judge } from "./call-check.js";

export type FileText = { readonly path: string; readonly text: string };

export type ReportedIntent = {
  readonly intent: Intent;
  /** All inputs that the call carries, to show to the person who is asked. */
  readonly inputs: readonly unknown[];
  /** Its runner alone says what the tool is called, so an "always" could not be bound to anything. */
  readonly isNamedByRunner: boolean;
  /** The call does not show what it does, so a yes holds only once. */
  readonly isBlind: boolean;
  /** Further readings of the same call: the rules must allow each of them too. */
  readonly readings: readonly Intent[];
  /** Other readings of the same call: only a rule that denies or asks about one of them counts. */
  readonly suspicions: readonly Intent[];
  /** Why a part of the call cannot be judged. The rules judge that part as a command that cannot be read. */
  readonly doubt: string | undefined;
  /** Why the call may do something else than it shows. */
  readonly disagreement: string | undefined;
  /** Every text that the input says goes into a file, the whole or a part of it. */
  readonly texts: readonly string[];
  /** The text that each file will hold, where the call carries all of it. */
  readonly writes: readonly FileText[];
};

/** No rule can answer the question about such a call: it is for this once. */
export const isForThisOnce = ({ isBlind, doubt, disagreement }: ReportedIntent): boolean =>
  isBlind || (doubt ?? disagreement) !== undefined;

/** The strictest verdict of all readings. */
export function judgeReported(
  { intent, readings, suspicions, isBlind, doubt, disagreement }: ReportedIntent,
  judge: Judge,
): Verdict {
  const judged = [intent, ...readings].map((one) => judge(one));
  const verdicts = [
    ...judged,
    ...(doubt === undefined ? [] : [doubted(intent, doubt, judge)]),
    ...suspicions.map((one) => judge(one)).filter(isByRule),
  ];
  const denied = verdicts.find(({ effect }) => effect === "deny");
  if (denied) return denied;
  const asking = verdicts.filter(({ effect }) => effect === "ask");
  const [strictest = verdicts[0]] = asking;
  if (!strictest) return { effect: "deny", saw: [] };
  const saw = [
    ...new Set([...judged.flatMap((one) => one.saw), ...asking.flatMap((one) => one.reason ?? [])]),
  ];
  if (disagreement !== undefined)
    return { effect: "ask", reason: joined([disagreement, doubt]) ?? disagreement, saw };
  const reason = joined(asking.map((one) => one.reason));
  const verdict: Verdict = { ...strictest, ...(reason !== undefined && { reason }), saw };
  const { matched } = verdict;
  if (isBlind && verdict.effect === "ask" && verdict.reason === undefined)
    return { ...verdict, reason: SAYS_NOTHING };
  // A name says nothing of what is done: only a rule that allows everything allows this.
  const isByName = matched !== undefined && "allow" in matched && matched.allow !== "*";
  if (!isBlind || verdict.effect === "ask" || !isByName) return verdict;
  return { effect: "ask", reason: SAYS_NOTHING, saw: verdict.saw };
}

/** The person who is asked sees every reason once. */
function joined(reasons: readonly (string | undefined)[]): string | undefined {
  const known = [...new Set(reasons.filter((one) => one !== undefined))];
  return known.length === 0 ? undefined : known.slice(0, MAX_REASONS).join("; ");
}

const MAX_REASONS = 3;

/** The reason is ours: the rules only know that there is something to doubt. */
function doubted(intent: Intent, doubt: string, judge: Judge): Verdict {
  const { effect, saw } = judge({ ...intent, command: UNREADABLE });
  return effect === "allow" ? { effect, saw } : { effect, reason: doubt, saw: [...saw, doubt] };
}

/** A command whose program is not known. */
const UNREADABLE = "$unknown";

const SAYS_NOTHING = "the agent shows nothing of this call but a title";

const isByRule = ({ effect, matched }: Verdict): boolean => effect !== "allow" && matched !== undefined;
