/** A call: what it is, how it ended, who decided; then its body and what can be done with it. */
import { memo } from "preact/compat";
import { useContext, useState } from "preact/hooks";
import type { CallEntry } from "toolgate/serve/client";
import { api, errorText } from "../api.js";
import { ReplayTime } from "../clock.js";
import { CardQuestion } from "../inbox/card-question.js";
import { AgentWords } from "../inbox/question-view.js";
import { live } from "../live.js";
import { Icon, kindIcon } from "../parts/icon.js";
import { lookOf, StatePill, statusOfCard } from "../parts/state.js";
import { showToast } from "../parts/toast.js";
import { Visible } from "../parts/visible.js";
import { callPath, goTo } from "../route.js";
import { useStore } from "../store.js";
import { runTime, sentence } from "../words.js";
import { CardBlocks } from "./card-blocks.js";
import { LiveOutput, stopCommand, useRunsNow, WentOn } from "./running-commands.js";
import { useWholeCall } from "./use-whole-call.js";
import { WholeCall } from "./whole-call.js";

type CardProps = {
  readonly entry: CallEntry;
  readonly sessionId: string;
  readonly onUndo: (toolCallId: string) => void;
};

export const CallCardView = memo(({ entry, sessionId, onUndo }: CardProps) => {
  const { card, progress, inner } = entry;
  const whole = useWholeCall(sessionId, card);
  const isReplayed = useContext(ReplayTime) !== undefined;
  const open = (): void => {
    // A replay shows a call as it was; all that became of it stands in the history.
    if (isReplayed) goTo(callPath(sessionId, card.toolCallId));
    else whole.open();
  };
  const tone = inner ?? lookOf(card.status).tone;
  const heading = useHeading(entry);
  return (
    <article
      class={`call st-${tone === "failed" ? "plain" : tone}`}
      id={card.toolCallId}
      data-call={card.toolCallId}
      data-status={card.status}
      tabIndex={-1}
      aria-label={`Call ${entry.number}: ${heading.text}`}
    >
      <Head entry={entry} heading={heading} sessionId={sessionId} />
      <div class={card.status === "undone" ? "call-b was" : "call-b"}>
        {progress?.total !== undefined && card.status === "running" && (
          <ProgressBar {...progress} total={progress.total} />
        )}
        {heading.isOurs && !card.question && <AgentWords agentTitle={card.title} title={heading.text} />}
        <Sentences entry={entry} />
        {card.question && !isReplayed ? (
          <CardQuestion key={card.question.questionId} questionId={card.question.questionId} />
        ) : whole.detail ? (
          <WholeCall detail={whole.detail} isLive={card.status === "running"} onClose={whole.close} />
        ) : (
          <CardBlocks card={card} hasOwnWords={entry.wentOn === true} onOpen={open} />
        )}
        {entry.wentOn && <WentOn toolCallId={card.toolCallId} />}
        {!isReplayed && (
          <Actions
            entry={entry}
            sessionId={sessionId}
            onUndo={onUndo}
            onOpen={whole.detail ? undefined : open}
          />
        )}
      </div>
    </article>
  );
});

/** `isOurs`: it stands in place of a title that a foreign agent wrote, and says what was decided on. */
type Heading = { readonly text: string; readonly isOurs: boolean };

function useHeading({ card: { title, decidedOn, question } }: CallEntry): Heading {
  const asked = useStore(live, ({ questions }) =>
    question === undefined
      ? undefined
      : questions?.find(({ questionId }) => questionId === question.questionId)?.title,
  );
  const text = asked ?? decidedOn ?? title;
  return { text, isOurs: text !== title };
}

type HeadProps = { readonly entry: CallEntry; readonly heading: Heading; readonly sessionId: string };

function Head({ entry, heading, sessionId }: HeadProps) {
  const { card } = entry;
  const { times, status } = card;
  const since = status === "waiting" ? times.asked : status === "running" ? times.started : undefined;
  const ran =
    times.started !== undefined && times.ended !== undefined
      ? runTime(times.ranMs ?? times.ended - times.started)
      : "";
  return (
    <header class="call-h">
      <Icon name={kindIcon(card.kind)} />
      <span class="t">
        {card.kind === "execute" ? (
          <code>
            <Visible text={heading.text} isOneLine />
          </code>
        ) : (
          <Visible text={heading.text} isOneLine />
        )}
      </span>
      <span class="r">
        {ran !== "" && <span>{ran}</span>}
        <StatePill status={entry.inner ?? statusOfCard(card)} word={stateWord(entry)} since={since} />
      </span>
      <span class="m">
        {card.decision?.by === "sandbox" && (
          <span class="st st-contained">
            <Icon name="contained" />
            contained
          </span>
        )}
        {factsOf(entry).map((fact) => (
          <span key={fact}>
            <Fact text={fact} />
          </span>
        ))}
        <span>
          <a class="quiet" href={callPath(sessionId, card.toolCallId)} title="Its whole life">
            call {entry.number}
          </a>
        </span>
      </span>
    </header>
  );
}

/** The rule that decided stands as code: its words are not those of the sentence. */
function Fact({ text }: { readonly text: string }) {
  const [, before = text, rule, after = ""] = /^(\w+ by rule )(.+?)( after [\d.,]+ .*)?$/.exec(text) ?? [];
  return (
    <>
      <Visible text={before} isOneLine />
      {rule !== undefined && (
        <code>
          <Visible text={rule} isOneLine />
        </code>
      )}
      <Visible text={after} isOneLine />
    </>
  );
}

/** "Exit code 1", "Refused by you". */
function stateWord({ card, inner }: CallEntry): string {
  if (card.status === "command-failed")
    return sentence(card.facts.find((fact) => /^(?:exit code|ended by)/.test(fact)) ?? "failed").slice(0, -1);
  if (card.status === "refused") return card.decision?.by === "person" ? "Refused by you" : "Refused";
  if (inner === "breach" && card.status !== "breach") return "Breach inside";
  if (inner === "unknown") return "Unknown inside";
  return lookOf(statusOfCard(card)).word;
}

const SHOWN_ELSEWHERE =
  /^(?:exit code|ended by|waiting for|running|done|failed|contained|breach|undone|drafting|ready)/;

/** The kind, the run time and the state stand elsewhere in the card. */
function factsOf({ card, progress }: CallEntry): readonly string[] {
  const { facts, kind, times } = card;
  const ran = times.started !== undefined && times.ended !== undefined;
  const others = facts.filter(
    (fact) =>
      fact !== kind.replaceAll("_", " ") &&
      !SHOWN_ELSEWHERE.test(fact) &&
      !(ran && /^[\d,.]+ (?:ms|s|min|h|d)\b/.test(fact)),
  );
  const waits = card.status === "waiting" ? ["your answer is needed"] : [];
  const owner = card.owner === undefined ? [] : [`for ${card.owner}`];
  const message = progress?.message === undefined ? [] : [progress.message];
  return [...new Set([...waits, ...others, ...owner, ...message])];
}

function ProgressBar({ done, total }: { readonly done: number; readonly total: number }) {
  const share = total > 0 ? Math.min(100, (100 * done) / total) : 0;
  return (
    <div
      class="prog"
      role="progressbar"
      aria-label="Progress"
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={done}
    >
      <span style={{ width: `${share}%` }} />
    </div>
  );
}

/** Says first what did not happen. */
function Sentences({ entry }: { readonly entry: CallEntry }) {
  const { breach, end, decision, status, notKept } = entry.card;
  const texts = [
    breach,
    end?.type === "sentence" ? end.text : undefined,
    status === "refused" &&
    decision?.reason !== undefined &&
    !(end?.type === "sentence" && end.text.includes(decision.reason))
      ? `The reason given: ${decision.reason}`
      : undefined,
    notKept === undefined ? undefined : `Cannot be undone: ${notKept}`,
    decision?.notStored === undefined
      ? undefined
      : `Your answer holds for this once: its rule was not stored, ${decision.notStored}`,
  ].filter((text) => text !== undefined);
  return (
    <>
      {texts.map((text) => (
        <p key={text} class="say">
          <LeadingSentence text={text} />
        </p>
      ))}
      {end?.type === "error" && (
        <pre class="term">
          <Visible text={end.message.lines.join("\n")} />
          {end.message.hiddenLines > 0 && (
            <span class="faint">{`\n… ${end.message.hiddenLines} more lines`}</span>
          )}
        </pre>
      )}
    </>
  );
}

function LeadingSentence({ text }: { readonly text: string }) {
  const end = text.search(/[.:] /);
  if (end === -1)
    return (
      <b>
        <Visible text={text} />
      </b>
    );
  return (
    <>
      <b>
        <Visible text={text.slice(0, end + 1)} />
      </b>
      <Visible text={text.slice(end + 1)} />
    </>
  );
}

type ActionsProps = {
  readonly entry: CallEntry;
  readonly sessionId: string;
  readonly onUndo: (toolCallId: string) => void;
  readonly onOpen: (() => void) | undefined;
};

function Actions({ entry, sessionId, onUndo, onOpen }: ActionsProps) {
  const { card, isKept } = entry;
  const { toolCallId, status } = card;
  const isOver = card.times.ended !== undefined;
  const canUndo = isKept && isOver && status !== "undone";
  const isInBackground = useRunsNow(toolCallId) && isOver;
  const [isShown, setShown] = useState(false);
  if (status !== "running" && !canUndo && !isInBackground) return null;
  return (
    <>
      <div class="acts-r">
        {status === "running" && (
          <button type="button" class="btn small" onClick={() => void cancelCall(sessionId, toolCallId)}>
            Cancel <kbd>Esc</kbd>
          </button>
        )}
        {canUndo && (
          <button type="button" class="btn small" data-undo onClick={() => onUndo(toolCallId)}>
            <Icon name="undone" />
            Undo
          </button>
        )}
        {status === "running" && card.kind === "execute" && onOpen && (
          <button type="button" class="btn small" data-open onClick={onOpen}>
            Open terminal <kbd>T</kbd>
          </button>
        )}
        {isInBackground && (
          <>
            <button
              type="button"
              class="btn small"
              data-open
              aria-expanded={isShown}
              onClick={() => setShown(!isShown)}
            >
              {isShown ? "Hide output" : "Output so far"} <kbd>T</kbd>
            </button>
            <button type="button" class="btn small" onClick={() => void stopCommand(sessionId, toolCallId)}>
              Stop
            </button>
          </>
        )}
      </div>
      {isInBackground && isShown && <LiveOutput sessionId={sessionId} toolCallId={toolCallId} />}
    </>
  );
}

export async function cancelCall(sessionId: string, toolCallId: string): Promise<void> {
  try {
    const { cancelled, why } = await api.cancel(sessionId, { toolCallId });
    showToast(
      cancelled ? "The call is being cancelled." : `Nothing was cancelled. ${sentence(why ?? "")}`,
      cancelled ? "cancelled" : "failed",
    );
  } catch (error) {
    showToast(`Nothing was cancelled. ${errorText(error)}`, "failed");
  }
}
