/** Your answer. Yes is above, no is below, and nothing stands beside both. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { QuestionDetail } from "toolgate/serve/client";
import { isInField, useKeys } from "../keys.js";
import { live, me } from "../live.js";
import { Note } from "../parts/controls.js";
import { Icon } from "../parts/icon.js";
import { Visible } from "../parts/visible.js";
import { goTo, sessionPath } from "../route.js";
import { useStore } from "../store.js";
import { useIsPhone } from "../use-media.js";
import { counted } from "../words.js";
import {
  canReach,
  canStore,
  FIRST_CHOICE,
  freedBy,
  isPartial,
  storedRule,
  withWidth,
  yesRequest,
  type Choice,
  type HunkChoice,
  type Reach,
} from "./choice.js";
import { editedInput, editFields, type EditField } from "./edit-input.js";
import { EditForm } from "./edit-form.js";
import { useGuard, type Guard } from "./guard.js";
import { NeverChoice, ReasonForm, type NoChoice } from "./no-form.js";
import { SheetHead } from "./sheet-head.js";
import { ReachChoice } from "./reach-choice.js";
import { useRuleSight } from "./rule-sight.js";
import { useAnswer } from "./use-answer.js";

export type AnswerPanelProps = {
  readonly question: QuestionDetail;
  readonly hunks: HunkChoice | undefined;
  readonly guard: Guard;
  /** Whether the end of what will happen was seen; until then a yes scrolls on. */
  readonly isSeen: boolean;
  readonly isMoreBelow: boolean;
  readonly partsBelow: number;
  readonly onReadOn: () => void;
  readonly onEnd: (isTaken: boolean) => void;
  /** Not in the card of a call: there is no next question. */
  readonly onSkip: (() => void) | undefined;
  readonly areKeysOn: (() => boolean) | undefined;
};

type Mode = "choose" | "no" | "edit";

export function AnswerPanel({
  question,
  hunks,
  guard,
  isSeen,
  isMoreBelow,
  partsBelow,
  onReadOn,
  onEnd,
  onSkip,
  areKeysOn,
}: AnswerPanelProps) {
  const { questionId, answers } = question;
  const [mode, setMode] = useState<Mode>("choose");
  const [choice, setChoice] = useState<Choice>(FIRST_CHOICE);
  const [no, setNo] = useState<NoChoice>({ reason: "", width: undefined });
  const [fields, setFields] = useState<readonly EditField[]>([]);
  const [isMore, setMore] = useState(false);
  const isPhone = useIsPhone();
  const isLost = useStore(live, ({ connection }) => connection.type === "lost");
  const role = useStore(me, (self) => self?.device.role);
  const { isSending, send } = useAnswer(onEnd);
  const reset = (): void => {
    setMode("choose");
    setChoice(FIRST_CHOICE);
    setNo({ reason: "", width: undefined });
    setMore(false);
  };
  useEffect(() => {
    reset();
    setFields([]);
  }, [questionId]);
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    // In a card the choices grow below the edge of the list.
    if (areKeysOn?.() === true) panel.current?.scrollIntoView({ block: "nearest" });
  }, [mode, choice.reach]);
  const isPart = isPartial(hunks);
  const isNone = hunks?.kept.size === 0;
  // The yes to a part is for this once, and for the agent's own input.
  const canEdit = answers.edit && role === "all" && !isPart;
  const reached = isPart ? "once" : choice.reach;
  const canAnswer = !isLost && !isSending && role !== "watch";
  const sight = useRuleSight(
    mode === "choose" ? storedRule(question, { ...choice, reach: reached }) : undefined,
  );
  const afterRule = useGuard(`${sight.reads}`);
  const isRead = isSeen && sight.isSeen;
  const mayAnswer = (): boolean => canAnswer && guard.takes() && afterRule.takes();

  const allow = (reach: Reach): void => {
    if (!mayAnswer() || isNone || !canReach(question, reach, role) || !canStore({ ...choice, reach })) return;
    if (!isSeen) onReadOn();
    else if (reach !== "once" && !sight.isSeen) sight.readOn();
    else void send(questionId, yesRequest(question, { ...choice, reach }, hunks));
  };
  const refuse = (): void => {
    if (!mayAnswer()) return;
    const reason = no.reason.trim();
    void send(questionId, {
      ...(no.width === undefined ? { reply: "no" } : { reply: "never", width: no.width }),
      ...(reason !== "" && { reason }),
    });
  };
  const allowEdited = (): void => {
    const edited = editedInput(question.what.rawInput, fields);
    if (!mayAnswer() || !edited.isValid) return;
    void send(questionId, {
      reply: "once",
      intentHash: question.intentHash,
      ...(edited.isChanged && { input: edited.input }),
    });
  };
  const startEdit = (): void => {
    if (!canEdit) return;
    // A draft that was left is still there.
    if (fields.length === 0) setFields(editFields(question.what.rawInput));
    setMode("edit");
    setMore(true);
  };
  const startNo = (): void => {
    setMode("no");
    setMore(true);
  };
  const choose = (reach: Reach): void => {
    if (isPart || !canReach(question, reach, role)) return;
    setMode("choose");
    setMore(true);
    setChoice({ ...choice, reach });
  };
  const pickWidth = (width: number): void => setChoice(withWidth(question, choice, width));
  const give = (): void => {
    if (mode === "edit") allowEdited();
    else if (mode === "no") refuse();
    else allow(reached);
  };
  const keys = {
    y: () => allow("once"),
    n: () => mayAnswer() && void send(questionId, { reply: "no" }),
    s: () => choose("session"),
    a: () => choose("always"),
    1: () => pickWidth(0),
    2: () => pickWidth(1),
    3: () => pickWidth(2),
    "ctrl+enter": give,
    r: startNo,
    e: startEdit,
    o: () => goTo(sessionPath(question.sessionId, question.toolCallId)),
    ...((mode !== "choose" || isMore) && {
      escape: (event: KeyboardEvent) => {
        if (isInField(event.target) && event.target instanceof HTMLElement) event.target.blur();
        reset();
      },
    }),
  };
  useKeys(keys, areKeysOn);

  const freed = freedBy(question, { ...choice, reach: reached }).length;
  const isOpen = !isPhone || isMore;
  return (
    <aside class={isMore ? "q-answer more sheet" : "q-answer"} aria-label="Your answer" ref={panel}>
      <div class="opts">
        {isPhone && isMore && <SheetHead title={question.title} onClose={reset} />}
        <h2>{mode === "no" ? "No, and why" : mode === "edit" ? "Edit, then allow" : "Your answer"}</h2>
        {mode === "choose" && isPart && <PartNote hunks={hunks} agent={question.agent} />}
        {mode === "choose" && !isPart && (
          <ReachChoice question={question} choice={choice} onChoose={setChoice} rule={sight.rule} />
        )}
        {mode === "no" && (
          <>
            <ReasonForm choice={no} onChange={setNo} agent={question.agent} />
            <NeverChoice widths={answers.never} choice={no} onChange={setNo} />
          </>
        )}
        {mode === "edit" && <EditForm fields={fields} onChange={setFields} input={question.what.rawInput} />}
      </div>
      <div class="acts" data-inert={guard.isInert || afterRule.isInert ? "" : undefined}>
        {role === "watch" && <Note icon="seen">This device only watches. Answer on another one.</Note>}
        {freed > 0 && (
          <Note icon="branch" tone="running">
            Also answers{" "}
            <b>
              {counted(freed, "question")} that {freed === 1 ? "waits" : "wait"}
            </b>
            .
          </Note>
        )}
        {isPhone && mode === "choose" && !isMore && isMoreBelow && (
          <button type="button" class="below" onClick={onReadOn}>
            <Icon name="down" /> {belowWords(partsBelow)}
          </button>
        )}
        {mode === "choose" && (
          <>
            <button
              type="button"
              class="btn main"
              disabled={
                !canAnswer ||
                isNone ||
                !canReach(question, reached, role) ||
                !canStore({ ...choice, reach: reached })
              }
              onClick={() => allow(reached)}
            >
              {!isRead ? "Read on" : isPart ? partWords(hunks) : yesWords(reached, freed + 1)}
              <kbd>{reached === "once" ? "Y" : "Ctrl ⏎"}</kbd>
            </button>
            {isPhone && !isMore && !isPart && (
              <button type="button" class="btn mid" onClick={() => setMore(true)}>
                This session, always, edit… <Icon name="down" />
              </button>
            )}
            {isOpen && (
              <div class="pair">
                {reached !== "once" && (
                  <button
                    type="button"
                    class="btn"
                    disabled={!canAnswer || !answers.once}
                    onClick={() => allow("once")}
                  >
                    Allow once <kbd>Y</kbd>
                  </button>
                )}
                <button type="button" class="btn" disabled={!canAnswer || !canEdit} onClick={startEdit}>
                  Edit, then allow <kbd>E</kbd>
                </button>
                {reached === "once" && !isPhone && onSkip && (
                  <button type="button" class="btn" onClick={onSkip}>
                    Skip for now <kbd>J</kbd>
                  </button>
                )}
              </div>
            )}
            <div class="pair away">
              {!isPhone && (
                <button type="button" class="btn" disabled={!canAnswer} onClick={refuse}>
                  <Icon name="refused" />
                  No <kbd>N</kbd>
                </button>
              )}
              <button type="button" class="btn" disabled={!canAnswer} onClick={startNo}>
                {isPhone && <Icon name="refused" />}
                {isPhone ? "No…" : "No, because…"} <kbd>R</kbd>
              </button>
            </div>
          </>
        )}
        {mode === "edit" && (
          <>
            <button
              type="button"
              class="btn main"
              disabled={!canAnswer || !editedInput(question.what.rawInput, fields).isValid}
              onClick={allowEdited}
            >
              Allow the edited call once <kbd>Ctrl ⏎</kbd>
            </button>
            <button type="button" class="btn" onClick={reset}>
              Back, no answer yet <kbd>Esc</kbd>
            </button>
          </>
        )}
        {mode === "no" && (
          <>
            <button type="button" class="btn" disabled={!canAnswer} onClick={refuse}>
              <Icon name="refused" />
              {noWords(no)} <kbd>Ctrl ⏎</kbd>
            </button>
            <button type="button" class="btn mid" onClick={reset}>
              Back, no answer yet <kbd>Esc</kbd>
            </button>
          </>
        )}
      </div>
    </aside>
  );
}

type PartProps = { readonly hunks: HunkChoice; readonly agent: string | undefined };

function PartNote({ hunks: { kept, count }, agent }: PartProps) {
  return kept.size === 0 ? (
    <Note icon="refused">Every change is rejected. Say no, or keep one of them.</Note>
  ) : (
    <Note icon="edit">
      Only {kept.size === 1 ? "the kept change is" : `the ${kept.size} kept changes are`} made, this once.{" "}
      <Visible text={agent ?? "The agent"} isOneLine /> reads that you rejected{" "}
      {counted(count - kept.size, "change")}.
    </Note>
  );
}

const partWords = ({ kept, count }: HunkChoice): string => `Allow ${kept.size} of ${count} changes`;

/** "2 more parts and the reason below". */
const belowWords = (parts: number): string =>
  parts > 0 ? `${counted(parts, "more part")} and the reason below` : "The reason below";

function yesWords(reach: Reach, count: number): string {
  const all = count > 1 ? `, all ${count} calls` : "";
  if (reach === "once") return "Allow once";
  return reach === "session" ? `Allow for this session${all}` : `Allow always${all}`;
}

function noWords({ reason, width }: NoChoice): string {
  if (width !== undefined) return "No, and never again";
  return reason.trim() === "" ? "No" : "No, with this reason";
}
