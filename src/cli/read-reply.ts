/**
 * Reads the reply to a question. Only the listed words are answers. A word that is none, or that was not offered, refuses
 * nothing and asks again; a refusal may carry a reason.
 */
import type { OptionKind, QuestionOption } from "../call/index.js";

export type Reply =
  | { readonly type: "answer"; readonly option: QuestionOption | undefined; readonly reason?: string }
  | { readonly type: "help" }
  | { readonly type: "view" }
  | { readonly type: "again"; readonly hint: string };

const ANSWERS: ReadonlyMap<string, OptionKind> = new Map([
  ["y", "allow_once"],
  ["yes", "allow_once"],
  ["ok", "allow_once"],
  ["a", "allow_always"],
  ["always", "allow_always"],
  ["never", "reject_always"],
  ["", "reject_once"],
  ["n", "reject_once"],
  ["no", "reject_once"],
]);
const OTHERS: ReadonlyMap<string, Reply> = new Map([
  ["?", { type: "help" }],
  ["h", { type: "help" }],
  ["help", { type: "help" }],
  ["v", { type: "view" }],
  ["view", { type: "view" }],
]);

export function readReply(typed: string, options: readonly QuestionOption[]): Reply {
  const text = typed.trim();
  const word = text.toLowerCase();
  const kind = ANSWERS.get(word);
  if (kind) return answer(kind, options, word);
  const other = OTHERS.get(word);
  if (other) return other;
  const reason = /^no?(?:[,:.;]\s*|\s+)(?:because\s+)?(\S.*)$/isu.exec(text)?.[1];
  if (reason !== undefined) return refusal(reason, options);
  const first = /^[\p{L}?]+/u.exec(word)?.[0] ?? "";
  const isSentence = /\s/.test(text) && !ANSWERS.has(first) && !OTHERS.has(first);
  if (isSentence) return refusal(text, options);
  return { type: "again", hint: `${quoted(text)} is not an answer. ${NEXT}` };
}

const NEXT = "Nothing was answered; ? shows the answers.";

const refusal = (reason: string, options: readonly QuestionOption[]): Reply => ({
  type: "answer",
  option: options.find(({ kind }) => kind === "reject_once"),
  reason,
});

function answer(kind: OptionKind, options: readonly QuestionOption[], word: string): Reply {
  const option = options.find((one) => one.kind === kind);
  // A no needs no option: it refuses.
  if (option || kind === "reject_once") return { type: "answer", option };
  return { type: "again", hint: `${quoted(word)} is not offered for this call. ${NEXT}` };
}

const MAX_QUOTED = 40;
const quoted = (text: string): string =>
  `"${text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text}"`;
