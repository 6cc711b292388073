/**
 * Puts a question to whoever sits at the terminal: what is really about to be done, why it is asked, and
 * the rule that each "always" would store. Only a plain word is an answer; anything else is the reason for a no.
 */
import { createInterface } from "node:readline/promises";
import type { Interface } from "node:readline/promises";
import { visibleText } from "../call/index.js";
import type { OptionKind, Question } from "../call/index.js";
import type { Ask } from "../run/index.js";

/** What is shown beside the question: the call it is about, and nothing else while somebody answers. */
export type Screen = {
  showCall(toolCallId: string): void;
  pause(): void;
  resume(): void;
};

export function askInTerminal(screen: Screen): Ask {
  let line: Promise<unknown> = Promise.resolve();
  return (question, signal) => {
    // One question at a time: two prompts on one line could not be told apart.
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
  // Ctrl-C at the question is a no to all of it; the terminal keeps it from the process otherwise.
  terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  try {
    process.stdout.write(questionText(question));
    await dropWhatWasTyped(terminal);
    const text = (await terminal.question(choicesText(question), { signal })).trim();
    const kind = KINDS.find(([, words]) => words.includes(text.toLowerCase()))?.[0] ?? "reject_once";
    // An "always" that is not offered is no yes.
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
    // The terminal was closed on the question.
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

/** What the call itself does not show: why it is asked, where its paths and links really lead. */
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

/** What was typed before the question was there to be read is no answer to it. */
async function dropWhatWasTyped(terminal: Interface): Promise<void> {
  terminal.on("line", drop);
  await new Promise((resolve) => setTimeout(resolve, TYPED_BEFORE));
  terminal.off("line", drop);
}

const drop = (): void => undefined;

/** Milliseconds: what lay in the buffer arrives at once, and nobody reads a question faster. */
const TYPED_BEFORE = 150;

/** Nobody is there to ask. `next` is what to do about it. */
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
