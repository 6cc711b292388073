/**
 * Turns a verdict of the rules into the event that records it: the call is cleared or refused, or a question is asked.
 * Every call passes here, also a call that somebody else runs.
 */
import type { Question, SessionEvent } from "../call/index.js";
import type { Intent, Verdict, Rule, RuleEffect } from "../policy/index.js";
import type { Approval } from "./approvals.js";
import type { Judge } from "./call-check.js";
import type { Remember } from "./settle-answers.js";
import type { ReportedIntent } from "./reported-intent.js";
import type { SessionRecord } from "../record/index.js";
import { oneLine, pluralize, visibleText } from "../call/index.js";
import { cutNote } from "../call/question.js";
import { intentText } from "../policy/index.js";
import { hash } from "node:crypto";
import { ONCE_OPTIONS, questionOptions } from "./question-options.js";

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
  /** How many hunks of its diff an answer may choose from. */
  readonly hunks?: number | undefined;
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
    if (verdict.contained && !isForThisOnce && !reported) return this.#contained(call, verdict);
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

  /** Nobody is asked: the command runs in the sandbox. The reason is the one for which it would be asked about. */
  #contained({ toolCallId, intent }: DecidedCall, { reason }: Verdict): SessionEvent {
    this.onIntent?.(toolCallId, intent, []);
    const at = this.#options.now();
    const why = reason === undefined ? {} : { reason };
    const decision = { by: "sandbox" as const, ...why, at, intentHash: intentHash(intent) };
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
    { toolCallId, title, intent, hunks, reported }: DecidedCall,
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
      hunks,
      reported,
      verdict,
      at: now(),
      lifetime: questionLifetimeMs,
      roots,
      isForThisOnce,
      judge: remember && !isForThisOnce ? (one, rules) => judge(one, rules).effect : undefined,
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
  readonly hunks?: number | undefined;
  /** Set for a call that somebody else runs: only its input shows what it does. */
  readonly reported?: { readonly inputs: readonly unknown[]; readonly isNamedByRunner: boolean } | undefined;
  readonly verdict: Pick<Verdict, "reason" | "rule" | "saw">;
  readonly at: number;
  /** After how many milliseconds nobody may say yes any more. */
  readonly lifetime?: number | undefined;
  readonly roots: readonly string[];
  /** No rule can answer it: it is not about what the call does. */
  readonly isForThisOnce: boolean;
  /** The verdict with these rules added, so that an "always" is no empty promise; none when nothing can be stored. */
  readonly judge: ((intent: Intent, rules: readonly Rule[]) => RuleEffect) | undefined;
};

/** The question that a call asks: what it is really about to do, why it is asked, and what each answer would store. */
export function questionFor(asked: AskedCall): Question {
  const { sessionId, toolCallId, number, title, intent, verdict, at, lifetime, roots, judge } = asked;
  const isNamedByRunner = asked.reported?.isNamedByRunner === true;
  return {
    // Unique over all sessions, since an answer names nothing else.
    questionId: `${sessionId}/${toolCallId}/${number}`,
    sessionId,
    toolCallId,
    intentHash: intentHash(intent),
    title: visibleText(title),
    ...reasonOf(verdict),
    ...aboutOf(asked),
    ...(judge ? questionOptions({ intent, roots, isNamedByRunner, judge }) : { options: ONCE_OPTIONS }),
    ...(asked.hunks !== undefined && { hunks: asked.hunks }),
    ...(asked.isForThisOnce && { isForThisOnce: true }),
    askedAt: at,
    ...(lifetime !== undefined && { expiresAt: at + lifetime }),
  };
}

function reasonOf({ reason, rule }: AskedCall["verdict"]): Pick<Question, "reason"> {
  const named = rule === undefined ? reason : `of rule ${rule}${reason === undefined ? "" : `: ${reason}`}`;
  return named === undefined ? {} : { reason: oneLine(named, MAX_REASON) };
}

/** The effects of the call, bounded for a first look, and whole where the bounds leave something out. */
function aboutOf(asked: AskedCall): Pick<Question, "about" | "wholeAbout"> {
  const about = aboutLines(asked, SHOWN);
  const wholeAbout = aboutLines(asked, UNBOUNDED);
  const isWhole = wholeAbout.length === about.length && wholeAbout.every((line, at) => line === about[at]);
  return { about, ...(!isWhole && { wholeAbout }) };
}

type Bounds = { readonly maxCharacters: number; readonly maxLines: number; readonly maxInputs: number };

/** The maximum that a person reads at once. */
const SHOWN: Bounds = { maxCharacters: 10_000, maxLines: 100, maxInputs: 5 };
const UNBOUNDED: Bounds = { maxCharacters: Infinity, maxLines: Infinity, maxInputs: Infinity };

const aboutLines = (asked: AskedCall, bounds: Bounds): readonly string[] => [
  ...circumstances(asked, bounds),
  ...bounded([...new Set(asked.verdict.saw)], bounds),
  ...inputLines(asked, bounds),
];

/** The whole of what will be done, where parts of it would not show: a title is cut, and the same words do other things elsewhere. */
function circumstances({ intent, reported, roots }: AskedCall, bounds: Bounds): readonly string[] {
  const { command, cwd, env = {}, paths, hosts, input } = intent;
  if (command === undefined)
    return reported || paths.length + hosts.length > 0 ? [] : [inputLine(input, bounds)];
  return [
    `runs: ${shown(typeof command === "string" ? command : command.join(" "), bounds)}`,
    ...(cwd === roots[0] ? [] : [`runs in: ${visibleText(cwd)}`]),
    ...Object.entries(env).map(([name, value]) => `sets: ${visibleText(`${name}=${value}`)}`),
  ];
}

function inputLines({ reported }: AskedCall, bounds: Bounds): readonly string[] {
  if (!reported) return [];
  // An agent may report the same input again, in its question for example.
  const lines = [...new Set(reported.inputs.map((input) => inputLine(input, bounds)))];
  const left = lines.length - bounds.maxInputs;
  // The newest input is the one that the call has now.
  const newest = lines.slice(Math.max(0, left));
  if (left > 0) return [`input: (${pluralize(left, "earlier input")} left out)`, ...newest];
  return newest.length > 0 ? newest : [inputLine(null, bounds)];
}

const inputLine = (input: unknown, bounds: Bounds): string =>
  `input: ${shown(JSON.stringify(input ?? null), bounds)}`;

/** A note before a text that is cut counts the characters that are missing. */
function shown(text: string, { maxCharacters }: Bounds): string {
  const visible = visibleText(text, { keepNewlines: true });
  if (visible.length <= maxCharacters) return visible;
  return `${cutNote(visible.length - maxCharacters)}${visible.slice(0, maxCharacters)}`;
}

/** Keeps the last lines of a long list too: the doubts stand there. */
function bounded(lines: readonly string[], { maxLines }: Bounds): readonly string[] {
  if (lines.length <= maxLines) return lines;
  const left = lines.length - maxLines;
  return [...lines.slice(0, maxLines / 2), `… ${left} more …`, ...lines.slice(-maxLines / 2)];
}

const MAX_REASON = 500;

/** The stable name of an intent: SHA-256 of its text. */
export function intentHash(intent: Intent): string {
  return hash("sha256", intentText(intent));
}
