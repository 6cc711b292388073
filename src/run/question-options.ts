/**
 * The answers that a question offers: once, and each "always" and "never" with the exact rules that it would store.
 * Where no rule would say just what was asked, or another rule would ask all the same, there is no "always".
 */
import { hash } from "node:crypto";
import { homedir } from "node:os";
import type { OfferedWidth, Question, QuestionOption } from "../call/index.js";
import { grantSentence, proposeDenials, proposeGrants } from "../policy/index.js";
import type { Intent, Proposal, Rule, RuleEffect } from "../policy/index.js";
import { repositoryOf } from "./repository-of.js";

export type OfferedAnswers = {
  readonly intent: Intent;
  readonly roots: readonly string[];
  /** Whether the runner of a call names it, so that a yes would be for the name alone. */
  readonly isNamedByRunner: boolean;
  /** The verdict with these rules added. */
  readonly judge: (intent: Intent, rules: readonly Rule[]) => RuleEffect;
};

const ALLOW_ONCE = { optionId: "allow_once", name: "Allow once", kind: "allow_once" } as const;
const REJECT_ONCE = { optionId: "reject_once", name: "Reject", kind: "reject_once" } as const;

/** The options of a question whose answer cannot be stored. */
export const ONCE_OPTIONS: readonly QuestionOption[] = [ALLOW_ONCE, REJECT_ONCE];

export function questionOptions(offered: OfferedAnswers): Pick<Question, "options" | "widths" | "likeness"> {
  const allowing = allowingWidths(offered);
  const refusing = refusingWidths(offered);
  const [first, ...others] = allowing;
  const exact = others.find(({ width }) => width === "exact");
  const [never] = refusing;
  const widths = [...allowing, ...refusing];
  return {
    options: [
      ALLOW_ONCE,
      ...(first ? [always("allow_always", first, "project"), always("allow_session", first, "session")] : []),
      ...(exact ? [always("allow_exact", exact, "project")] : []),
      REJECT_ONCE,
      ...(never ? [always("reject_always", never, "project")] : []),
    ],
    ...(widths.length > 0 && { widths }),
    ...(first && { likeness: likenessOf(offered.intent, first) }),
  };
}

function allowingWidths({ intent, roots, isNamedByRunner, judge }: OfferedAnswers): readonly OfferedWidth[] {
  if (isNamedByRunner) return [];
  const places = { home: homedir(), roots, judge, folderOf: repositoryOf };
  return proposeGrants(intent, places, "project").map((proposal) => offeredWidth("allow", proposal));
}

function refusingWidths({ intent, roots, judge }: OfferedAnswers): readonly OfferedWidth[] {
  return proposeDenials(intent, { home: homedir(), roots }, "project")
    .filter(({ rules }) => judge(intent, rules) === "deny")
    .map((proposal) => offeredWidth("deny", proposal));
}

function offeredWidth(
  effect: OfferedWidth["effect"],
  { width, rules, subject, lines, sentence, examples }: Proposal,
): OfferedWidth {
  return { effect, width, rules, subject, lines, sentence, examples };
}

type AlwaysId = "allow_always" | "allow_session" | "allow_exact" | "reject_always";

function always(
  optionId: AlwaysId,
  { effect, width, rules, subject }: OfferedWidth,
  scope: "session" | "project",
): QuestionOption {
  const sentence = grantSentence(effect, subject, scope);
  const kind = effect === "allow" ? "allow_always" : "reject_always";
  return { optionId, name: sentence, kind, grant: { sentence, rules, scope, width } };
}

/** Questions of the same tool that the same widest rules would allow are alike. */
const likenessOf = ({ tool, server = "" }: Intent, { rules }: OfferedWidth): string =>
  hash("sha256", JSON.stringify([tool, server, rules])).slice(0, 16);
