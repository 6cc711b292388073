/**
 * A call as text: its headline, and below it what it asks, where it works, what it shows and how it
 * ended. Each part is bounded and says how much of it is not shown.
 */
import type {
  ContentBlock,
  Question,
  QuestionOption,
  TerminalContent,
  ToolCall,
  ToolCallContent,
} from "../call/index.js";
import { breachSentence, endSentence, leftOut, shownText } from "../call/index.js";
import { decidedSubject } from "../call/decided-subject.js";
import { countOf, durationText } from "./amounts.js";
import { blockNote } from "./block-note.js";
import { callHeadline } from "./call-headline.js";
import { exitWords } from "./command-exit.js";
import { diffLines } from "./diff-lines.js";
import { rows } from "./rows.js";
import { visibleLine, visibleName, withoutColours } from "./visible-line.js";
import { isProxied, callOwner } from "./call-owner.js";

export type CallTextOptions = {
  /** The question that the call waits for; without it only its id is told, and with "asked" nothing: it is being put. */
  readonly question?: Question | "asked";
  /** How many lines each item of content may show; 20 unless told. */
  readonly maxLines?: number;
  /** Columns; 80 unless told, never less than 40. */
  readonly width?: number;
  /** The calls of its session: with them it is told whose call it is. */
  readonly calls?: Iterable<ToolCall>;
  /** Nothing but the headline. */
  readonly headlineOnly?: boolean;
};

const MAX_LINES = 20;
const MAX_ITEMS = 32;
const MAX_LOCATIONS = 8;
const WIDTH = 80;
const NARROWEST = 40;

const HEADLINE = { first: "", next: "        " };
const FACT = { first: "    ", next: "        " };
/** Someone else's line; where it goes on in a second row, the gutter is broken. */
const QUOTE = { first: "    │ ", next: "    ┆ " };

/** A line of ours, or a quoted one. */
type Line = { readonly text: string; readonly isQuoted: boolean };

export function callText(call: ToolCall, options: CallTextOptions = {}): string {
  const width = Math.max(NARROWEST, options.width ?? WIDTH);
  const maxLines = Math.max(1, options.maxLines ?? MAX_LINES);
  const owner = callOwner(call, options.calls ?? []);
  const headline = rows(callHeadline(call, owner), HEADLINE, width);
  const isBrief =
    options.headlineOnly === true || (isProxied(call) && owner !== undefined && isShownBy(owner, call));
  // A breach is told with the headline, before anything that the agent shows.
  const details = [...breachLines(call), ...(isBrief ? [] : detailLines(call, options.question, maxLines))];
  return [
    ...headline,
    ...details.flatMap(({ text, isQuoted }) => rows(text, isQuoted ? QUOTE : FACT, width)),
  ].join("\n");
}

function detailLines(
  call: ToolCall,
  question: CallTextOptions["question"],
  maxLines: number,
): readonly Line[] {
  return [
    ...decidedLines(call),
    ...questionLines(call, question),
    ...locationLines(call),
    ...upTo(MAX_ITEMS, call.content, "item").flatMap((item) =>
      typeof item === "string" ? fact(item) : contentLines(item, maxLines),
    ),
    ...endLines(call, maxLines),
  ];
}

/** What we served an agent, when its own call shows all that came of it: then one card is enough. */
function isShownBy({ content: shown }: ToolCall, { content, state }: ToolCall): boolean {
  return (
    state.status === "done" &&
    content.every((item) =>
      shown.some((one) =>
        item.type === "terminal"
          ? one.type === "terminal" && one.terminalId === item.terminalId && one.output !== undefined
          : item.type === "diff" &&
            one.type === "diff" &&
            one.path === item.path &&
            one.newText === item.newText,
      ),
    )
  );
}

function questionLines({ state }: ToolCall, question: CallTextOptions["question"]): readonly Line[] {
  if (state.status !== "waiting" || state.waitingFor.type !== "question" || question === "asked") return [];
  const { questionId } = state.waitingFor;
  if (question?.questionId !== questionId) return [fact(`question ${visibleName(questionId)}`)];
  const expires = durationText(question.askedAt, question.expiresAt);
  return [
    fact(`question ${visibleName(questionId)}: ${visibleName(question.title)}`),
    fact(`answers: ${question.options.map(optionWords).join(" / ")}`),
    ...(expires === undefined ? [] : [fact(`expires ${expires} after it was asked`)]),
  ];
}

/** The name is the asker's word. What the option does is added unless the name says just that. */
function optionWords({ name, kind }: QuestionOption): string {
  const does = kind.replace("_", " ");
  const shown = visibleName(name);
  return shown.toLowerCase() === does ? shown : `${shown} (${does})`;
}

function decidedLines(call: ToolCall): readonly Line[] {
  const subject = decidedSubject(call);
  return subject === undefined ? [] : [fact(`decided on: ${visibleName(subject)}`)];
}

function locationLines({ locations }: ToolCall): readonly Line[] {
  return upTo(MAX_LOCATIONS, locations, "place").map((location) =>
    fact(
      typeof location === "string"
        ? location
        : `at ${visibleName(location.path)}${location.line === undefined ? "" : `:${location.line}`}`,
    ),
  );
}

function contentLines(item: ToolCallContent, maxLines: number): readonly Line[] {
  switch (item.type) {
    case "content":
      return blockLines(item.content, maxLines);
    case "diff": {
      const [heading = "", ...lines] = diffLines(item, { maxLines });
      return [fact(heading), ...lines.map(quote)];
    }
    case "terminal":
      return terminalLines(item, maxLines);
    default:
      return item satisfies never;
  }
}

function blockLines(block: ContentBlock, maxLines: number): readonly Line[] {
  return block.type === "text" ? quotedHead(block.text, maxLines) : [fact(blockNote(block))];
}

function quotedHead(text: string, maxLines: number): readonly Line[] {
  return upTo(maxLines, linesOf(text), "line").map((line, index) =>
    // Only the note after the last line that fits is ours.
    index < maxLines ? quote(visibleLine(line)) : fact(line),
  );
}

/** The end of what it printed: that is where the result stands. */
function terminalLines(terminal: TerminalContent, maxLines: number): readonly Line[] {
  const { output, exit } = terminal;
  const words = ["terminal", ...exitWords(terminal)];
  if (!output) return [fact([...words, "its output is shown elsewhere"].join(", "))];
  const lines = linesOf(withoutColours(shownText(output)));
  if (lines.length === 0) return [fact([...words, exit ? "no output" : "no output yet"].join(", "))];
  const above = lines.length - Math.min(lines.length, maxLines);
  const atLeast = leftOut(output) > 0 ? "more than " : "";
  return [
    fact(words.join(", ")),
    ...(above > 0 ? [fact(`… ${atLeast}${countOf(above, "line")} left out`)] : []),
    ...lines.slice(above).map((line) => quote(visibleLine(line))),
  ];
}

function breachLines(call: ToolCall): readonly Line[] {
  const sentence = breachSentence(call);
  return sentence === undefined ? [] : [fact(visibleName(sentence))];
}

/** An error is the tool's own word and may have many lines; the other sentences are ours. */
function endLines(call: ToolCall, maxLines: number): readonly Line[] {
  const sentence = endSentence(call);
  if (sentence === undefined || sentence === breachSentence(call)) return [];
  if (call.state.status !== "failed") return [fact(visibleName(sentence))];
  const isShown = call.content
    .slice(0, MAX_ITEMS)
    .some(
      (item) => item.type === "content" && item.content.type === "text" && item.content.text === sentence,
    );
  return isShown ? [] : [fact("error"), ...quotedHead(sentence, maxLines)];
}

/** The first of them, and a note in place of the rest. */
function upTo<Item>(most: number, items: readonly Item[], thing: string): readonly (Item | string)[] {
  if (items.length <= most) return items;
  return [...items.slice(0, most), `… ${countOf(items.length - most, `more ${thing}`)} left out`];
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

const fact = (text: string): Line => ({ text, isQuoted: false });
const quote = (text: string): Line => ({ text, isQuoted: true });
