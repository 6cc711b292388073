/**
 * A question as lines: why it is asked, the effects of the call, and the rules that each "always" would store; whole, also
 * the preview of the call with nothing left out. The first row of a line is ours; all others stand behind a gutter.
 */
import type { OptionKind, QuestionOption, ShownQuestion } from "../call/index.js";
import { hiddenCharacters, visibleText } from "../call/index.js";
import { usualWidth } from "../call/usual-width.js";
import { countOf } from "../call/amounts.js";
import { blockLines } from "./call-text.js";
import type { Line } from "./call-text.js";
import { MAX_BLOCKS } from "./call-card.js";
import { cardBlock } from "./card-blocks.js";
import { MIN_WIDTH, QUOTE, rows, wholeLine } from "./visible-line.js";
import { exampleLines } from "./widths-text.js";

const FACT = { first: "", next: "        " };

/** Lines of an item that a question shows at first. */
export const MAX_QUESTION_LINES = 2_000;

/** The reason, the given lines of `about`, and the rules that an "always" would store. */
export function questionFacts(question: ShownQuestion, about: readonly string[], width: number): string {
  const { reason, options } = question;
  const usual = options.some(({ kind }) => kind === "allow_always") ? usualWidth(question) : undefined;
  const lines: readonly Line[] = [
    ...(reason === undefined ? [] : [fact(`Asked because ${visibleText(reason.replace(/\.+$/, ""))}.`)]),
    ...(question.originalInput === undefined ? [] : [fact("Its input is the one that a person changed.")]),
    ...about.flatMap(aboutLines),
    ...(usual
      ? [fact(`always = ${visibleText(usual.sentence)}`)]
      : grantLines(options, "allow_always", options.some(isLasting) ? "always" : "session")),
  ];
  return [
    wrapped(lines, width),
    ...(usual ? exampleLines(usual.examples, width) : []),
    wrapped(grantLines(options, "reject_always", "never"), width),
  ]
    .filter((text) => text !== "")
    .join("\n");
}

const isLasting = ({ kind, grant }: QuestionOption): boolean =>
  kind === "allow_always" && grant?.scope !== "session";

/** The rule of the first such option; the others are shown when somebody chooses among them. */
function grantLines(options: readonly QuestionOption[], kind: OptionKind, label: string): readonly Line[] {
  const grant = options.find((option) => option.kind === kind)?.grant;
  return grant ? [fact(`${label} = ${visibleText(grant.sentence)}`)] : [];
}

/** Everything that a yes would allow. */
export function wholeQuestion(question: ShownQuestion, width: number): string {
  const { about = [], wholeAbout = about, call } = question;
  const { name, kind, locations } = call;
  const places = locations.map(({ path, line }) => `at ${path}${line === undefined ? "" : `:${line}`}`);
  return [
    wrapped(
      [fact(`${visibleText(question.title)} (${[visibleText(name), kind].filter(Boolean).join(", ")})`)],
      width,
    ),
    questionFacts(question, wholeAbout, width),
    wrapped([...places.flatMap(aboutLines), ...previewLines(question, Infinity)], width),
  ]
    .filter((text) => text !== "")
    .join("\n");
}

/** The same of a question and of those that may be answered together with it. */
export function wholeQuestions(
  question: ShownQuestion,
  alike: readonly ShownQuestion[],
  width: number,
): string {
  return [question, ...alike].map((one) => wholeQuestion(one, width)).join("\n\n");
}

/**
 * How much of the call a question does not show at first; undefined when it shows all. Only the effects of those `alike`
 * are listed, and no preview.
 */
export function hiddenWords(
  question: ShownQuestion,
  alike: readonly ShownQuestion[] = [],
): string | undefined {
  const all = [question, ...alike];
  const shown = previewLines(question, MAX_QUESTION_LINES);
  const whole = all.flatMap((one) => previewLines(one, Infinity));
  const lines = whole.length - shown.length;
  const cut = all.reduce((sum, one) => sum + hiddenCharacters(one), 0);
  const characters = cut + Math.max(0, lengthOf(whole) - lengthOf(shown));
  if (characters === 0 && lines <= 0) return undefined;
  const words = [countOf(characters, "character"), ...(lines > 0 ? [`in ${countOf(lines, "line")}`] : [])];
  return words.join(" ");
}

function previewLines({ call: { content } }: ShownQuestion, maxLines: number): readonly Line[] {
  const isWhole = maxLines === Infinity;
  return content
    .slice(0, isWhole ? content.length : MAX_BLOCKS)
    .flatMap((item) => blockLines(cardBlock(item, maxLines, { isWhole })));
}

/** The label is ours. The lines of a command or an input that follow its first one are quoted. */
function aboutLines(line: string): readonly Line[] {
  const [first = "", ...others] = line.split("\n").map((text) => wholeLine(text));
  return [fact(first), ...others.map((text) => ({ text, isQuoted: true }))];
}

const fact = (text: string): Line => ({ text, isQuoted: false });

const wrapped = (lines: readonly Line[], width: number): string =>
  lines
    .flatMap(({ text, isQuoted }) => rows(text, isQuoted ? QUOTE : FACT, Math.max(MIN_WIDTH, width)))
    .join("\n");

const lengthOf = (lines: readonly Line[]): number => lines.reduce((sum, { text }) => sum + text.length, 0);
