/** The inbox in the order in which it is shown: days of old questions, the present ones, those that are over. */
import type { InboxQuestion } from "toolgate/serve/client";
import { dayName } from "../words.js";

/** Questions that may be answered together stand together. */
export type QuestionCluster = {
  readonly likeness: string | undefined;
  readonly questions: readonly InboxQuestion[];
};

export type InboxGroup = {
  readonly name: string;
  readonly type: "aged" | "now" | "over";
  readonly clusters: readonly QuestionCluster[];
};

const WEEK_MS = 7 * 86_400_000;

export function inboxGroups(questions: readonly InboxQuestion[], now: number): readonly InboxGroup[] {
  const open = questions.filter(({ isAnswerable }) => isAnswerable);
  const aged = new Map<string, InboxQuestion[]>();
  for (const question of open.filter(({ isAged }) => isAged)) {
    const name = since(question.askedAt, now);
    aged.set(name, [...(aged.get(name) ?? []), question]);
  }
  const present = open.filter(({ isAged }) => !isAged);
  const over = questions.filter(({ isAnswerable }) => !isAnswerable).toReversed();
  return [
    ...[...aged].map(([name, days]) => ({ name, type: "aged" as const, clusters: clusters(days) })),
    ...(present.length > 0 ? [{ name: "Now", type: "now" as const, clusters: clusters(present) }] : []),
    ...(over.length > 0
      ? [{ name: "No longer answerable", type: "over" as const, clusters: over.map(alone) }]
      : []),
  ];
}

function since(askedAt: number, now: number): string {
  if (new Date(askedAt).toDateString() === new Date(now).toDateString()) return "Waits since earlier today";
  return `Waits since ${now - askedAt < WEEK_MS ? (dayName(askedAt).split(" ")[0] ?? "") : dayName(askedAt)}`;
}

const alone = (question: InboxQuestion): QuestionCluster => ({ likeness: undefined, questions: [question] });

/** As the server takes them together: of one folder. */
export const areAlike = (one: InboxQuestion, other: InboxQuestion): boolean =>
  one.likeness !== undefined &&
  one.likeness === other.likeness &&
  (one.sessionId === other.sessionId || (one.folder !== undefined && one.folder === other.folder));

/** A cluster stands where its first question does. */
function clusters(questions: readonly InboxQuestion[]): readonly QuestionCluster[] {
  const made: { likeness: string | undefined; questions: InboxQuestion[] }[] = [];
  for (const question of questions) {
    const { likeness } = question;
    const same = made.find((one) => one.questions[0] && areAlike(one.questions[0], question));
    if (same) same.questions.push(question);
    else made.push({ likeness, questions: [question] });
  }
  return made;
}

/** All questions from top to bottom. */
const inOrder = (groups: readonly InboxGroup[]): readonly InboxQuestion[] =>
  groups.flatMap((group) => group.clusters.flatMap((cluster) => cluster.questions));

/** The one below the given question, else the one above; undefined when there is no other. */
export function neighbour(
  groups: readonly InboxGroup[],
  questionId: string | undefined,
  step: 1 | -1,
): InboxQuestion | undefined {
  const all = inOrder(groups);
  const at = all.findIndex((question) => question.questionId === questionId);
  return at === -1 ? all[0] : all[at + step];
}

/** The next question that can be answered, after the given one or from the top. */
export function nextAnswerable(
  groups: readonly InboxGroup[],
  questionId: string | undefined,
): InboxQuestion | undefined {
  const all = inOrder(groups);
  const at = all.findIndex((question) => question.questionId === questionId);
  const isNext = (question: InboxQuestion): boolean =>
    question.isAnswerable && question.questionId !== questionId;
  return all.slice(at + 1).find(isNext) ?? all.find(isNext);
}
