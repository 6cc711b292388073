/** Ready-made `Ask` functions for running without a person: one answer to all questions. */
import type { Ask } from "./wait-for-answers.js";

/** Allows, once, everything that rules leave open. A denial by a rule stays a denial. */
export const allowAll: Ask = (question) => {
  const option = question.options.find(({ kind }) => kind === "allow_once");
  return Promise.resolve(
    option
      ? { outcome: { type: "selected", optionId: option.optionId }, by: "rule", rule: "allow all questions" }
      : refused("the question has no option to allow it once"),
  );
};

export const denyAll: Ask = () => Promise.resolve(refused("every question is answered with no"));

function refused(reason: string): Awaited<ReturnType<Ask>> {
  return { outcome: { type: "refused" }, by: "rule", rule: "deny all questions", reason };
}

const SETTLED_ELSEWHERE = new Error("it was settled elsewhere");

/** Shows nothing: another part shows the turn's questions, and this call only waits for the recorded answer. */
export const answeredElsewhere: Ask = (_question, signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(SETTLED_ELSEWHERE), { once: true });
  });

/** There is nobody: every question is refused. */
export const nobody: Ask = () =>
  Promise.resolve({
    outcome: { type: "refused" },
    by: "rule",
    who: "Toolgate",
    reason: "there is nobody to ask",
  });
