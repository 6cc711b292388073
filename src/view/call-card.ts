/**
 * A call as a value that every view renders: the terminal, the Markdown export and the page.
 *
 * All text in a card is visible and bounded, but it is still the agent's: a renderer escapes it for its own
 * medium. The agent chooses the title, so only `facts` and `mark` state the call's status.
 */
import type {
  CallTimes,
  Decision,
  DiffContent,
  Question,
  QuestionOption,
  ToolCall,
  ToolKind,
} from "../call/index.js";
import { AMOUNT, CALL, checkOptions, required } from "../call/check-options.js";
import { decidedSubject } from "../call/title-arguments.js";
import { breachSentence, endSentence, oneLine } from "../call/index.js";
import { durationText } from "../call/amounts.js";
import { cardBlock, textBlock } from "./card-blocks.js";
import type { CardBlock, TextBlock } from "./card-blocks.js";
import { cardFacts, cardStatus, decisionWords, kindIcon, putBackWords, statusMark } from "./card-facts.js";
import type { CardStatus } from "./card-facts.js";
import { visibleName } from "./visible-line.js";
import { isProxied } from "../call/call-parts.js";
import { callOwner } from "./call-owner.js";

export type CallCard = {
  readonly toolCallId: string;
  /** The tool's name. */
  readonly name: string;
  readonly title: string;
  /** The title of the call that this one belongs to. */
  readonly owner?: string;
  readonly kind: ToolKind;
  readonly icon: string;
  readonly status: CardStatus;
  /** One character for the status. */
  readonly mark: string;
  /** A few words each, in the order of a headline. */
  readonly facts: readonly string[];
  readonly decision?: CardDecision;
  /** The command or path that was decided on, where the title does not name it. */
  readonly decidedOn?: string;
  readonly breach?: string;
  /** "1 of 2 changes put back": a part of it was undone, and its status stays. */
  readonly putBack?: string;
  /** Why its changes cannot be undone, where they were to be kept. */
  readonly notKept?: string;
  readonly question?: CardQuestion;
  readonly locations: readonly CardLocation[];
  readonly hiddenLocations: number;
  readonly blocks: readonly CardBlock[];
  readonly hiddenBlocks: number;
  /** How the call ended, if neither the facts nor the blocks show it. */
  readonly end?: CardEnd;
  /** The owner's card shows everything that this call did. */
  readonly isShownByOwner: boolean;
  readonly times: CallTimes;
};

export type CardDecision = {
  /** "allowed by ann after 1.0 s". */
  readonly words: string;
  readonly by: Decision["by"];
  readonly who?: string;
  readonly rule?: string;
  readonly reason?: string;
  /** Why the rule of the answer could not be stored. */
  readonly notStored?: string;
};

export type CardQuestion = {
  readonly questionId: string;
  /** Missing when only the id of the question is known. */
  readonly title?: string;
  readonly options: readonly { readonly optionId: string; readonly name: string; readonly kind: string }[];
  /** From asking to expiry: "10 min 0 s". */
  readonly expiresAfter?: string;
};

export type CardLocation = { readonly path: string; readonly line?: number };

export type CardEnd =
  | { readonly type: "sentence"; readonly text: string }
  | { readonly type: "error"; readonly message: TextBlock };

export type CallCardOptions = {
  /** The question that the call waits for. */
  readonly question?: Question | undefined;
  /** How many lines each block may show; 20 unless set. */
  readonly maxLines?: number;
  /** Lines of terminals keep the codes of their colours, for a view that reads them. */
  readonly keepsColours?: boolean;
  /** The calls of the session, to find the one that this call belongs to. */
  readonly calls?: Iterable<ToolCall>;
};

const MAX_LINES = 20;
export const MAX_BLOCKS = 32;
const MAX_LOCATIONS = 8;

export function callCard(call: ToolCall, options: CallCardOptions = {}): CallCard {
  const { maxLines: limit = MAX_LINES } = options;
  if (!Array.isArray(call?.content) || typeof limit !== "number")
    checkOptions("callCard", { call, maxLines: limit }, { call: required(CALL), maxLines: AMOUNT });
  const maxLines = Math.max(1, options.maxLines ?? MAX_LINES);
  const { toolCallId, name, kind, locations, content, times } = call;
  const { keepsColours = false } = options;
  // The other calls are looked at only for one that may belong to them.
  const mayHaveOwner = call.parentToolCallId !== undefined || isProxied(call);
  const owner = mayHaveOwner ? callOwner(call, options.calls ?? []) : undefined;
  const status = cardStatus(call);
  const breach = breachSentence(call);
  const decision = cardDecision(call);
  const decidedOn = decidedSubject(call);
  const question = cardQuestion(call, options.question);
  const end = cardEnd(call, maxLines);
  const putBack = putBackWords(call);
  const blockOptions = { keepsColours, undoneHunks: shownAsUndone(call) };
  return {
    toolCallId,
    name: visibleName(name),
    title: shownTitle(call),
    ...(owner && { owner: shownTitle(owner, MAX_OWNER) }),
    kind,
    icon: kindIcon(kind),
    status,
    mark: statusMark(status),
    facts: cardFacts(call),
    ...(decision && { decision }),
    ...(decidedOn !== undefined && { decidedOn: visibleName(decidedOn) }),
    ...(breach !== undefined && { breach: visibleName(breach) }),
    ...(putBack !== undefined && { putBack }),
    ...(call.notKept !== undefined && { notKept: visibleName(call.notKept) }),
    ...(question && { question }),
    locations: locations.slice(0, MAX_LOCATIONS).map(({ path, line }) => ({
      path: visibleName(path),
      ...(line !== undefined && { line }),
    })),
    hiddenLocations: Math.max(0, locations.length - MAX_LOCATIONS),
    blocks: content.slice(0, MAX_BLOCKS).map((item) => cardBlock(item, maxLines, blockOptions)),
    hiddenBlocks: Math.max(0, content.length - MAX_BLOCKS),
    ...(end && { end }),
    isShownByOwner: isProxied(call) && owner !== undefined && isShownBy(owner, call),
    times,
  };
}

export const MAX_TITLE = 120;
export const MAX_OWNER = 40;

export function shownTitle({ title, name }: ToolCall, maxLength = MAX_TITLE): string {
  return oneLine(title, maxLength) || oneLine(name, maxLength) || "Tool call";
}

/** The hunks that a diff of the call marks as put back: with several diffs nobody knows whose they are. */
export const shownAsUndone = ({ undoneHunks, times, content }: ToolCall): readonly number[] | undefined =>
  times.undone === undefined && content.filter(({ type }) => type === "diff").length === 1
    ? undoneHunks
    : undefined;

function cardDecision(call: ToolCall): CardDecision | undefined {
  const words = decisionWords(call);
  if (!call.decision || words === undefined) return undefined;
  const { by, who, rule, reason, notStored } = call.decision;
  return {
    words,
    by,
    ...(who !== undefined && { who: visibleName(who) }),
    ...(rule !== undefined && { rule: visibleName(rule) }),
    ...(reason !== undefined && { reason: visibleName(reason) }),
    ...(notStored !== undefined && { notStored: visibleName(notStored) }),
  };
}

function cardQuestion({ state }: ToolCall, question: Question | undefined): CardQuestion | undefined {
  if (state.status !== "waiting" || state.waitingFor.type !== "question") return undefined;
  const { questionId } = state.waitingFor;
  if (question?.questionId !== questionId) return { questionId: visibleName(questionId), options: [] };
  const expiresAfter = durationText(question.askedAt, question.expiresAt);
  return {
    questionId: visibleName(questionId),
    title: visibleName(question.title),
    options: question.options.map(cardOption),
    ...(expiresAfter !== undefined && { expiresAfter }),
  };
}

const cardOption = ({ optionId, name, kind }: QuestionOption) => ({
  optionId: visibleName(optionId),
  name: visibleName(name),
  kind: kind.replace("_", " "),
});

/** The tool writes an error, which may have many lines; Toolgate writes the other sentences. */
function cardEnd(call: ToolCall, maxLines: number): CardEnd | undefined {
  const sentence = endSentence(call);
  if (sentence === undefined || sentence === breachSentence(call)) return undefined;
  if (call.state.status !== "failed") return { type: "sentence", text: visibleName(sentence) };
  const isShown = call.content
    .slice(0, MAX_BLOCKS)
    .some(
      (item) => item.type === "content" && item.content.type === "text" && item.content.text === sentence,
    );
  return isShown ? undefined : { type: "error", message: textBlock(sentence, maxLines) };
}

/** Whether the agent's own call shows everything that a call we served for it did. */
function isShownBy({ content: shown }: ToolCall, { content, state }: ToolCall): boolean {
  return (
    state.status === "done" &&
    content.every((item) =>
      shown.some((one) =>
        item.type === "terminal"
          ? one.type === "terminal" && one.terminalId === item.terminalId && one.output !== undefined
          : item.type === "diff" && one.type === "diff" && one.path === item.path && isSameText(one, item),
      ),
    )
  );
}

/** The hunks of a large file are all that changes; the other diff has its whole text. */
function isSameText({ newText }: DiffContent, served: DiffContent): boolean {
  if (!served.hunks) return newText === served.newText;
  return newText !== undefined && served.hunks.every((hunk) => newText.includes(hunk.newText));
}
