/**
 * Answers that one button more leads to: an "always" that ends by itself, the widths that found no room among the
 * buttons, and one answer for all open questions. They are shown in a second request, which goes back or answers.
 *
 * The way there (show-more.ts) and back is of a refusing kind, since a client may choose by the kind.
 */
import { pluralize } from "../call/index.js";
import type { GrantExpiry, Question, QuestionOption, SelectedOption } from "../call/index.js";

/** The other open questions of the session: those of the same likeness, and all of them. */
export type OtherQuestions = { readonly alike: number; readonly open: number };

export type WireOption = Pick<QuestionOption, "optionId" | "name" | "kind">;

export type MoreAnswer = {
  readonly outcome: SelectedOption;
  /** The other open questions that get the same answer. */
  readonly forOthers?: "alike" | "open";
};

export const BACK = "toolgate_back";

const EXPIRIES: readonly (readonly [Exclude<GrantExpiry, "none">, string])[] = [
  ["hour", "for one hour"],
  ["today", "until midnight"],
  ["month", "for 30 days"],
];

/** `shown`: the options that have a button of their own. */
export function moreOptions(
  question: Question,
  others: OtherQuestions,
  shown: readonly string[],
): readonly WireOption[] {
  const answers = moreAnswers(question, others, shown).map(([option]) => option);
  return [...answers, { optionId: BACK, name: "Back to the question", kind: "reject_once" }];
}

/** The answer that was chosen among these; undefined when it is one of the question's own. */
export function moreAnswer(
  optionId: unknown,
  question: Question,
  others: OtherQuestions,
): MoreAnswer | undefined {
  return moreAnswers(question, others, []).find(([option]) => option.optionId === optionId)?.[1];
}

type Answers = readonly (readonly [WireOption, MoreAnswer])[];

function moreAnswers(question: Question, others: OtherQuestions, shown: readonly string[]): Answers {
  const { options } = question;
  const always = options.find(({ kind, grant }) => kind === "allow_always" && grant);
  const further = options.filter(
    ({ kind, optionId }) => kind === "allow_always" && !shown.includes(optionId),
  );
  return [
    ...(shown.length === 0 ? [] : further).map(
      (option) => [wireOption(option), { outcome: select(option) }] as const,
    ),
    ...(always ? EXPIRIES.map(([expires, words]) => untilThen(always, expires, words)) : []),
    ...(others.alike < others.open ? forOthers(options, "allow_once", others, "alike") : []),
    ...forOthers(options, "allow_once", others, "open"),
    ...forOthers(options, "reject_once", others, "open"),
  ];
}

const wireOption = ({ optionId, name, kind }: QuestionOption): WireOption => ({ optionId, name, kind });

const select = ({ optionId }: QuestionOption): SelectedOption => ({ type: "selected", optionId });

const untilThen = (always: QuestionOption, expires: GrantExpiry, words: string) =>
  [
    {
      ...wireOption(always),
      optionId: `toolgate_${always.optionId}_${expires}`,
      name: `${always.name}, ${words}`,
    },
    { outcome: { ...select(always), expires } },
  ] as const;

function forOthers(
  options: readonly QuestionOption[],
  kind: "allow_once" | "reject_once",
  others: OtherQuestions,
  which: "alike" | "open",
): Answers {
  const option = options.find((one) => one.kind === kind);
  const count = others[which];
  if (!option || count === 0) return [];
  const words =
    which === "alike"
      ? `${pluralize(count, "open question")} like it`
      : pluralize(count, "other open question");
  const name = `${option.name}, and ${words}`;
  return [
    [
      { optionId: `toolgate_${option.optionId}_${which}`, name, kind },
      { outcome: select(option), forOthers: which },
    ],
  ];
}
