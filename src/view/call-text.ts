/**
 * A call's card as text: its headline, and below it the question, the locations, the content and the end.
 */
import type { Question, ToolCall } from "../call/index.js";
import { AMOUNT, checkOptions, either, FLAG, ITERABLE, OBJECT, oneOf } from "../call/check-options.js";
import type { OptionChecks } from "../call/check-options.js";
import { countOf } from "../call/amounts.js";
import { callCard } from "./call-card.js";
import type { CallCard, CardEnd, CardQuestion } from "./call-card.js";
import type { CardBlock, TerminalBlock, TextBlock } from "./card-blocks.js";
import { diffCardLines } from "./diff-card.js";
import { MIN_WIDTH, QUOTE, rows } from "./visible-line.js";

export type CallTextOptions = {
  /** The question that the call waits for. Without it only the id is shown; "asked" shows nothing, since another part of the screen shows the question. */
  readonly question?: Question | "asked";
  /** How many lines each item of content may show; 20 unless set. */
  readonly maxLines?: number;
  /** Columns; 80 unless set, never less than 20. */
  readonly width?: number;
  /** The calls of its session, to show which call this one belongs to. */
  readonly calls?: Iterable<ToolCall>;
  /** Only the headline. */
  readonly headlineOnly?: boolean;
  /** Below the headline only how it ended: the rest stands in the question above. */
  readonly endOnly?: boolean;
};

const WIDTH = 80;

const HEADLINE = { first: "", next: "        " };
const FACT = { first: "    ", next: "        " };

/** A line by Toolgate, or a quoted one. */
export type Line = { readonly text: string; readonly isQuoted: boolean };

const CALL_TEXT_OPTIONS: OptionChecks<CallTextOptions> = {
  question: either(OBJECT, oneOf("asked")),
  maxLines: AMOUNT,
  width: AMOUNT,
  calls: ITERABLE,
  headlineOnly: FLAG,
  endOnly: FLAG,
};

export function callText(call: ToolCall, options: CallTextOptions = {}): string {
  checkOptions("callText", options, CALL_TEXT_OPTIONS);
  const { question, maxLines, calls } = options;
  const card = callCard(call, {
    ...(question !== "asked" && { question }),
    ...(maxLines !== undefined && { maxLines }),
    ...(calls && { calls }),
  });
  return cardText(card, { ...options, isAsked: question === "asked" });
}

export type CardTextOptions = Pick<CallTextOptions, "width" | "headlineOnly" | "endOnly"> & {
  /** Another part of the screen shows the question. */
  readonly isAsked?: boolean;
};

export function cardText(card: CallCard, options: CardTextOptions = {}): string {
  const { headlineOnly = false, endOnly = false, isAsked = false } = options;
  const width = Math.max(MIN_WIDTH, options.width ?? WIDTH);
  const isBrief = headlineOnly || card.isShownByOwner;
  // A breach stands right below the headline, before anything that the agent shows.
  const breach = card.breach === undefined ? [] : [fact(card.breach)];
  const below = endOnly ? [...(card.end ? endLines(card.end) : [])] : detailLines(card, isAsked);
  const details = [...breach, ...(isBrief ? [] : below)];
  return [
    ...rows(callHeadline(card), HEADLINE, width),
    ...details.flatMap(({ text, isQuoted }) => rows(text, isQuoted ? QUOTE : FACT, width)),
  ].join("\n");
}

/**
 * The agent chooses the title, so the facts come last: whatever a title pretends, Toolgate writes the brackets at the
 * end.
 */
export function callHeadline({ mark, icon, owner, title, facts }: CallCard): string {
  return `${mark} ${icon} ${owner === undefined ? "" : `${owner} › `}${title} (${facts.join(", ")})`;
}

function detailLines(card: CallCard, isAsked: boolean): readonly Line[] {
  const heading = headingWithLines(card);
  const places = card.locations.map(({ path, line }) =>
    fact(`at ${path}${line === undefined ? "" : `:${line}`}`),
  );
  return [
    ...(card.decidedOn === undefined ? [] : [fact(`decided on: ${card.decidedOn}`)]),
    ...(card.question && !isAsked ? questionLines(card.question) : []),
    ...(heading === undefined ? [...places, ...leftOut(card.hiddenLocations, "more place")] : []),
    ...card.blocks.flatMap((block) =>
      heading === undefined ? blockLines(block) : diffBlockLines(block, heading),
    ),
    ...leftOut(card.hiddenBlocks, "more item"),
    ...(card.end ? endLines(card.end) : []),
    ...(card.notKept === undefined ? [] : [fact(`cannot be undone: ${card.notKept}`)]),
  ];
}

function questionLines({ questionId, title, options, expiresAfter }: CardQuestion): readonly Line[] {
  if (title === undefined) return [fact(`question ${questionId}`)];
  return [
    fact(`question ${questionId}: ${title}`),
    fact(`answers: ${options.map(optionWords).join(" / ")}`),
    ...(expiresAfter === undefined ? [] : [fact(`expires ${expiresAfter} after it was asked`)]),
  ];
}

/** The asker chooses the name. The option's kind is added unless the name equals it. */
function optionWords({ name, kind }: CardQuestion["options"][number]): string {
  return name.toLowerCase() === kind ? name : `${name} (${kind})`;
}

export function blockLines(block: CardBlock): readonly Line[] {
  switch (block.type) {
    case "text":
      return textLines(block);
    case "note":
      return [fact(block.text)];
    case "diff":
      return diffBlockLines(block, block.heading);
    case "terminal":
      return terminalLines(block);
    default:
      return block satisfies never;
  }
}

function diffBlockLines(block: CardBlock, heading: string): readonly Line[] {
  if (block.type !== "diff") return blockLines(block);
  const [, ...lines] = diffCardLines(block);
  return [fact(heading), ...lines.map(quote)];
}

/** The heading of the only diff, with the lines of the places, where these are all in its file: a path is shown once. */
function headingWithLines({ blocks, locations, hiddenLocations }: CallCard): string | undefined {
  const diffs = blocks.flatMap((block) => (block.type === "diff" ? block : []));
  const [diff, ...others] = diffs;
  const path = locations[0]?.path;
  if (!diff || others.length > 0 || path === undefined) return undefined;
  const [verb = ""] = /^\w+ /.exec(diff.heading) ?? [];
  const notes = diff.heading.slice(verb.length + path.length);
  const isItsFile = diff.heading.startsWith(verb + path) && (notes === "" || notes.startsWith(" ("));
  if (!isItsFile || locations.some((one) => one.path !== path)) return undefined;
  const numbers = locations.flatMap(({ line }) => line ?? []);
  const lines = `${numbers.join(", ")}${hiddenLocations > 0 ? ", …" : ""}`;
  return `${verb}${path}${lines === "" ? "" : `:${lines}`}${notes}`;
}

const textLines = ({ lines, hiddenLines }: TextBlock): readonly Line[] => [
  ...lines.map(quote),
  ...leftOut(hiddenLines, "more line"),
];

const NO_OUTPUT = {
  elsewhere: "its output is shown elsewhere",
  none: "no output",
  "none-yet": "no output yet",
} as const;

function terminalLines({ exit, output, lines, hiddenLinesAbove, isCut }: TerminalBlock): readonly Line[] {
  const words = ["terminal", ...exit];
  if (output !== "shown") return [fact([...words, NO_OUTPUT[output]].join(", "))];
  const above = `… ${isCut ? "more than " : ""}${countOf(hiddenLinesAbove, "line")} left out`;
  return [fact(words.join(", ")), ...(hiddenLinesAbove > 0 ? [fact(above)] : []), ...lines.map(quote)];
}

const endLines = (end: CardEnd): readonly Line[] =>
  end.type === "sentence" ? [fact(end.text)] : [fact("error"), ...textLines(end.message)];

const leftOut = (count: number, thing: string): readonly Line[] =>
  count > 0 ? [fact(`… ${countOf(count, thing)} left out`)] : [];

const fact = (text: string): Line => ({ text, isQuoted: false });
const quote = (text: string): Line => ({ text, isQuoted: true });
