/** One question, read from the server and again with each change of it: in the inbox, or in the card of its call. */
import type { ComponentChildren } from "preact";
import type { QuestionDetail } from "toolgate/serve/client";
import { live } from "../live.js";
import { Loading } from "../parts/controls.js";
import { NotRead } from "../parts/not-read.js";
import { useStore } from "../store.js";
import { useLoaded } from "../use-loaded.js";
import { readQuestion } from "./question-ahead.js";

type OpenQuestionProps = {
  readonly questionId: string;
  readonly children: (question: QuestionDetail, reload: () => void) => ComponentChildren;
};

export function OpenQuestion({ questionId, children }: OpenQuestionProps) {
  // A change of the question, or a new connection, makes it read again.
  const row = useStore(live, ({ questions }) => questions?.find((one) => one.questionId === questionId));
  const connections = useStore(live, (state) => state.connections);
  const { data, error, reload } = useLoaded(() => readQuestion(questionId), [questionId, row, connections]);
  if (!data)
    return (
      <section class="q-view">
        {error === undefined ? (
          <Loading what="the question" />
        ) : (
          <NotRead what="question" error={error} onRetry={reload}>
            <p>
              <a href="/inbox">Back to the inbox</a>
            </p>
          </NotRead>
        )}
      </section>
    );
  // The stream is newer than what was read before it.
  const question = row
    ? {
        ...data,
        state: row.state,
        isAnswerable: row.isAnswerable,
        liveness: row.liveness,
        isAged: row.isAged,
      }
    : data;
  return <>{children(question, reload)}</>;
}
