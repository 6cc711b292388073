/** Why the question is asked, which rule asks, and what was answered before. */
import { useId } from "preact/hooks";
import type { EarlierAnswers, QuestionDetail } from "toolgate/serve/client";
import { api, errorText } from "../api.js";
import { useShortPaths } from "../parts/folder.js";
import { Visible } from "../parts/visible.js";
import { useLoaded } from "../use-loaded.js";
import { counted, grouped, sentence, shortDate } from "../words.js";

const SOURCES: Readonly<Record<string, string>> = {
  user: "your rules",
  project: "the project's rules",
  grant: "an earlier answer of yours",
  mode: "the mode",
  unknown: "an unknown place",
};

type WhyProps = {
  readonly question: QuestionDetail;
  /** A link with a key reads the question alone. */
  readonly isLinked?: boolean;
};

export function Why({ question, isLinked = false }: WhyProps) {
  const { reason, rule, mode, notContained } = question.why;
  const id = useId();
  const inProject = useShortPaths();
  const tryPath =
    question.what.command &&
    `/rules?${new URLSearchParams({
      command: question.what.command.text,
      ...(question.folder !== undefined && { folder: question.folder }),
    }).toString()}`;
  return (
    <section class="sec" aria-labelledby={id}>
      <h2 id={id}>Why you are asked</h2>
      <p class="anywhere">
        <Visible text={inProject(sentence(reason, question.what.command?.text))} />
        {notContained !== undefined && (
          <>
            {" "}
            <b>Not contained:</b> <Visible text={notContained} />.
          </>
        )}
      </p>
      <dl class="kv">
        <dt>Decided by</dt>
        <dd>
          {rule && rule.isOfThisAnswer !== true ? (
            <>
              <code>
                <Visible text={rule.text} isOneLine />
              </code>{" "}
              of {SOURCES[rule.from] ?? rule.from}
              {rule.file !== undefined && (
                <>
                  , <code>{rule.file}</code>
                </>
              )}
            </>
          ) : (
            <>{mode === undefined ? "no rule of yours" : `mode ${mode}, no rule of yours`}</>
          )}
          {rule?.isOfThisAnswer === true && (
            <>
              . The answer to this question then made the rule{" "}
              <code>
                <Visible text={rule.text} isOneLine />
              </code>
            </>
          )}
          {tryPath !== undefined && (
            <>
              . <a href={tryPath}>Try it in Rules</a>
            </>
          )}
        </dd>
        {!isLinked && (
          <>
            <dt>Before</dt>
            <dd>
              <Before question={question} />
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

function Before({ question: { questionId, title } }: { readonly question: QuestionDetail }) {
  const { data, error } = useLoaded(() => api.earlierAnswers(questionId), [questionId]);
  if (data) return <Visible text={beforeWords(data, title)} isOneLine />;
  return <span class="faint">{error === undefined ? "Looking …" : errorText(error)}</span>;
}

/** The title says what was answered: an edit of this file, not this very edit. */
function beforeWords({ allowed, refused, since, lastCalls }: EarlierAnswers, title: string): string {
  if (allowed + refused === 0)
    return lastCalls === undefined
      ? "You answered no call like this before."
      : `You answered no call like this among the last ${grouped(lastCalls)}.`;
  const from = since === undefined ? "" : ` since ${shortDate(since)}`;
  const call = `“${title}”`;
  if (refused === 0) return `You allowed ${call} ${counted(allowed, "time")}${from} and never refused it.`;
  if (allowed === 0) return `You refused ${call} ${counted(refused, "time")}${from} and never allowed it.`;
  return `You allowed ${call} ${counted(allowed, "time")} and refused it ${counted(refused, "time")}${from}.`;
}
