/**
 * A question that is too long for one request: one more option shows the next page of it and asks again, another one the
 * answers that found no room. These options are ours and not the question's: they answer nothing, and an asker that takes
 * the first by itself comes to the end of the pages.
 */
import { hiddenCharacters, pluralize, questionPage, visibleText } from "../call/index.js";
import type { Question, QuestionPage } from "../call/index.js";
import { isJsonObject } from "./json.js";
import { BACK, moreOptions } from "./more-answers.js";
import type { OtherQuestions, WireOption } from "./more-answers.js";

const SHOW_MORE = "toolgate_show_more";
const MORE_ANSWERS = "toolgate_more_answers";

/** More buttons than this, beside the one that leads to more answers, are a wall that nobody reads. */
const MAX_OPTIONS = 6;

/** The view that a request shows: the question, a page of its whole text, or more answers to it. */
export type AskedView = {
  readonly page?: QuestionPage | undefined;
  readonly isMore?: boolean;
  readonly others?: OtherQuestions;
};

const NO_OTHERS: OtherQuestions = { alike: 0, open: 0 };

/**
 * The question's options, and those that show more of it or more answers to it. The first ones of several widths of
 * "always" have a button of their own.
 */
export function permissionOptions(question: Question, view: AskedView): readonly WireOption[] {
  const { page, others = NO_OTHERS } = view;
  const own = question.options.map(({ optionId, name, kind }) => ({ optionId, name, kind }));
  const more = showMoreOptions(question, page);
  const surplus = Math.max(0, own.length + more.length - MAX_OPTIONS);
  const further = own.filter(({ kind }) => kind === "allow_always").slice(1);
  const left = new Set(surplus === 0 ? [] : further.slice(-surplus));
  const shown = own.filter((option) => !left.has(option));
  if (view.isMore) {
    const ids = shown.map(({ optionId }) => optionId);
    return moreOptions(question, others, ids);
  }
  return [...shown, ...more, ...(left.size > 0 || hasMore(question, others) ? [TO_MORE_ANSWERS] : [])];
}

const TO_MORE_ANSWERS = {
  optionId: MORE_ANSWERS,
  name: "More answers: for a time, for all alike",
  kind: "reject_once",
} as const;

/** Whether there are more answers than the question's own. They are made when they are shown. */
const hasMore = ({ options }: Question, others: OtherQuestions): boolean =>
  options.some(({ kind, grant }) => kind === "allow_always" && grant) ||
  (others.open > 0 && options.some(({ kind }) => kind === "allow_once" || kind === "reject_once"));

/** The option, while there is more to show. Its kind is a no, since a client may choose by the kind. */
function showMoreOptions(question: Question, shown: QuestionPage | undefined) {
  const { page, pages } = shown ?? { page: 0, pages: 0 };
  const hidden = hiddenCharacters(question);
  if (hidden === 0 || (shown && page >= pages)) return [];
  const name = shown
    ? `Show page ${page + 1} of ${pages}, and ask again`
    : `Show all of it (${pluralize(hidden, "character")} more), and ask again`;
  return [{ optionId: SHOW_MORE, name, kind: "reject_once" as const }];
}

/** The view that the client's answer leads to; undefined when it answers the question. */
export function nextView(result: unknown, question: Question, shown: AskedView): AskedView | undefined {
  const optionId = selectedOption(result);
  if (optionId === MORE_ANSWERS || optionId === BACK)
    return { isMore: optionId === MORE_ANSWERS, page: shown.page };
  const isPage = optionId === SHOW_MORE && !shown.isMore && showMoreOptions(question, shown.page).length > 0;
  const page = isPage ? questionPage(question, (shown.page?.page ?? 0) + 1) : undefined;
  return page && { page };
}

export function selectedOption(result: unknown): unknown {
  const outcome = isJsonObject(result) ? result["outcome"] : undefined;
  return isJsonObject(outcome) && outcome["outcome"] === "selected" ? outcome["optionId"] : undefined;
}

/** Why it is asked and what it would do: the short form, or a page of the whole. */
export function questionLines(question: Question, { page: shown }: AskedView): string {
  const { about = [], reason, widths = [] } = question;
  if (shown) return `Page ${shown.page} of ${shown.pages}\n${shown.text}`;
  const examples = widths.find(({ effect }) => effect === "allow")?.examples ?? [];
  return [
    ...about.map(ahead),
    ...(about.length === 0 && reason === undefined ? [] : [`Asked because ${whyAsked(reason)}.`]),
    ...(examples.length === 0
      ? []
      : [`"Always" also lets through: ${examples.map((one) => visibleText(one)).join("; ")}`]),
  ].join("\n");
}

/** The lines of a question that name an effect, by their labels: nothing has happened yet. */
const AHEAD: ReadonlyMap<string, string> = new Map([
  ["read", "Will read"],
  ["search", "Will search"],
  ["write", "Will write"],
  ["delete", "Will delete"],
  ["move", "Will move"],
  ["runs", "Will run:"],
  ["runs in", "Will run in"],
  ["sets", "Will set"],
  ["host", "Will reach"],
]);

function ahead(line: string): string {
  const end = line.indexOf(": ");
  const words = AHEAD.get(line.slice(0, Math.max(0, end)));
  return words === undefined ? line : `${words} ${line.slice(end + 2)}`;
}

const whyAsked = (reason: string | undefined): string =>
  reason === undefined ? "no rule allows it" : visibleText(reason.replace(/\.+$/, ""));
