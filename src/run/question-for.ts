/** The question that a call asks: what it is really about to do, why it is asked, and what each answer would store. */
import { homedir } from "node:os";
import { oneLine, pluralize, visibleText } from "../call/index.js";
import type { OfferedGrant, Question, QuestionOption } from "../call/index.js";
import { proposeDenial, proposeGrant } from "../policy/index.js";
import type { Intent, Proposal, Rule, RuleEffect, Verdict } from "../policy/index.js";
import { intentHash } from "./intent-hash.js";

export type AskedCall = {
  readonly sessionId: string;
  readonly toolCallId: string;
  /** Distinguishes this question from earlier ones of the same call. */
  readonly number: number;
  readonly title: string;
  readonly intent: Intent;
  /** Set for a call that somebody else runs: only its input shows what it does. */
  readonly reported?: { readonly inputs: readonly unknown[]; readonly isNamedByRunner: boolean } | undefined;
  readonly verdict: Pick<Verdict, "reason" | "rule" | "saw">;
  readonly at: number;
  /** After how many milliseconds nobody may say yes any more. */
  readonly lifetime?: number | undefined;
  readonly roots: readonly string[];
  /** No rule can answer it: it is not about what the call does. */
  readonly isForThisOnce: boolean;
  /** Whether these rules would settle it, so that an "always" is no empty promise; none when nothing can be stored. */
  readonly settles: ((rules: readonly Rule[]) => RuleEffect) | undefined;
};

export function questionFor(asked: AskedCall): Question {
  const { sessionId, toolCallId, number, title, intent, verdict, at, lifetime } = asked;
  return {
    // Unique over all sessions, since an answer names nothing else.
    questionId: `${sessionId}/${toolCallId}/${number}`,
    sessionId,
    toolCallId,
    intentHash: intentHash(intent),
    title: visibleText(title),
    ...reasonOf(verdict),
    about: [...circumstances(asked), ...bounded(verdict.saw), ...inputLines(asked)],
    options: optionsOf(asked),
    ...(asked.isForThisOnce && { isForThisOnce: true }),
    askedAt: at,
    ...(lifetime !== undefined && { expiresAt: at + lifetime }),
  };
}

function reasonOf({ reason, rule }: AskedCall["verdict"]): Pick<Question, "reason"> {
  const named = rule === undefined ? reason : `of rule ${rule}${reason === undefined ? "" : `: ${reason}`}`;
  return named === undefined ? {} : { reason: oneLine(named, MAX_REASON) };
}

/** The whole of what will be done, where parts of it would not show: a title is cut, and the same words do other things elsewhere. */
function circumstances({ intent, reported, roots }: AskedCall): readonly string[] {
  const { command, cwd, env = {}, paths, hosts, input } = intent;
  if (command === undefined) return reported || paths.length + hosts.length > 0 ? [] : [inputLine(input)];
  return [
    `runs: ${whole(typeof command === "string" ? command : command.join(" "))}`,
    ...(cwd === roots[0] ? [] : [`runs in: ${visibleText(cwd)}`]),
    ...Object.entries(env).map(([name, value]) => `sets: ${visibleText(`${name}=${value}`)}`),
  ];
}

function inputLines({ reported }: AskedCall): readonly string[] {
  if (!reported) return [];
  const { inputs } = reported;
  const left = inputs.length - MAX_INPUTS;
  // The newest is what the call stands for now.
  const shown = inputs.slice(-MAX_INPUTS).map(inputLine);
  if (left > 0) return [`input: (${pluralize(left, "earlier input")} left out)`, ...shown];
  return shown.length > 0 ? shown : [inputLine(null)];
}

const inputLine = (input: unknown): string => `input: ${whole(JSON.stringify(input ?? null))}`;

const MAX_INPUTS = 5;

/** As long as anyone reads; of more, that there is more is said first. */
function whole(text: string): string {
  const shown = visibleText(text, { keepNewlines: true });
  if (shown.length <= MAX_TEXT) return shown;
  return `(${pluralize(shown.length - MAX_TEXT, "character")} more than shown here) ${shown.slice(0, MAX_TEXT)}`;
}

const MAX_TEXT = 10_000;

/** Keeps the last lines of a long list too: the doubts stand there. */
function bounded(lines: readonly string[]): readonly string[] {
  if (lines.length <= MAX_LINES) return lines;
  const left = lines.length - MAX_LINES;
  return [...lines.slice(0, MAX_LINES / 2), `… ${left} more …`, ...lines.slice(-MAX_LINES / 2)];
}

const MAX_REASON = 500;
const MAX_LINES = 100;

const ALLOW_ONCE = { optionId: "allow_once", name: "Allow once", kind: "allow_once" } as const;
const REJECT_ONCE = { optionId: "reject_once", name: "Reject", kind: "reject_once" } as const;

/** Where no rule would say just what was asked, or another rule would ask all the same, there is no "always". */
function optionsOf({ intent, reported, roots, settles }: AskedCall): readonly QuestionOption[] {
  const places = { home: homedir(), roots };
  const allow = settles && !reported?.isNamedByRunner && proposeGrant(intent, places, SCOPE);
  const reject = settles && proposeDenial(intent, places, SCOPE);
  return [
    ALLOW_ONCE,
    ...(allow && settles(allow.rules) === "allow" ? [always("allow_always", allow)] : []),
    REJECT_ONCE,
    ...(reject && settles(reject.rules) === "deny" ? [always("reject_always", reject)] : []),
  ];
}

const SCOPE = "project";

function always(kind: "allow_always" | "reject_always", { sentence, rules }: Proposal): QuestionOption {
  const grant: OfferedGrant = { sentence, rules, scope: SCOPE };
  return { optionId: kind, name: sentence, kind, grant };
}
