/**
 * Asks the person at the terminal: the action that is about to run, why it is asked, and the rule that each "always"
 * would store. Calls that wait at the same time and are alike are listed together. A reply that is no answer asks again;
 * everything that the question leaves out can be viewed first.
 */
import { createInterface } from "node:readline/promises";
import type { Interface } from "node:readline/promises";
import { hunksOfDiff } from "../call/diff-hunks.js";
import { pluralize, visibleText } from "../call/index.js";
import type { OptionKind, ShownQuestion } from "../call/index.js";
import type { Ask } from "../run/index.js";
import { alikeText, hiddenWords, questionFacts, wholeQuestions, widthsText } from "../view/index.js";
import { columns, rows } from "../view/visible-line.js";
import { hunksText } from "./hunks-text.js";
import { printPages } from "./print-pages.js";
import { readHunks, readReply, readWidth, widthsOf } from "./read-reply.js";
import type { Reply } from "./read-reply.js";
import { screenTerminal } from "./screen-terminal.js";

/** Shows the call that a question is about, and draws nothing else while somebody answers. */
export type Screen = {
  showCall(toolCallId: string): void;
  pause(): void;
  resume(): void;
  /** Resolves when the call has ended, or soon, so that its end stands below its own question. */
  untilEnded?(toolCallId: string): Promise<void>;
};

type Given = Awaited<ReturnType<Ask>>;

/** The terminal of a person who answers one question: it shows prompts and reads replies. */
export type AnswerDesk = {
  readonly write: (text: string) => void;
  /** The reply to the question itself: a line, or the word for a key. */
  readonly reply: (question: ShownQuestion, others: OtherQuestions) => Promise<string>;
  /** Another question has joined the line. */
  readonly refresh?: () => void;
  readonly line: (prompt: string) => Promise<string>;
  /** Lets the person change the input. Undefined when it stayed as it was. */
  readonly edit?: (input: unknown) => Promise<{ readonly input: unknown } | undefined>;
  /** Explains the decision to ask. */
  readonly why?: (question: ShownQuestion) => Promise<string>;
  /** Explains the answers. */
  readonly help: (question: ShownQuestion, others: OtherQuestions) => string;
  readonly close: () => void;
};

/** The questions beside the one that is asked. */
type OtherQuestions = {
  /** Calls that may be answered together with it. */
  readonly alike: readonly ShownQuestion[];
  /** " (1 of 3)" at this moment; empty while there are no others. */
  readonly place: () => string;
};

export type OpenDesk = (signal: AbortSignal) => AnswerDesk;

/** A question in the line; `given`: the answer that somebody gave to it together with another. */
type Waiting = { readonly question: ShownQuestion; readonly signal: AbortSignal; given?: Given };

export function askInTerminal(screen: Screen, openDesk: OpenDesk = lineDesk): Ask {
  let line: Promise<unknown> = Promise.resolve();
  const waiting = new Set<Waiting>();
  let desk: AnswerDesk | undefined;
  /** How many were settled since nobody was asked last. */
  let settled = 0;
  const place = (): string => {
    const all = settled + waiting.size;
    return all > 1 ? ` (${settled + 1} of ${all})` : "";
  };
  return (question, signal) => {
    const own: Waiting = { question, signal };
    waiting.add(own);
    desk?.refresh?.();
    // Asks one question at a time: nobody could tell two prompts on one line apart.
    const asked = line.then(async () => {
      signal.throwIfAborted();
      if (own.given) return own.given;
      screen.showCall(question.toolCallId);
      screen.pause();
      const alike = alikeOf(own, waiting);
      desk = openDesk(signal);
      const answer = readAnswer(question, { alike: alike.map((one) => one.question), place }, desk, signal);
      const { isForAll, ...given } = await answer.finally(() => {
        desk = undefined;
        screen.resume();
      });
      if (isForAll) for (const other of alike) other.given = given;
      return given;
    });
    line = asked
      .catch(() => undefined)
      .finally(() => {
        waiting.delete(own);
        settled = waiting.size === 0 ? 0 : settled + 1;
      })
      .then(() => (waiting.size === 0 ? undefined : screen.untilEnded?.(question.toolCallId)));
    return asked;
  };
}

/** The other calls in the line that may be answered together with this one. */
function alikeOf(own: Waiting, waiting: ReadonlySet<Waiting>): readonly Waiting[] {
  const { likeness } = own.question;
  if (likeness === undefined) return [];
  return [...waiting].filter(
    ({ question, signal, given }) =>
      question !== own.question && question.likeness === likeness && !signal.aborted && !given,
  );
}

async function readAnswer(
  question: ShownQuestion,
  others: OtherQuestions,
  desk: AnswerDesk,
  signal: AbortSignal,
): Promise<Given & { readonly isForAll?: true }> {
  try {
    desk.write(questionText(question, others.alike));
    const { option, reason, choice, isForAll, input, keptHunks } = await untilAnswered(
      question,
      others,
      desk,
    );
    return {
      outcome: option ? { type: "selected", optionId: option.optionId, ...choice } : { type: "refused" },
      by: "person",
      who: "you",
      ...(reason !== undefined && { reason }),
      ...(input && { input: input.changed }),
      ...(keptHunks && { keptHunks }),
      ...(isForAll && { isForAll }),
    };
  } catch (error) {
    if (signal.aborted) throw error;
    // The terminal was closed while the question was open.
    return { outcome: { type: "refused" }, by: "person", who: "you", reason: "no answer was given" };
  } finally {
    desk.close();
  }
}

type Answered = Extract<Reply, { readonly type: "answer" }> & {
  readonly input?: { readonly changed: unknown };
};

async function untilAnswered(
  question: ShownQuestion,
  others: OtherQuestions,
  desk: AnswerDesk,
): Promise<Answered> {
  const { alike } = others;
  for (;;) {
    const typed = await desk.reply(question, others);
    const reply = readReply(typed, {
      ...question,
      alike: alike.length,
      isInteractive: desk.why !== undefined,
    });
    const chosen =
      reply.type === "choose"
        ? await untilChosen(question, desk)
        : reply.type === "hunks"
          ? await untilKept(question, desk)
          : reply;
    switch (chosen?.type) {
      case "answer":
        return chosen;
      case "view":
        await printPages(
          wholeQuestions(question, alike, screenWidth()),
          { ...screenRows(), write: desk.write },
          desk.line,
        );
        break;
      case "help":
        desk.write(desk.help(question, others));
        break;
      case "again":
        desk.write(hintText(chosen.hint));
        break;
      case "why":
        desk.write(
          (await desk.why?.(question)) ??
            "That is not an answer. Nothing was answered; ? shows the answers.\n",
        );
        break;
      case "edit": {
        const option = question.options.find(({ kind }) => kind === "allow_once");
        const changed = await desk.edit?.(question.call.rawInput);
        if (option && changed) return { type: "answer", option, input: { changed: changed.input } };
        desk.write("The input was not changed. Nothing was answered.\n");
        break;
      }
      default:
    }
  }
}

const hintText = (hint: string): string =>
  `${rows(visibleText(hint), { first: "", next: INDENT }, screenWidth()).join("\n")}\n`;

const screenRows = () => (process.stdout.rows === undefined ? {} : { rows: process.stdout.rows });

/** Shows the widths of "always" with their rules, until one is chosen. Undefined when the person goes back. */
async function untilChosen(question: ShownQuestion, desk: AnswerDesk): Promise<Reply | undefined> {
  const scopes = rows(SCOPES, { first: "  ", next: "    " }, screenWidth()).join("\n");
  desk.write(`\n${widthsText(widthsOf(question, "allow"), screenWidth())}\n${scopes}\n`);
  for (;;) {
    const reply = readWidth(await desk.line(WIDTH_PROMPT), question);
    if (reply?.type !== "again") return reply;
    desk.write(hintText(reply.hint));
  }
}

/** Shows the hunks of the edit, until those to keep are chosen. Undefined when the person goes back. */
async function untilKept(question: ShownQuestion, desk: AnswerDesk): Promise<Reply | undefined> {
  const hunks = question.call.content.flatMap((item) => (item.type === "diff" ? hunksOfDiff(item) : []));
  desk.write(`\n${hunksText(hunks.map((hunk, index) => ({ ...hunk, number: index + 1 })))}\n`);
  for (;;) {
    const reply = readHunks(await desk.line(HUNKS_PROMPT), question);
    if (reply?.type !== "again") return reply;
    desk.write(hintText(reply.hint));
  }
}

const HUNKS_PROMPT = "Keep which hunks? Numbers such as 1 3; the others are rejected; [b]ack: ";

/** A terminal that sends whole lines. */
export const lineDesk: OpenDesk = (signal) => {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // Ctrl-C at the question cancels the turn; readline would keep the signal from the process.
  terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  const line = async (prompt: string): Promise<string> => {
    await dropTypeAhead(terminal);
    return terminal.question(promptRows(prompt, screenWidth()), { signal });
  };
  return {
    write: (text) => void process.stdout.write(text),
    line,
    reply: (question, others) => line(choicesText(question, others)),
    help: helpText,
    close: () => {
      terminal.close();
      process.stdout.write("\n");
    },
  };
};

/** Broken between the choices; within them only where one is wider than the terminal. */
export function promptRows(prompt: string, width: number): string {
  const isRoomy = prompt.split(AFTER_CHOICE).every((choice) => columns(choice) <= width - INDENT.length);
  const joined = isRoomy ? prompt.trimEnd().replace(IN_CHOICE, "\u00A0") : prompt.trimEnd();
  return `${rows(joined, { first: "", next: INDENT }, width).join("\n").replaceAll("\u00A0", " ")} `;
}

const INDENT = "  ";
const AFTER_CHOICE = /(?<=[,;]) /;
const IN_CHOICE = /(?<![,;]) /g;

const SCOPES =
  "for: [p]roject, [s]ession or [e]verywhere; it ends after an [h]our, [t]oday, in a [m]onth, or not at all";
const WIDTH_PROMPT = "Always allow which? Enter is 1 p; or a number and letters, such as 1 s h; [b]ack: ";

const screenWidth = (): number => screenTerminal.columns - 1;

/** The facts that the card of the call does not show: why it is asked, where its paths and links lead. */
function questionText(question: ShownQuestion, alike: readonly ShownQuestion[]): string {
  const { about = [] } = question;
  const hidden = hiddenWords(question, alike);
  // A call that shows its input shows nothing else that can be relied on.
  const isShown = about.some((line) => line.startsWith("input: ")) ? NOT_IN_THE_INPUT : NOT_IN_THE_CALL;
  const facts = questionFacts(
    question,
    about.filter((line) => isShown.test(line)),
    screenWidth(),
  );
  const cut = hidden === undefined ? "" : `Not all of it is shown: ${hidden} more. v shows all of it.\n`;
  const others =
    alike.length === 0
      ? ""
      : `${pluralize(alike.length, "more call")} like this:\n${alikeText(alike, screenWidth())}\n`;
  return `\n${facts === "" ? "" : `${facts}\n`}${others}${cut}`;
}

const NOT_IN_THE_CALL = / \(written as |^(?:runs|runs in|sets|input|host): /;
const NOT_IN_THE_INPUT = / \(written as |^(?:runs|runs in|sets|input|host|read|search|write|delete|move): /;

function choicesText(question: ShownQuestion, { alike, place }: OtherQuestions): string {
  const count = alike.length;
  const choices = [
    "[y]es",
    ...(count > 0 ? [`all (${count + 1})`] : []),
    ...(offersSession(question) ? ["this [s]ession"] : []),
    ...(offersAlways(question) ? ["[a]lways"] : []),
    "[n]o (Enter)",
    ...(count > 0 ? ["none"] : []),
    ...(offers(question, "reject_always") ? ["never"] : []),
    ...(question.hunks === undefined ? [] : ["hunks"]),
    ...(hiddenWords(question, alike) === undefined ? [] : ["[v]iew all"]),
    "[?] help",
  ];
  return `Allow this${place()}? ${choices.join(", ")}, or no with your reason: `;
}

export const offers = ({ options }: ShownQuestion, kind: OptionKind): boolean =>
  options.some((option) => option.kind === kind);

/** Whether a rule may be stored for longer than this session. */
export const offersAlways = ({ options }: Pick<ShownQuestion, "options">): boolean =>
  options.some(({ kind, grant }) => kind === "allow_always" && grant?.scope !== "session");

export const offersSession = ({ options }: ShownQuestion): boolean =>
  options.some(({ grant }) => grant?.scope === "session");

function helpText(question: ShownQuestion, { alike }: OtherQuestions): string {
  const lines = [
    "  y, yes, ok          allow this call, once",
    ...(alike.length > 0
      ? ["  all, none           allow or refuse, once, all the calls that are listed"]
      : []),
    ...(offersSession(question)
      ? ['  s, session          allow it, and what "always" above names, in this session']
      : []),
    ...(offersAlways(question)
      ? [
          "  a, always           choose the rule to store: how wide, where, for how long",
          "  a 2 s h             the second rule, for this session, for an hour",
        ]
      : []),
    "  n, no, Enter        refuse this call; the agent continues without it",
    "  n not this file     refuse it, with a reason for the agent; so does any sentence",
    ...(offers(question, "reject_always")
      ? ["  never               refuse it, and store the rule above"]
      : []),
    ...(question.hunks === undefined
      ? []
      : ["  hunks               choose the hunks of the edit to keep; the others are rejected"]),
    "  v, view             show all of the call, and of those that are listed: command, input and preview",
    "  Ctrl-C              cancel the turn",
  ];
  return `${lines.join("\n")}\n`;
}

/** Drops input that was typed before the question was visible: it cannot be an answer. */
async function dropTypeAhead(terminal: Interface): Promise<void> {
  terminal.on("line", drop);
  await new Promise((resolve) => setTimeout(resolve, TYPE_AHEAD_MS));
  terminal.off("line", drop);
}

const drop = (): void => undefined;

/** Buffered input arrives within this time, and nobody reads a question faster. */
const TYPE_AHEAD_MS = 150;

/** Refuses every call because nobody can be asked. `next` says what the user can do. */
export const refuseAllWith =
  (next: string): Ask =>
  () =>
    Promise.resolve({
      outcome: { type: "refused" },
      by: "rule",
      who: "Toolgate",
      reason: `there is no terminal to ask at; ${next}`,
    });

export const refuseAll = refuseAllWith("run it in one, or allow it with: toolgate rules add");
