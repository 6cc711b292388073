/** Why the question is asked, which rule asks, and what was answered before. */
import type { QuestionDetail } from "toolgate/serve/client";
import { Visible } from "../parts/visible.js";
import { counted, sentence, shortDate } from "../words.js";

const SOURCES: Readonly<Record<string, string>> = {
  user: "your rules",
  project: "the project's rules",
  grant: "an earlier answer of yours",
  mode: "the mode",
  unknown: "an unknown place",
};

export function Why({ question }: { readonly question: QuestionDetail }) {
  const { reason, rule, mode, notContained, before } = question.why;
  const tryPath =
    question.what.command &&
    `/rules?${new URLSearchParams({ command: question.what.command.text }).toString()}`;
  return (
    <section class="sec" aria-labelledby="why">
      <h2 id="why">Why you are asked</h2>
      <p class="anywhere">
        <Visible text={sentence(reason)} />
        {notContained !== undefined && (
          <>
            {" "}
            <b>Not contained:</b> <Visible text={sentence(notContained)} />
          </>
        )}
      </p>
      <dl class="kv">
        <dt>Decided by</dt>
        <dd>
          {rule ? (
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
          {tryPath !== undefined && (
            <>
              . <a href={tryPath}>Try it in Rules</a>
            </>
          )}
        </dd>
        <dt>Before</dt>
        <dd>{beforeWords(before)}</dd>
      </dl>
    </section>
  );
}

function beforeWords({ allowed, refused, since }: QuestionDetail["why"]["before"]): string {
  if (allowed + refused === 0) return "You were never asked about this.";
  const from = since === undefined ? "" : ` since ${shortDate(since)}`;
  if (refused === 0) return `You allowed this ${counted(allowed, "time")}${from} and never refused it.`;
  if (allowed === 0) return `You refused this ${counted(refused, "time")}${from} and never allowed it.`;
  return `You allowed this ${counted(allowed, "time")} and refused it ${counted(refused, "time")}${from}.`;
}
