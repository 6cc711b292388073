/**
 * Asks the person at the terminal: the action that is about to run, why it is asked, and the rule that each "always"
 * would store. Only the listed words are answers; any other text is the reason for a no.
 */
import { createInterface } from "node:readline/promises";
import type { Interface } from "node:readline/promises";
import { visibleText } from "../call/index.js";
import type { OptionKind, Question } from "../call/index.js";
import type { Ask } from "../run/index.js";

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

async function readAnswer(question: Question, signal: AbortSignal): Promise<Awaited<ReturnType<Ask>>> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // Ctrl-C at the question cancels the turn; readline would keep the signal from the process.
  terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  try {
    process.stdout.write(questionText(question));
    await dropTypeAhead(terminal);
    const text = (await terminal.question(choicesText(question), { signal })).trim();
    const kind = KINDS.find(([, words]) => words.includes(text.toLowerCase()))?.[0] ?? "reject_once";
    // An "always" that was not offered counts as a no.
    const option = question.options.find((one) => one.kind === kind);
    const isWord = KINDS.some(([, words]) => words.includes(text.toLowerCase()));
    return {
      outcome: option ? { type: "selected", optionId: option.optionId } : { type: "refused" },
      by: "person",
      who: "you",
      ...(!isWord && { reason: text }),
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

const KINDS: readonly (readonly [OptionKind, readonly string[]])[] = [
  ["allow_once", ["y", "yes"]],
  ["allow_always", ["a", "always"]],
  ["reject_always", ["never"]],
  ["reject_once", ["", "n", "no"]],
];

/** The facts that the card of the call does not show: why it is asked, where its paths and links lead. */
function questionText({ reason, about = [], options }: Question): string {
  // A call that shows its input shows nothing else that can be relied on.
  const isShown = about.some((line) => line.startsWith("input: ")) ? NOT_IN_THE_INPUT : NOT_IN_THE_CALL;
  const lines = [
    ...(reason === undefined ? [] : [`Asked because ${visibleText(reason.replace(/\.+$/, ""))}.`]),
    ...about.filter((line) => isShown.test(line)).map((line) => visibleText(line, { keepNewlines: true })),
    ...options.flatMap(({ kind, grant }) =>
      grant ? [`${kind === "allow_always" ? "always" : "never"} = ${visibleText(grant.sentence)}`] : [],
    ),
  ];
  return lines.length === 0 ? "\n" : `\n${lines.join("\n")}\n`;
}

const NOT_IN_THE_CALL = / \(written as |^(?:runs|runs in|sets|input|host): /;
const NOT_IN_THE_INPUT = / \(written as |^(?:runs|runs in|sets|input|host|read|search|write|delete|move): /;

function choicesText({ options }: Question): string {
  const offers = (kind: OptionKind) => options.some((option) => option.kind === kind);
  const choices = [
    "[y]es",
    ...(offers("allow_always") ? ["[a]lways"] : []),
    "[n]o (Enter)",
    ...(offers("reject_always") ? ["never"] : []),
  ];
  return `Allow this? ${choices.join(", ")}, or no with your reason: `;
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
