/**
 * Turns a verdict of the rules into the event that records it: the call is cleared or refused, or a question is asked.
 * Every call passes here, also a call that somebody else runs.
 */
import type { Question, SessionEvent, OfferedGrant, QuestionOption } from "../call/index.js";
import type { Intent, Verdict, Proposal, Rule, RuleEffect } from "../policy/index.js";
import type { Approval } from "./approvals.js";
import type { Judge } from "./check-call.js";
import type { Remember } from "./settle-answers.js";
import type { ReportedIntent } from "./reported-intent.js";
import type { SessionRecord } from "../record/index.js";
import { homedir } from "node:os";
import { oneLine, pluralize, visibleText } from "../call/index.js";
import { proposeDenial, proposeGrant, intentText } from "../policy/index.js";
import { hash } from "node:crypto";

type DecisionOptions = {
  readonly record: SessionRecord;
  readonly judge: Judge;
  readonly roots: readonly string[];
  readonly remember: Remember | undefined;
  readonly onCleared: ((verdict: Verdict) => void) | undefined;
  readonly questionLifetimeMs: number | undefined;
  readonly now: () => number;
};

/** A call that is decided on. */
type DecidedCall = {
  readonly toolCallId: string;
  readonly title: string;
  readonly intent: Intent;
  /** Set for a call that somebody else runs. */
  readonly reported?: Pick<ReportedIntent, "inputs" | "isNamedByRunner" | "texts">;
};

export class Decisions {
  readonly #options: DecisionOptions;
  /** Receives each intent that is decided on. */
  onIntent: ((toolCallId: string, intent: Intent, texts: readonly string[]) => void) | undefined;

  constructor(options: DecisionOptions) {
    this.#options = options;
  }

  decide(call: DecidedCall, verdict: Verdict, isForThisOnce: boolean): SessionEvent {
    const { onCleared, now } = this.#options;
    const { toolCallId, intent, reported } = call;
    const at = now();
    if (verdict.effect === "ask")
      return {
        type: "question-asked",
        toolCallId,
        at,
        question: this.question(call, verdict, isForThisOnce),
      };
    this.onIntent?.(toolCallId, intent, reported?.texts ?? []);
    const decision = { ...byRule(verdict), at, intentHash: intentHash(intent) };
    if (verdict.effect === "deny") return { type: "call-refused", toolCallId, at, decision };
    onCleared?.(verdict);
    return { type: "call-cleared", toolCallId, at, decision };
  }

  /** An approval clears the call: the decision is the one that was made then. */
  approve(toolCallId: string, intent: Intent, approval: Approval): SessionEvent {
    this.onIntent?.(toolCallId, intent, []);
    const at = this.#options.now();
    const decision = {
      ...(approval.decision ?? { by: "rule" as const }),
      reason: `allowed with ${approval.toolCallId}`,
      intentHash: intentHash(intent),
      at,
    };
    return { type: "call-cleared", toolCallId, at, decision };
  }

  question(
    { toolCallId, title, intent, reported }: DecidedCall,
    verdict: Verdict,
    isForThisOnce: boolean,
  ): Question {
    const { record, judge, roots, remember, questionLifetimeMs, now } = this.#options;
    this.onIntent?.(toolCallId, intent, reported?.texts ?? []);
    return questionFor({
      sessionId: record.sessionId,
      toolCallId,
      number: record.seq,
      title,
      intent,
      reported,
      verdict,
      at: now(),
      lifetime: questionLifetimeMs,
      roots,
      isForThisOnce,
      settles: remember && !isForThisOnce ? (rules) => judge(intent, rules).effect : undefined,
    });
  }
}

export function byRule({ rule, reason }: Verdict): { by: "rule"; rule?: string; reason?: string } {
  return { by: "rule", ...(rule !== undefined && { rule }), ...(reason !== undefined && { reason }) };
}

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

/** The question that a call asks: what it is really about to do, why it is asked, and what each answer would store. */
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

/** The stable name of an intent: SHA-256 of its text. */
export function intentHash(intent: Intent): string {
  return hash("sha256", intentText(intent));
}
