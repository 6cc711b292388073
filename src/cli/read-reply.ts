/**
 * Reads the reply to a question. Only the listed words are answers. A word that is none, or that was not offered, refuses
 * nothing and asks again; a refusal may carry a reason.
 */
import type { OfferedWidth, OptionKind, Question, QuestionOption } from "../call/index.js";
import { widthsUsualFirst } from "../call/usual-width.js";
import { readChoice } from "./read-choice.js";
import type { Choice } from "./read-choice.js";

export type Reply =
  | {
      readonly type: "answer";
      readonly option: QuestionOption | undefined;
      readonly reason?: string;
      readonly choice?: Choice;
      /** The answer is for all the calls that were listed as alike. */
      readonly isForAll?: true;
      /** The hunks of the edit to apply, when not all of them are. */
      readonly keptHunks?: readonly number[];
    }
  | { readonly type: "help" }
  | { readonly type: "view" }
  /** The decision to ask is to be explained. */
  | { readonly type: "why" }
  /** The input is to be changed before it runs. */
  | { readonly type: "edit" }
  /** The hunks of the edit are to be shown, and those to keep to be chosen. */
  | { readonly type: "hunks" }
  /** The widths of "always" are to be shown, and one to be chosen. */
  | { readonly type: "choose" }
  | { readonly type: "again"; readonly hint: string };

/** The offered answers; `alike`: how many other calls were listed with this one. */
export type Answerable = Pick<Question, "options" | "widths" | "hunks"> & {
  readonly alike?: number;
  /** The terminal can explain the question and open an editor. */
  readonly isInteractive?: boolean;
};

const ANSWERS: ReadonlyMap<string, OptionKind> = new Map([
  ["y", "allow_once"],
  ["yes", "allow_once"],
  ["ok", "allow_once"],
  ["s", "allow_always"],
  ["session", "allow_always"],
  ["a", "allow_always"],
  ["always", "allow_always"],
  ["never", "reject_always"],
  ["", "reject_once"],
  ["n", "reject_once"],
  ["no", "reject_once"],
]);
const ALL: ReadonlyMap<string, OptionKind> = new Map([
  ["all", "allow_once"],
  ["none", "reject_once"],
]);
const OTHERS: ReadonlyMap<string, Reply> = new Map([
  ["?", { type: "help" }],
  ["h", { type: "help" }],
  ["help", { type: "help" }],
  ["v", { type: "view" }],
  ["view", { type: "view" }],
]);

/** Only where the terminal can do these, and only as a single word: a sentence that begins so is a reason. */
const ALONE: ReadonlyMap<string, Reply> = new Map([
  ["why", { type: "why" }],
  ["edit", { type: "edit" }],
]);

export function readReply(typed: string, question: Answerable): Reply {
  const { options, alike = 0 } = question;
  const text = typed.trim();
  const word = text.toLowerCase();
  const forAll = alike > 0 ? ALL.get(word) : undefined;
  if (forAll) return { type: "answer", option: find(options, forAll), isForAll: true };
  if (isSession(word)) return sessionAnswer(question, word);
  if (isAlways(word) && widthsOf(question, "allow").length > 0 && find(options, "allow_always"))
    return { type: "choose" };
  if (word === "hunks") return question.hunks === undefined ? notOffered(word) : { type: "hunks" };
  const kind = ANSWERS.get(word);
  if (kind) return answer(kind, options, word);
  const other = OTHERS.get(word) ?? (question.isInteractive === true ? ALONE.get(word) : undefined);
  if (other) return other;
  const chosen = chosenAnswer(word, question);
  if (chosen) return chosen;
  const reason = /^no?(?:[,:.;]\s*|\s+)(?:because\s+)?(\S.*)$/isu.exec(text)?.[1];
  if (reason !== undefined) return refusal(reason, options);
  const first = /^[\p{L}?]+/u.exec(word)?.[0] ?? "";
  const isSentence = /\s/.test(text) && !ANSWERS.has(first) && !OTHERS.has(first);
  if (isSentence) return refusal(text, options);
  return { type: "again", hint: `${quoted(text)} is not an answer. ${NEXT}` };
}

/** The reply to the list of widths. Undefined when the person goes back to the question. */
export function readWidth(typed: string, question: Answerable): Reply | undefined {
  const word = typed.trim().toLowerCase();
  if (word === "b" || word === "back") return undefined;
  return (
    chosenAnswer(`always ${word}`, question) ?? {
      type: "again",
      hint: `${quoted(word)} is not one of these. Nothing was answered; b goes back.`,
    }
  );
}

/** The reply to the list of hunks: the numbers of those to keep. Undefined when the person goes back to the question. */
export function readHunks(typed: string, { options, hunks = 0 }: Answerable): Reply | undefined {
  const text = typed.trim().toLowerCase();
  if (text === "b" || text === "back") return undefined;
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  const wrong = words.find((word) => !/^[1-9]\d{0,5}$/.test(word) || Number(word) > hunks);
  if (words.length === 0 || wrong !== undefined)
    return {
      type: "again",
      hint: `${wrong === undefined ? "Name" : `${quoted(wrong)} is not a hunk: name`} those to keep, from 1 to ${hunks}. Nothing was answered; b goes back.`,
    };
  const kept = [...new Set(words.map(Number))].toSorted((one, other) => one - other);
  const option = find(options, "allow_once");
  return { type: "answer", option, ...(kept.length < hunks && { keptHunks: kept }) };
}

const isSession = (word: string): boolean => word === "s" || word === "session";

const isAlways = (word: string): boolean => word === "a" || word === "always";

/** In the order in which they are shown and numbered. */
export const widthsOf = (
  question: Pick<Question, "widths">,
  effect: OfferedWidth["effect"],
): readonly OfferedWidth[] =>
  effect === "allow"
    ? widthsUsualFirst(question)
    : (question.widths ?? []).filter((one) => one.effect === effect);

/** `a 2 s`, `never 2`: the width, the scope and the expiry in the same line. */
function chosenAnswer(line: string, question: Answerable): Reply | undefined {
  const [word = "", ...more] = line.split(/\s+/).filter((one) => one !== "");
  const kind = ANSWERS.get(word);
  if (kind !== "allow_always" && kind !== "reject_always") return undefined;
  const widths = widthsOf(question, kind === "allow_always" ? "allow" : "deny");
  const option = find(question.options, kind);
  const words = isSession(word) ? [word, ...more] : more;
  const choice = widths.length > 0 ? readChoice(words, widths) : undefined;
  return option && choice && { type: "answer", option, choice: { ...firstOf(widths), ...choice } };
}

function sessionAnswer(question: Answerable, word: string): Reply {
  const option = question.options.find(({ grant }) => grant?.scope === "session");
  if (!option) return notOffered(word);
  const choice = firstOf(widthsOf(question, "allow"));
  return { type: "answer", option, ...(choice && { choice }) };
}

/** The first width is the one that the question shows. */
const firstOf = ([first]: readonly OfferedWidth[]): Choice | undefined => first && { width: first.width };

const NEXT = "Nothing was answered; ? shows the answers.";

const find = (options: readonly QuestionOption[], kind: OptionKind): QuestionOption | undefined =>
  options.find((one) => one.kind === kind);

const refusal = (reason: string, options: readonly QuestionOption[]): Reply => ({
  type: "answer",
  option: find(options, "reject_once"),
  reason,
});

function answer(kind: OptionKind, options: readonly QuestionOption[], word: string) {
  // An option for this session has another word.
  const option = options.find((one) => one.kind === kind && one.grant?.scope !== "session");
  // A no needs no option: it refuses.
  if (option || kind === "reject_once") return { type: "answer", option } as const;
  return notOffered(word);
}

const notOffered = (word: string) =>
  ({ type: "again", hint: `${quoted(word)} is not offered for this call. ${NEXT}` }) as const;

const MAX_QUOTED = 40;
const quoted = (text: string): string =>
  `"${text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text}"`;
