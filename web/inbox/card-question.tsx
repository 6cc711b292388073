/** The question of a call inside its card: the same as in the inbox, with all answers, below the card's own heading. */
import { useEffect, useRef } from "preact/hooks";
import type { QuestionDetail } from "toolgate/serve/client";
import { live } from "../live.js";
import type { LiveState } from "../live-state.js";
import { questionPath } from "../route.js";
import { useStore } from "../store.js";
import { OpenQuestion } from "./open-question.js";
import { AgentWords, QuestionBody, Standing } from "./question-view.js";

export function CardQuestion({ questionId }: { readonly questionId: string }) {
  return (
    <OpenQuestion questionId={questionId}>
      {(question, reload) => <InCard question={question} reload={reload} />}
    </OpenQuestion>
  );
}

type InCardProps = { readonly question: QuestionDetail; readonly reload: () => void };

function InCard({ question, reload }: InCardProps) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    // The card has grown: bring it into view where somebody looks at it.
    const card = place.current?.closest<HTMLElement>("[data-call]");
    const top = card?.getBoundingClientRect().top ?? -1;
    if (top >= 0 && top < innerHeight) card?.scrollIntoView({ block: "nearest" });
  }, []);
  // The answer to one card's question moves the others: a double click must not answer two of them.
  const beside = useStore(live, ({ questions }) => openIds(questions, question.sessionId));
  // Several cards may ask: letters answer the one that has the focus.
  const isAlone = !beside.includes(" ");
  const hasFocus = (): boolean =>
    place.current?.closest("[data-call]")?.contains(document.activeElement) === true;
  const areButtonsInSight = (): boolean => {
    const buttons = place.current?.querySelector(".acts");
    const flow = place.current?.closest(".flow");
    return buttons && flow ? isInside(buttons.getBoundingClientRect(), flow.getBoundingClientRect()) : false;
  };
  return (
    <section class={isAlone ? "q-view in-card alone" : "q-view in-card"} aria-label="Question" ref={place}>
      <div class="stack">
        <AgentWords {...question} />
        <Standing question={question} />
      </div>
      <QuestionBody
        question={question}
        onEnd={(isTaken) => !isTaken && reload()}
        areKeysOn={() => hasFocus() || (isAlone && areButtonsInSight())}
        beside={beside}
      />
      <a class="xs" href={questionPath(question.questionId)}>
        Answer in Inbox
      </a>
    </section>
  );
}

const openIds = (questions: LiveState["questions"], sessionId: string): string =>
  (questions ?? [])
    .flatMap((one) => (one.sessionId === sessionId && one.isAnswerable ? [one.questionId] : []))
    .join(" ");

const isInside = (inner: DOMRect, outer: DOMRect): boolean =>
  inner.top >= outer.top && inner.bottom <= outer.bottom + 1;
