/**
 * Asks the person at the terminal: the action that is about to run, why it is asked, and the rule that each "always"
 * would store. A reply that is no answer asks again; everything that the question leaves out can be viewed first.
 */
import { createInterface } from "node:readline/promises";
import type { Interface } from "node:readline/promises";
import { visibleText } from "../call/index.js";
import type { OptionKind, ShownQuestion } from "../call/index.js";
import type { Ask } from "../run/index.js";
import { hiddenWords, questionFacts, wholeQuestion } from "../view/index.js";
import { printPages } from "./print-pages.js";
import { readReply } from "./read-reply.js";

/** Shows the call that a question is about, and draws nothing else while somebody answers. */
export type Screen = {
  showCall(toolCallId: string): void;
  pause(): void;
  resume(): void;
};

export function askInTerminal(screen: Screen): Ask {
  let line: Promise<unknown> = Promise.resolve();
  return (question, signal) => {
    // One question at a time: nobody could tell two prompts on one line apart.
    const asked = line.then(async () => {
      signal.throwIfAborted();
      screen.showCall(question.toolCallId);
      screen.pause();
      return readAnswer(question, signal).finally(() => screen.resume());
    });
    line = asked.catch(() => undefined);
    return asked;
  };
}

async function readAnswer(question: ShownQuestion, signal: AbortSignal): Promise<Awaited<ReturnType<Ask>>> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // Ctrl-C at the question cancels the turn; readline would keep the signal from the process.
  terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  const read = async (prompt: string) => {
    await dropTypeAhead(terminal);
    return terminal.question(prompt, { signal });
  };
  try {
    const hidden = hiddenWords(question);
    process.stdout.write(questionText(question, hidden));
    const { option, reason } = await untilAnswered(question, choicesText(question, hidden), read);
    return {
      outcome: option ? { type: "selected", optionId: option.optionId } : { type: "refused" },
      by: "person",
      who: "you",
      ...(reason !== undefined && { reason }),
    };
  } catch (error) {
    if (signal.aborted) throw error;
    // The terminal was closed while the question was open.
    return { outcome: { type: "refused" }, by: "person", who: "you", reason: "no answer was given" };
  } finally {
    terminal.close();
    process.stdout.write("\n");
  }
}

async function untilAnswered(
  question: ShownQuestion,
  prompt: string,
  read: (prompt: string) => Promise<string>,
) {
  for (;;) {
    const reply = readReply(await read(prompt), question.options);
    if (reply.type === "answer") return reply;
    if (reply.type === "view") {
      await printPages(wholeQuestion(question, screenWidth()), process.stdout, read);
    } else if (reply.type === "help") process.stdout.write(helpText(question));
    else process.stdout.write(`${visibleText(reply.hint)}\n`);
  }
}

const screenWidth = (): number => (process.stdout.columns ?? 80) - 1;

/** The facts that the card of the call does not show: why it is asked, where its paths and links lead. */
function questionText(question: ShownQuestion, hidden: string | undefined): string {
  const { about = [] } = question;
  // A call that shows its input shows nothing else that can be relied on.
  const isShown = about.some((line) => line.startsWith("input: ")) ? NOT_IN_THE_INPUT : NOT_IN_THE_CALL;
  const facts = questionFacts(
    question,
    about.filter((line) => isShown.test(line)),
    screenWidth(),
  );
  const cut = hidden === undefined ? "" : `Not all of it is shown: ${hidden} more. v shows all of it.\n`;
  return `\n${facts === "" ? "" : `${facts}\n`}${cut}`;
}

const NOT_IN_THE_CALL = / \(written as |^(?:runs|runs in|sets|input|host): /;
const NOT_IN_THE_INPUT = / \(written as |^(?:runs|runs in|sets|input|host|read|search|write|delete|move): /;

function choicesText(question: ShownQuestion, hidden: string | undefined): string {
  const choices = [
    "[y]es",
    ...(offers(question, "allow_always") ? ["[a]lways"] : []),
    "[n]o (Enter)",
    ...(offers(question, "reject_always") ? ["never"] : []),
    ...(hidden === undefined ? [] : ["[v]iew all"]),
    "[?] help",
  ];
  return `Allow this? ${choices.join(", ")}, or no with your reason: `;
}

const offers = ({ options }: ShownQuestion, kind: OptionKind): boolean =>
  options.some((option) => option.kind === kind);

function helpText(question: ShownQuestion): string {
  const lines = [
    "  y, yes, ok          allow this call, once",
    ...(offers(question, "allow_always") ? ["  a, always           allow it, and store the rule above"] : []),
    "  n, no, Enter        refuse this call; the agent goes on without it",
    "  n not this file     refuse it, with a reason for the agent; so does any sentence",
    ...(offers(question, "reject_always")
      ? ["  never               refuse it, and store the rule above"]
      : []),
    "  v, view             show all of the call: the whole command, input and preview",
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
      rule: "nobody to ask",
      reason: `there is no terminal to ask at; ${next}`,
    });

export const refuseAll = refuseAllWith("run it in one, or allow it with: toolgate rules add");
