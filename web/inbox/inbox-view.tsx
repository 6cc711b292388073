/** Every question of every agent. The chosen one stands in the address and stays until it is answered or left. */
import { useEffect, useState } from "preact/hooks";
import type { InboxQuestion } from "toolgate/serve/client";
import { useNow } from "../clock.js";
import { useKeys } from "../keys.js";
import { live } from "../live.js";
import { answerableIn } from "../live-state.js";
import { Empty, Loading } from "../parts/controls.js";
import { Visible } from "../parts/visible.js";
import { goTo, questionPath, sessionPath } from "../route.js";
import { useStore } from "../store.js";
import { useMedia } from "../use-media.js";
import { DemoOffer } from "../session/demo-offer.js";
import { AlikeView } from "./alike-view.js";
import { areAlike, inboxGroups, neighbour, nextAnswerable } from "./inbox-groups.js";
import { OpenQuestion } from "./open-question.js";
import { QuestionList } from "./question-list.js";
import { QuestionView } from "./question-view.js";

type InboxProps = { readonly questionId: string | undefined; readonly isAlike: boolean };

/** Groups change with the hour, not with the second. */
const MINUTE_MS = 60_000;

export function InboxView({ questionId: named, isAlike }: InboxProps) {
  const all = useStore(live, (state) => state.questions);
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set());
  const [answered, setAnswered] = useState<string>();
  const now = Math.floor(useNow() / MINUTE_MS) * MINUTE_MS;
  const isWide = useMedia("(min-width: 1100px)");
  const questions = (all ?? []).filter((question) => !removed.has(question.questionId));
  const groups = inboxGroups(questions, now);
  const answerable = answerableIn(questions);
  const first = nextAnswerable(groups, undefined);

  // On a desk there is always one to look at; the address follows.
  const isOpened = isWide && first !== undefined && first.questionId !== answered;
  const questionId = named ?? (isOpened ? first.questionId : undefined);
  useEffect(() => {
    if (named === undefined && questionId !== undefined) goTo(questionPath(questionId), { isReplaced: true });
  }, [named, questionId]);

  const move = (step: 1 | -1): void => {
    const next = neighbour(groups, questionId, step);
    if (next) goTo(questionPath(next.questionId));
  };
  const goOn = (): void => {
    setAnswered(questionId);
    const next = nextAnswerable(groups, questionId);
    if (next && isWide) goTo(questionPath(next.questionId));
    else goTo("/inbox");
  };
  const remove = (): void => {
    if (questionId !== undefined) setRemoved(new Set([...removed, questionId]));
    goOn();
  };
  const chosen = questions.find((question) => question.questionId === questionId);
  const cluster = questions.filter(
    (question) => question.isAnswerable && chosen !== undefined && areAlike(chosen, question),
  );
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    arrowdown: () => move(1),
    arrowup: () => move(-1),
    l: () => {
      if (chosen && cluster.length > 1) goTo(`${questionPath(chosen.questionId)}${isAlike ? "" : "?alike"}`);
    },
    escape: () => goTo("/inbox"),
  });

  if (all === undefined) return <Loading what="the questions" />;
  if (questions.length === 0 && questionId === undefined) return <NothingWaits />;
  return (
    <div class={questionId === undefined ? "inbox" : "inbox chosen"}>
      <QuestionList groups={groups} answerable={answerable} chosenId={questionId} isAlike={isAlike} />
      {questionId === undefined ? (
        <section class="q-view">
          <NothingMore question={questions.find((one) => one.questionId === answered)} />
        </section>
      ) : isAlike && cluster.length > 1 ? (
        <AlikeView questionIds={cluster.map((question) => question.questionId)} onEnd={goOn} />
      ) : (
        <OpenQuestion key={questionId} questionId={questionId}>
          {(question, reload) => (
            <QuestionView
              question={question}
              answerable={answerable}
              onEnd={(isTaken) => (isTaken ? goOn() : reload())}
              onSkip={() => move(1)}
              onRemove={remove}
            />
          )}
        </OpenQuestion>
      )}
    </div>
  );
}

/** After the last answer: back to the session that it was for. */
function NothingMore({ question }: { readonly question: InboxQuestion | undefined }) {
  return (
    <Empty icon="inbox" title="Nothing waits for you">
      <p>A question appears here as soon as an agent needs your answer.</p>
      {question && (
        <a class="btn" href={sessionPath(question.sessionId, question.toolCallId)}>
          <span class="cut">
            Open “<Visible text={question.sessionTitle} isOneLine />”
          </span>
        </a>
      )}
      {!question && <DemoOffer isShort />}
    </Empty>
  );
}

function NothingWaits() {
  return (
    <div class="scroll">
      <Empty icon="inbox" title="Nothing waits for you">
        <p>
          Every question of every agent comes here: from editors, terminals, apps and agents that Toolgate
          drives.
        </p>
        <DemoOffer />
      </Empty>
    </div>
  );
}
