/** Questions that are alike, below each other, with one answer for those that are ticked. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { QuestionDetail } from "toolgate/serve/client";
import { api } from "../api.js";
import { useNow } from "../clock.js";
import { DiffView } from "../code/diff-view.js";
import type { MarkedPiece } from "../code/word-marks.js";
import { useKeys } from "../keys.js";
import { live, me } from "../live.js";
import { Loading, Note } from "../parts/controls.js";
import { NotRead } from "../parts/not-read.js";
import { useShortPaths, Folder } from "../parts/folder.js";
import { Icon } from "../parts/icon.js";
import { Visible } from "../parts/visible.js";
import { questionPath } from "../route.js";
import { useLoaded } from "../use-loaded.js";
import { useStore } from "../store.js";
import { useIsPhone } from "../use-media.js";
import { counted, longTime, sentence, shortTime } from "../words.js";
import {
  canReach,
  canStore,
  FIRST_CHOICE,
  freedBy,
  storedRule,
  withWidth,
  yesRequest,
  type Choice,
  type Reach,
} from "./choice.js";
import { useGuard } from "./guard.js";
import { markedSubjects } from "./marked-subjects.js";
import { ReasonForm, type NoChoice } from "./no-form.js";
import { asker } from "./question-list.js";
import { SheetHead } from "./sheet-head.js";
import { ReachChoice } from "./reach-choice.js";
import { useReadEnd } from "./read-end.js";
import { useRuleSight } from "./rule-sight.js";
import { useAnswer } from "./use-answer.js";
import { Warnings } from "./what.js";
import { Why } from "./why.js";

type AlikeProps = { readonly questionIds: readonly string[]; readonly onEnd: (isTaken: boolean) => void };

export function AlikeView({ questionIds, onEnd }: AlikeProps) {
  const ids = questionIds.join(" ");
  const { data, error, reload } = useLoaded(
    () => Promise.all(questionIds.map((id) => api.question(id))),
    [ids],
  );
  const [first] = data ?? [];
  if (!data || !first)
    return (
      <section class="q-view">
        {error === undefined ? (
          <Loading what="the questions" />
        ) : (
          <NotRead what="questions" isList error={error} onRetry={reload} />
        )}
      </section>
    );
  // Questions are alike within one folder.
  return (
    <Folder.Provider value={first.folder}>
      <Alike questions={data} first={first} onEnd={onEnd} />
    </Folder.Provider>
  );
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
  const inProject = useShortPaths();
  const now = useNow();
  const what = useRef<HTMLDivElement>(null);
  const shown = questions.map(({ intentHash, state }) => intentHash + state.status).join(" ");
  const { isSeen, end, readOn } = useReadEnd(what, shown);
  const chosen = questions.filter(({ questionId, isAnswerable }) => isAnswerable && !left.has(questionId));
  // A wide answer is given to the first ticked question: the rule that is shown is the one that it offers.
  const [main = first] = chosen;
  const sight = useRuleSight(no ? undefined : storedRule(main, choice));
  const guard = useGuard(`${shown} ${isSeen} ${sight.reads} ${main.questionId}`);
  const isLost = useStore(live, ({ connection }) => connection.type === "lost");
  const role = useStore(me, (self) => self?.device.role);
  const { isSending, send } = useAnswer(onEnd);
  const count = chosen.length;
  const canAnswer = !isLost && !isSending && role !== "watch" && count > 0;
  const canGive = (reach: Reach): boolean =>
    canAnswer && canReach(main, reach, role) && canStore({ ...choice, reach });
  const alike = chosen.slice(1).map(({ questionId }) => questionId);
  const freed = freedBy(main, choice);
  const freedLeft = freed.filter((questionId) => left.has(questionId)).length;
  const allow = (reach: Reach): void => {
    if (!canGive(reach) || !guard.takes()) return;
    if (!isSeen) readOn();
    else if (reach !== "once" && !sight.isSeen) sight.readOn();
    else void send(main.questionId, { ...yesRequest(main, { ...choice, reach }), alike });
  };
  const refuse = (reason = ""): void => {
    if (!canAnswer || !guard.takes()) return;
    void send(main.questionId, { reply: "no", alike, ...(reason !== "" && { reason }) });
  };
  const reach = (wanted: Reach): void => {
    if (canReach(main, wanted, role)) setChoice({ ...choice, reach: wanted });
  };
  const pickWidth = (width: number): void => setChoice(withWidth(main, choice, width));
  useKeys({
    "shift+y": () => allow("once"),
    "shift+n": () => refuse(),
    s: () => reach("session"),
    a: () => reach("always"),
    1: () => pickWidth(0),
    2: () => pickWidth(1),
    3: () => pickWidth(2),
    "ctrl+enter": () => (no ? refuse(no.reason.trim()) : allow(choice.reach)),
    r: () => setNo({ reason: "", width: undefined }),
    ...(no && { escape: () => setNo(undefined) }),
    // Keys of a single question must not answer all of them.
    y: () => undefined,
    n: () => undefined,
  });
  const close = (): void => {
    setNo(undefined);
    setMore(false);
    setChoice(FIRST_CHOICE);
  };
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
  const areEdits = questions.some(({ what: { diffs } }) => diffs.length > 0);
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
        <p class="soft">
          Same kind of call, same reason. {areEdits ? "Each change is shown whole." : differenceOf(questions)}
        </p>
      </header>
      <div class="q-body">
        <div class="q-what" ref={what} tabIndex={0} role="region" aria-label="What will happen">
          <section class="sec">
            <h2>
              What will happen, {counted(questions.length, "time")}{" "}
              <span class="end">{hiddenWords(questions)}</span>
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
                    <Visible text={inProject(effectsOf(question))} />{" "}
                    <a href={questionPath(question.questionId)}>Look at it alone</a>
                  </p>
                  <div class="stack">
                    <Warnings what={question.what} />
                    {question.what.diffs.map((diff, at) => (
                      <DiffView key={at} diff={diff} />
                    ))}
                  </div>
                </li>
              ))}
            </ol>
            <div ref={end} />
          </section>
          <Why question={main} />
        </div>
        <aside class={isMore || no ? "q-answer more sheet" : "q-answer"} aria-label="Your answer">
          <div class="opts">
            {isPhone && (isMore || no) && (
              <SheetHead title={`${questions.length} alike, ${count} ticked`} onClose={close} />
            )}
            <h2>Your answer for all {count}</h2>
            {no ? (
              <ReasonForm choice={no} onChange={setNo} agent={first.agent} />
            ) : (
              <ReachChoice {...{ choice, count }} question={main} onChoose={setChoice} rule={sight.rule} />
            )}
            <Note icon="branch">
              Each call is recorded with its own answer. If one was answered or withdrawn meanwhile, it is
              left out and named.
            </Note>
          </div>
          <div class="acts" data-inert={guard.isInert ? "" : undefined}>
            {!no && freedLeft > 0 && (
              <Note icon="branch" tone="running">
                This rule also answers{" "}
                <b>{freedLeft === 1 ? "the question" : `the ${freedLeft} questions`} that you left out</b>.
              </Note>
            )}
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
                    disabled={!canGive(choice.reach)}
                    onClick={() => allow(choice.reach)}
                  >
                    {isSeen && sight.isSeen
                      ? `Allow all ${count} ${choice.reach === "session" ? "this session" : "always"} `
                      : "Read on "}
                    <kbd>Ctrl ⏎</kbd>
                  </button>
                )}
                <button
                  type="button"
                  class={choice.reach === "once" ? "btn main" : "btn"}
                  disabled={!canGive("once")}
                  onClick={() => allow("once")}
                >
                  {isSeen || choice.reach !== "once" ? `Allow all ${count} once ` : "Read on "}
                  <kbd>⇧ Y</kbd>
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

const differenceOf = (questions: readonly QuestionDetail[]): string =>
  new Set(questions.map(subjectOf)).size === 1 ? "No word differs." : "Only the marked words differ.";

function hiddenWords(questions: readonly QuestionDetail[]): string {
  const hidden = questions.reduce((sum, { what }) => sum + what.hiddenCharacters, 0);
  const isWhole = questions.every(({ what }) => what.command !== undefined || what.diffs.length > 0);
  const words = hidden === 0 ? "none hidden" : `${counted(hidden, "character")} hidden, marked`;
  return isWhole ? `Whole, ${words}` : sentence(words);
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
