/** A question with all that a person needs to decide: what will happen, why it is asked, and what each answer does. */
import { AapProblem } from "../../aap/api/aap-problem.js";
import { mixedWords, shownQuestion, visibleText } from "../../call/index.js";
import type {
  DiffContent,
  OfferedWidth,
  Question,
  SessionBook,
  ShownQuestion,
  ToolCall,
} from "../../call/index.js";
import { hunksOfDiff } from "../../call/diff-hunks.js";
import { redactedRecord } from "../../history/redaction/redact-event.js";
import type { Explanation } from "../../policy/explain.js";
import { ruleParts } from "../../policy/rule.js";
import type { Rule } from "../../policy/index.js";
import { grantIdOf } from "../../settings/grant-store.js";
import { diffCard } from "../../view/index.js";
import type { GrantWidth, InboxQuestion, QuestionDetail } from "../api/question-bodies.js";
import type { RuleTest } from "../api/rule-bodies.js";
import type { ServeContext } from "../server/serve-context.js";
import { commandReading, countHidden, MAX_EXPLAINED } from "./command-reading.js";
import { isReported } from "./inbox-row.js";
import { MAX_LINES } from "../sessions/call-detail.js";

export type DetailOptions = {
  readonly row: InboxQuestion;
  readonly book: SessionBook;
  readonly resumes: QuestionDetail["resumes"];
  /** Other open questions that may get the same answer. */
  readonly alike: readonly string[];
};

export async function questionDetail(
  context: ServeContext,
  question: Question,
  { row, book, resumes, alike }: DetailOptions,
): Promise<QuestionDetail> {
  const call = book.call(question.toolCallId);
  if (!call)
    throw new AapProblem("NOT_FOUND", "The call of this question is not recorded. Nothing was read.");
  // The walk changes texts and nothing else.
  const shown = redactedRecord(shownQuestion(question, call), context.redactPatterns) as ShownQuestion;
  const command = commandOf(question, call);
  const test = testOf(call, book, command?.text);
  const isTooLong = command !== undefined && command.text.length > MAX_EXPLAINED;
  const explanation =
    test && !isTooLong ? await context.explain(test, book.modeId).catch(() => undefined) : undefined;
  return {
    ...row,
    intentHash: question.intentHash,
    // Redacts the parts of the command too, which come from the unredacted call.
    what: redactedRecord(
      {
        ...whatOf(shown, explanation || isTooLong ? command : undefined, explanation),
        ...(row.isAnswerable && hunksIn(question, call, context.redactPatterns)),
      },
      context.redactPatterns,
    ) as QuestionDetail["what"],
    why: {
      reason: shown.reason ?? "No rule decides on it.",
      ...ruleOf(context, explanation, book, question),
      ...modeOf(context, book),
      ...(command !== undefined && containedOf(context)),
    },
    answers: answersOf(shown, row, alike),
    resumes,
  };
}

/** `isShown`: hidden characters are spelled out in it already. */
type AskedCommand = { readonly text: string; readonly isShown: boolean };

/** The command that is decided on: the input's own, unless the question names another one, as for a list of words. */
function commandOf(
  { about = [], wholeAbout = about }: Question,
  { kind, rawInput }: ToolCall,
): AskedCommand | undefined {
  const own =
    typeof rawInput === "object" && rawInput !== null && "command" in rawInput ? rawInput.command : undefined;
  const asked = wholeAbout.find((line) => line.startsWith(RUNS))?.slice(RUNS.length);
  const isOwn = asked === undefined ? kind === "execute" : asked === shownCommand(own);
  if (isOwn) return typeof own === "string" ? { text: own, isShown: false } : undefined;
  return asked === undefined ? undefined : { text: asked, isShown: true };
}

/** The command as the question shows it. */
const shownCommand = (own: unknown): string | undefined =>
  typeof own === "string" ? visibleText(own, { keepNewlines: true }) : undefined;

const RUNS = "runs: ";

/** The action as a test of the rules would name it. */
function testOf(
  call: ToolCall,
  { info }: SessionBook,
  command: string | undefined,
): (RuleTest & { readonly folder: string }) | undefined {
  const { kind, rawInput, locations } = call;
  const input =
    typeof rawInput === "object" && rawInput !== null ? new Map(Object.entries(rawInput)) : new Map();
  const cwd: unknown = input.get("cwd");
  const folder = typeof cwd === "string" && cwd.startsWith("/") ? cwd : info.cwd;
  if (folder === undefined) return undefined;
  if (command !== undefined) return { folder, command };
  const url: unknown = input.get("url");
  if (kind === "fetch") return typeof url === "string" ? { folder, url } : undefined;
  const [place] = locations;
  if (!place) return undefined;
  if (kind === "edit") return { folder, write: place.path };
  if (kind === "delete" || kind === "move") return { folder, delete: place.path };
  return { folder, read: place.path };
}

function whatOf(
  shown: ShownQuestion,
  command: AskedCommand | undefined,
  explanation: Explanation | undefined,
): QuestionDetail["what"] {
  const { about = [], wholeAbout = about, call } = shown;
  const changes = call.content.flatMap((item) => (item.type === "diff" ? [item] : []));
  const texts = changes.flatMap(({ newText = "", path }) => [newText, path]);
  return {
    ...(command && { command: commandReading(command, explanation) }),
    lines: [...wholeAbout],
    paths: call.locations.map(({ path, line }) => ({
      path: visibleText(path),
      ...(line !== undefined && { line }),
    })),
    diffs: changes.map((change) => diffCard(change, { maxLines: MAX_LINES, isWhole: true })),
    changes,
    rawInput: call.rawInput,
    hiddenCharacters: [...textsIn(call.rawInput), ...texts].reduce((sum, text) => sum + countHidden(text), 0),
    mixedWords: [
      ...mixedWords([command?.text ?? "", ...wholeAbout, ...changes.map(({ path }) => path)].join("\n")),
    ],
    ...(shown.isForThisOnce === true && shown.reason !== undefined && { warning: visibleText(shown.reason) }),
  };
}

/** Counted in the diff as it is: redaction could make two texts equal. */
function hunksIn(
  { hunks: count }: Question,
  { content }: ToolCall,
  patterns: ServeContext["redactPatterns"],
): Pick<QuestionDetail["what"], "hunks"> {
  if (count === undefined) return {};
  const hunks = content.flatMap((item) =>
    item.type === "diff"
      ? hunksOfDiff(item).map((hunk) => redactedRecord({ ...diffOf(item), hunks: [hunk] }, patterns))
      : [],
  );
  // The walk changes texts and nothing else.
  const cards = (hunks as DiffContent[]).map((hunk) =>
    diffCard(hunk, { maxLines: MAX_LINES, isWhole: true }),
  );
  return cards.length === count ? { hunks: cards } : {};
}

const diffOf = ({ type, operation, path }: DiffContent) => ({ type, operation, path });

/** Keys and texts of a JSON value, as they are: written as JSON, a control would be an escape that anyone can see. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsIn(inner)]);
}

function ruleOf(
  { rules }: ServeContext,
  explanation: Explanation | undefined,
  { info, sessionId }: SessionBook,
  { questionId }: Question,
): Pick<QuestionDetail["why"], "rule"> {
  const name = explanation?.verdict.rule;
  if (name === undefined) return {};
  const { origins } = rules.current(info.cwd ?? "/", sessionId);
  const names = new Set(explanation?.verdict.by?.map((rule) => ruleParts(rule).name));
  const decided = [...origins].filter(([rule]) => names.has(ruleParts(rule).name));
  const grantId = grantIdOf(questionId);
  const [made] = decided.find(([, origin]) => origin.from === "grant" && origin.grantId === grantId) ?? [];
  if (made) return { rule: { text: visibleText(ruleParts(made).name), from: "grant", isOfThisAnswer: true } };
  const text = visibleText(name);
  const origin = decided.find(([rule]) => ruleParts(rule).name === name)?.[1];
  return { rule: origin ? { text, from: origin.from, file: origin.file } : { text, from: "mode" } };
}

function modeOf(
  { rules }: ServeContext,
  { info, modeId, sessionId }: SessionBook,
): Pick<QuestionDetail["why"], "mode"> {
  const mode = modeId ?? (info.cwd === undefined ? undefined : rules.current(info.cwd, sessionId).mode);
  return mode === undefined ? {} : { mode };
}

function containedOf({ notContained }: ServeContext): Pick<QuestionDetail["why"], "notContained"> {
  const why = notContained()?.why;
  return why === undefined ? {} : { notContained: why };
}

function answersOf(
  question: ShownQuestion,
  { door, state, sessionId }: InboxQuestion,
  alike: readonly string[],
): QuestionDetail["answers"] {
  const { options, widths = [] } = question;
  // A rule that is stored for the session answers its own questions at once.
  const freed = alike.filter((id) => id.startsWith(`${sessionId}/`));
  const allowing = widths.filter(({ effect }) => effect === "allow");
  const isOpen = state.status === "open";
  return {
    once: isOpen && options.some(({ kind }) => kind === "allow_once"),
    session: isOpen && options.some(({ kind }) => kind === "allow_always"),
    // Questions are alike where the widest rules are the same.
    always: allowing.map((width, index) => widthOf(width, index === 0 ? freed : [])),
    never: widths.filter(({ effect }) => effect === "deny").map((width) => widthOf(width, [])),
    // Somebody else's agent runs its call with the input that it has.
    edit: isOpen && door !== "driven" && !isReported(question) && question.call.rawInput !== undefined,
    ...(allowing.length === 0 && { whyNotAlways: whyNotAlways(question) }),
    alike: [...alike],
  };
}

const whyNotAlways = ({ isForThisOnce }: Question): string =>
  isForThisOnce === true
    ? "No rule can answer this: it is not about what the call does."
    : "No rule would allow just this, another rule asks about it all the same, or the agent keeps no rules.";

const widthOf = (
  { effect, width, rules, subject, lines, sentence, examples }: OfferedWidth,
  frees: string[],
): GrantWidth => ({
  effect,
  width,
  subject: visibleText(subject),
  lines: (lines ?? [{ text: subject }]).map(({ text, note }) => ({
    text: visibleText(text),
    ...(note !== undefined && { note: visibleText(note) }),
  })),
  sentence: visibleText(sentence),
  rules: [...rules],
  ruleTexts: rules.map((rule) => visibleText(JSON.stringify(rule))),
  // We wrote them into the question ourselves.
  ruleNames: rules.map((rule) => visibleText(ruleParts(rule as unknown as Rule).name)),
  examples: examples.map((example) => visibleText(example)),
  frees,
});
