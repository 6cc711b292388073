/** Questions that are alike, below each other, with one answer for those that are ticked. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { QuestionDetail } from "toolgate/serve/client";
import { api } from "../api.js";
import { useNow } from "../clock.js";
import type { MarkedPiece } from "../code/word-marks.js";
import { useKeys } from "../keys.js";
import { live, me } from "../live.js";
import { Loading, Note } from "../parts/controls.js";
import { Icon } from "../parts/icon.js";
import { Visible } from "../parts/visible.js";
import { questionPath } from "../route.js";
import { useLoaded } from "../use-loaded.js";
import { useStore } from "../store.js";
import { useIsPhone } from "../use-media.js";
import { counted, longTime, sentence, shortTime } from "../words.js";
import { canReach, FIRST_CHOICE, yesRequest, type Choice, type Reach } from "./choice.js";
import { useGuard } from "./guard.js";
import { markedSubjects } from "./marked-subjects.js";
import { ReasonForm, type NoChoice } from "./no-form.js";
import { asker } from "./question-list.js";
import { ReachChoice } from "./reach-choice.js";
import { useAnswer } from "./use-answer.js";
import { Why } from "./why.js";

type AlikeProps = { readonly questionIds: readonly string[]; readonly onEnd: (isTaken: boolean) => void };

export function AlikeView({ questionIds, onEnd }: AlikeProps) {
  const ids = questionIds.join(" ");
  const { data } = useLoaded(() => Promise.all(questionIds.map((id) => api.question(id))), [ids]);
  const [first] = data ?? [];
  if (!data || !first) return <Loading what="the questions" />;
  return <Alike questions={data} first={first} onEnd={onEnd} />;
}

const subjectOf = ({ what, subject }: QuestionDetail): string => what.command?.text ?? subject;

type LoadedProps = {
  readonly questions: readonly QuestionDetail[];
  readonly first: QuestionDetail;
  readonly onEnd: (isTaken: boolean) => void;
};

function Alike({ questions, first, onEnd }: LoadedProps) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [choice, setChoice] = useState<Choice>(FIRST_CHOICE);
  const [no, setNo] = useState<NoChoice>();
  const [isMore, setMore] = useState(false);
  const isPhone = useIsPhone();
  const now = useNow();
  const guard = useGuard(questions.map(({ intentHash, state }) => intentHash + state.status).join(" "));
  const isLost = useStore(live, ({ connection }) => connection.type === "lost");
  const role = useStore(me, (self) => self?.device.role);
  const { isSending, send } = useAnswer(onEnd);
  const chosen = questions.filter(({ questionId, isAnswerable }) => isAnswerable && !left.has(questionId));
  const [main] = chosen;
  const count = chosen.length;
  const canAnswer = !isLost && !isSending && role !== "watch" && count > 0;
  const alike = chosen.slice(1).map(({ questionId }) => questionId);
  const allow = (reach: Reach): void => {
    if (!main || !canAnswer || !guard.takes() || !canReach(main, reach, role)) return;
    void send(main.questionId, { ...yesRequest(main, { ...choice, reach }), alike });
  };
  const refuse = (reason = ""): void => {
    if (!main || !canAnswer || !guard.takes()) return;
    void send(main.questionId, { reply: "no", alike, ...(reason !== "" && { reason }) });
  };
  const reach = (wanted: Reach): void => {
    if (canReach(first, wanted, role)) setChoice({ ...choice, reach: wanted });
  };
  useKeys({
    "shift+y": () => allow("once"),
    "shift+n": () => refuse(),
    s: () => reach("session"),
    a: () => reach("always"),
    "ctrl+enter": () => (no ? refuse(no.reason.trim()) : allow(choice.reach)),
    r: () => setNo({ reason: "", width: undefined }),
    ...(no && { escape: () => setNo(undefined) }),
    // Keys of a single question must not answer all of them.
    y: () => undefined,
    n: () => undefined,
  });
  const marks = useMemo(() => markedSubjects(questions.map(subjectOf)), [questions]);
  useEffect(() => {
    if (document.activeElement?.closest(".acts") && document.activeElement instanceof HTMLElement)
      document.activeElement.blur();
  }, []);
  const toggle = (questionId: string): void => {
    const next = new Set(left);
    if (!next.delete(questionId)) next.add(questionId);
    setLeft(next);
  };
  const longest = Math.min(...questions.map(({ askedAt }) => askedAt));
  return (
    <section class="q-view" aria-label="Questions that are alike">
      <header class="q-head">
        <div class="row wrap">
          <a class="btn small back" href="/inbox">
            <Icon name="back" />
            Inbox
          </a>
          <span class="st st-waiting pill">
            <Icon name="waiting" />
            {questions.length} wait, longest {longTime(now - longest)}
          </span>
          <span class="faint xs">
            <Visible text={asker(first)} isOneLine />
          </span>
        </div>
        <h1>Answer {questions.length} alike at once</h1>
        <p class="soft">Same kind of call, same reason. Only the marked words differ.</p>
      </header>
      <div class="q-body">
        <div class="q-what" tabIndex={0} role="region" aria-label="What will happen">
          <section class="sec">
            <h2>
              What will happen, {counted(questions.length, "time")}{" "}
              <span class="end">Whole, {hiddenWords(questions)}</span>
            </h2>
            <ol class="parts alike">
              {questions.map((question, index) => (
                <li key={question.questionId} class="part">
                  <label class="opt">
                    <input
                      type="checkbox"
                      checked={!left.has(question.questionId)}
                      onChange={() => toggle(question.questionId)}
                    />
                    <code>
                      <Marked pieces={marks[index] ?? []} />
                    </code>
                    <span class="faint xs nw">{shortTime(now - question.askedAt)}</span>
                  </label>
                  <p class="soft ind">
                    <Visible text={effectsOf(question)} />{" "}
                    <a href={questionPath(question.questionId)}>Look at it alone</a>
                  </p>
                </li>
              ))}
            </ol>
          </section>
          <Why question={first} />
        </div>
        <aside class={isMore || no ? "q-answer more" : "q-answer"} aria-label="Your answer">
          <div class="opts">
            <h2>Your answer for all {count}</h2>
            {no ? (
              <ReasonForm choice={no} onChange={setNo} agent={first.agent} />
            ) : (
              <ReachChoice question={first} choice={choice} onChoose={setChoice} count={count} />
            )}
            <Note icon="branch">
              Each call is recorded with its own answer. If one was answered or withdrawn meanwhile, it is
              left out and named.
            </Note>
          </div>
          <div class="acts" data-inert={guard.isInert ? "" : undefined}>
            {no ? (
              <>
                <button
                  type="button"
                  class="btn"
                  disabled={!canAnswer}
                  onClick={() => refuse(no.reason.trim())}
                >
                  <Icon name="refused" /> No to all {count}, with this reason <kbd>Ctrl ⏎</kbd>
                </button>
                <button type="button" class="btn mid" onClick={() => setNo(undefined)}>
                  Back, no answer yet <kbd>Esc</kbd>
                </button>
              </>
            ) : (
              <>
                {choice.reach !== "once" && (
                  <button
                    type="button"
                    class="btn main"
                    disabled={!canAnswer}
                    onClick={() => allow(choice.reach)}
                  >
                    Allow all {count} {choice.reach === "session" ? "this session" : "always"}{" "}
                    <kbd>Ctrl ⏎</kbd>
                  </button>
                )}
                <button
                  type="button"
                  class={choice.reach === "once" ? "btn main" : "btn"}
                  disabled={!canAnswer}
                  onClick={() => allow("once")}
                >
                  Allow all {count} once <kbd>⇧ Y</kbd>
                </button>
                {isPhone && !isMore && (
                  <button type="button" class="btn mid" onClick={() => setMore(true)}>
                    This session, always… <Icon name="down" />
                  </button>
                )}
                <div class="pair away">
                  <button type="button" class="btn" disabled={!canAnswer} onClick={() => refuse()}>
                    <Icon name="refused" /> No to all {count} <kbd>⇧ N</kbd>
                  </button>
                  <button
                    type="button"
                    class="btn"
                    disabled={!canAnswer}
                    onClick={() => setNo({ reason: "", width: undefined })}
                  >
                    No, because… <kbd>R</kbd>
                  </button>
                </div>
              </>
            )}
          </div>
        </aside>
      </div>
    </section>
  );
}

function hiddenWords(questions: readonly QuestionDetail[]): string {
  const hidden = questions.reduce((sum, { what }) => sum + what.hiddenCharacters, 0);
  return hidden === 0 ? "none hidden" : `${counted(hidden, "character")} hidden, marked`;
}

function effectsOf({ what }: QuestionDetail): string {
  const asking = (what.command?.parts ?? []).filter(({ verdict }) => verdict !== "allowed");
  const effects = new Set(asking.flatMap((part) => part.effects));
  return [...effects].map((effect) => sentence(effect)).join(" ");
}

function Marked({ pieces }: { readonly pieces: readonly MarkedPiece[] }) {
  return (
    <>
      {pieces.map(({ text, isMarked }, index) =>
        isMarked ? (
          <mark key={index}>
            <Visible text={text} />
          </mark>
        ) : (
          <Visible key={index} text={text} />
        ),
      )}
    </>
  );
}
