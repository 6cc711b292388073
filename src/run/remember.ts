/** Storing what an "always" says. */
import type { Answer, Question } from "../call/index.js";
import type { Proposal, Rule } from "../policy/index.js";

/** `grantId` is the question's, so that an answer which is taken up twice is stored once. */
export type RememberedGrant = Proposal & {
  readonly grantId: string;
  readonly scope: "session" | "project" | "user";
  readonly expiresAt?: number;
};

/** Returns when the rules hold. Throws when they could not be stored. */
export type Remember = (grant: RememberedGrant) => Promise<void>;

/** Whether it was an "always" and is stored. One that cannot be stored is a yes or no for this once. */
export async function storeAlways(
  remember: Remember | undefined,
  { questionId, options }: Question,
  { outcome, input }: Answer,
): Promise<boolean> {
  const chosen = outcome.type === "selected" ? outcome.optionId : undefined;
  const grant = options.find(({ optionId }) => optionId === chosen)?.grant;
  // The offered rule does not cover a changed input.
  if (!remember || !grant || input !== undefined) return false;
  const { sentence, rules, scope, expiresAt } = grant;
  try {
    await remember({
      grantId: questionId,
      sentence,
      // We wrote them into the question ourselves.
      rules: rules as unknown as readonly Rule[],
      scope,
      ...(expiresAt !== undefined && { expiresAt }),
    });
    return true;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    process.emitWarning(`"${sentence}" could not be stored, and holds for this once only: ${why}`);
    return false;
  }
}
