/** One question: who asks, what will happen, why, and the answer. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { QuestionDetail } from "toolgate/serve/client";
import { api, errorText } from "../api.js";
import { useNow } from "../clock.js";
import { useKeys } from "../keys.js";
import { me } from "../live.js";
import { Note } from "../parts/controls.js";
import { Folder } from "../parts/folder.js";
import { Icon } from "../parts/icon.js";
import { showToast } from "../parts/toast.js";
import { Visible } from "../parts/visible.js";
import { questionPath, sessionPath } from "../route.js";
import { useStore } from "../store.js";
import { useIsPhone } from "../use-media.js";
import { ago, clockTime, longTime, sentence, when } from "../words.js";
import { AnswerPanel } from "./answer-panel.js";
import type { HunkChoice } from "./choice.js";
import { useGuard } from "./guard.js";
import { asker, endWords } from "./question-list.js";
import { useReadEnd } from "./read-end.js";
import { What } from "./what.js";
import { Why } from "./why.js";

type QuestionViewProps = {
  readonly question: QuestionDetail;
  readonly answerable: number;
  readonly onEnd: (isTaken: boolean) => void;
  readonly onSkip: () => void;
  readonly onRemove: () => void;
};

export function QuestionView({ question, answerable, onEnd, onSkip, onRemove }: QuestionViewProps) {
  return (
    <section class="q-view" aria-label="Question">
      <Head question={question} answerable={answerable} />
      <QuestionBody {...{ question, onEnd, onSkip, onRemove }} />
    </section>
  );
}

type BodyProps = {
  readonly question: QuestionDetail;
  readonly onEnd: (isTaken: boolean) => void;
  /** Without them the question stands alone, in the card of its call. */
  readonly onSkip?: (() => void) | undefined;
  readonly onRemove?: (() => void) | undefined;
  readonly areKeysOn?: (() => boolean) | undefined;
  /** Changes with everything beside the question that may move it under the hand. */
  readonly beside?: string;
};

/** The question without its head: what will happen, why, and the answer. */
export function QuestionBody({ question, onEnd, onSkip, onRemove, areKeysOn, beside = "" }: BodyProps) {
  const { questionId, intentHash, isAnswerable, state } = question;
  const shown = `${questionId} ${intentHash} ${state.status}`;
  const what = useRef<HTMLDivElement>(null);
  const hunks = useHunkChoice(question, shown);
  useKeys(hunks ? { h: () => focusNextHunk(what.current) } : {}, areKeysOn);
  const { isSeen, isMoreBelow, partsBelow, end, readOn } = useReadEnd(what, shown);
  // A press of "Read on" must not be a yes when the button becomes one.
  const guard = useGuard(`${shown} ${isSeen} ${beside}`);
  const isPhone = useIsPhone();
  // On a phone the part that asks comes first, and must be seen whole.
  const isPartEnough =
    isPhone && question.what.command?.parts.some(({ verdict }) => verdict === "asks") === true;
  useEffect(() => {
    // The focus must not stay on a button that would now answer another question.
    if (document.activeElement?.closest(".acts")) what.current?.focus();
  }, [questionId]);
  return (
    <div class="q-body">
      <div
        class="q-what"
        data-more={isMoreBelow}
        ref={what}
        tabIndex={0}
        role="region"
        aria-label="What will happen and why"
      >
        <Folder.Provider value={question.folder}>
          <div class="sec">
            <What question={question} hunks={hunks} asked={isPartEnough ? end : undefined} />
            {!isPartEnough && <div ref={end} />}
          </div>
          <Why question={question} />
        </Folder.Provider>
      </div>
      {isAnswerable ? (
        <AnswerPanel
          {...{ question, hunks, guard, isSeen, isMoreBelow, partsBelow, onEnd, onSkip, areKeysOn }}
          onReadOn={readOn}
        />
      ) : (
        <Over question={question} onSkip={onSkip} onRemove={onRemove} />
      )}
    </div>
  );
}

/** All are kept at first. Undefined where there is nothing to choose. */
function useHunkChoice({ what, isAnswerable }: QuestionDetail, shown: string): HunkChoice | undefined {
  const role = useStore(me, (self) => self?.device.role);
  const count = what.hunks?.length ?? 0;
  const [rejected, setRejected] = useState<{ readonly of: string; readonly numbers: ReadonlySet<number> }>();
  if (count === 0 || !isAnswerable || role !== "all") return undefined;
  const numbers = rejected?.of === shown ? rejected.numbers : new Set<number>();
  const kept = new Set(Array.from({ length: count }, (_, index) => index + 1));
  for (const number of numbers) kept.delete(number);
  const keep = (number: number, isKept: boolean): void => {
    const next = new Set(numbers);
    if (isKept) next.delete(number);
    else next.add(number);
    setRejected({ of: shown, numbers: next });
  };
  return { kept, count, keep };
}

function focusNextHunk(what: HTMLElement | null): void {
  const boxes = [...(what?.querySelectorAll<HTMLInputElement>(".hunks input") ?? [])];
  const next = boxes[boxes.findIndex((box) => box === document.activeElement) + 1] ?? boxes[0];
  next?.focus();
  next?.closest("li")?.scrollIntoView({ block: "nearest" });
}

function Head({ question, answerable }: { readonly question: QuestionDetail; readonly answerable: number }) {
  const { askedAt, isAnswerable, title, sessionId, toolCallId, questionId } = question;
  const now = useNow(isAnswerable);
  const role = useStore(me, (self) => self?.device.role);
  const copy = (): Promise<void> =>
    copied(
      Promise.resolve(`${location.origin}${questionPath(questionId)}`),
      "The link is copied. Opening it needs a paired device.",
    );
  const copyOneUse = (): Promise<void> =>
    copied(
      api.questionLink(questionId).then(({ url }) => url),
      "The link is copied. For an hour, a person who has it can answer this question once.",
    );
  return (
    <header class="q-head">
      <div class="row wrap">
        <a class="btn small back" href="/inbox">
          <Icon name="back" />
          {answerable > 0 ? `All ${answerable}` : "Inbox"}
        </a>
        {isAnswerable ? (
          <span class="st st-waiting pill">
            <Icon name="waiting" />
            Waiting {longTime(now - askedAt)}
          </span>
        ) : (
          <span class="st st-cancelled pill">
            <Icon name={question.state.status === "answered" ? "done" : "withdrawn"} />
            {overWord(question)}
          </span>
        )}
        <span class="faint xs no-phone cut asker">
          <Visible text={asker(question)} isOneLine /> · asked{" "}
          {now - askedAt < 86_400_000 ? clockTime(askedAt) : when(askedAt)}
        </span>
        <span class="end row no-phone">
          <button type="button" class="btn small" onClick={() => void copy()}>
            Copy link
          </button>
          {role === "all" && isAnswerable && (
            <button type="button" class="btn small" onClick={() => void copyOneUse()}>
              Copy one-use link
            </button>
          )}
          <a class="btn small" href={sessionPath(sessionId, toolCallId)}>
            Open session <kbd>O</kbd>
          </a>
        </span>
      </div>
      <h1>
        <Visible text={title} isOneLine />
      </h1>
      <p class="faint xs only-phone">
        <Visible text={asker(question)} isOneLine />
      </p>
      <AgentWords {...question} />
      <Standing question={question} />
    </header>
  );
}

async function copied(link: Promise<string>, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(await link);
    showToast(done);
  } catch (error) {
    showToast(`Nothing was copied. ${errorText(error)}`, "failed");
  }
}

/** The agent's own words for the call are a quotation, and only that. */
export function AgentWords({ agentTitle, title }: Pick<QuestionDetail, "agentTitle" | "title">) {
  if (agentTitle === "" || agentTitle === title) return null;
  return (
    <p>
      <span class="faint">The agent calls it</span>{" "}
      <span class="theirs">
        <Visible text={agentTitle} isOneLine />
      </span>
    </p>
  );
}

function overWord({ state, liveness }: QuestionDetail): string {
  if (state.status === "answered") return "Answered";
  if (state.status === "withdrawn") return "Withdrawn";
  return liveness === "gone" ? "Turn is over" : "Expired";
}

/** An old question, or one whose turn nobody runs at the moment: the answer still counts. */
export function Standing({ question }: { readonly question: QuestionDetail }) {
  const { isAnswerable, isAged, askedAt, liveness, resumes } = question;
  const now = useNow();
  const isParked = liveness === "parked";
  // Turns that go on here by themselves need no word while they are new.
  if (!isAnswerable || (!isAged && (!isParked || resumes === "here"))) return null;
  const then = {
    here: "As soon as you answer, it goes on here.",
    elsewhere: "As soon as you answer, the process that has it goes on.",
    later: "Your answer is recorded and counts when the agent goes on.",
  }[resumes];
  return (
    <Note icon="waiting" tone="waiting">
      <b>
        {isAged && `Asked ${ago(askedAt, now)}, still answerable. `}
        {isParked && "The turn is parked."}
      </b>{" "}
      {then} What changed since is checked before anything runs.
    </Note>
  );
}

function afterWords({ state }: QuestionDetail, self: string | undefined): string {
  if (state.status !== "answered") return "The question left the badge. The agent can ask again.";
  return state.answer.who !== undefined && state.answer.who === self
    ? "You answered it on this device."
    : "One answer counts; yours was not needed.";
}

type OverProps = Pick<BodyProps, "question" | "onSkip" | "onRemove">;

/** Answered elsewhere, withdrawn, expired: it stays readable and says what did not happen. */
function Over({ question, onSkip, onRemove }: OverProps) {
  const { state, sessionId, toolCallId } = question;
  const now = useNow();
  const self = useStore(me, (value) => value?.device.name);
  useKeys(onRemove ? { x: onRemove } : {});
  const isYes = state.status === "answered" && state.isYes;
  return (
    <aside class="q-answer more" aria-label="Why this is not answerable">
      <div class="opts">
        <h2>{isYes ? "The call was allowed" : "Nothing was run"}</h2>
        <div role="status">
          <Note icon={isYes ? "done" : "withdrawn"}>
            <b>
              <Visible text={sentence(endWords(question, now))} isOneLine />
            </b>{" "}
            {afterWords(question, self)}
          </Note>
        </div>
      </div>
      {onRemove && (
        <div class="acts">
          <a class="btn main" href={sessionPath(sessionId, toolCallId)}>
            Open session <kbd>O</kbd>
          </a>
          <div class="pair away">
            <button type="button" class="btn" onClick={onRemove}>
              Take off the list <kbd>X</kbd>
            </button>
            <button type="button" class="btn" onClick={onSkip}>
              Next question <kbd>J</kbd>
            </button>
          </div>
        </div>
      )}
    </aside>
  );
}
