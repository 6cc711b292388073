/** Puts a question to whoever sits at the terminal. Only a plain yes is a yes; anything else is the reason for a no. */
import { createInterface } from "node:readline/promises";
import type { Interface } from "node:readline/promises";
import type { Ask } from "../run/index.js";

export function askInTerminal(show: (toolCallId: string) => void): Ask {
  let line: Promise<unknown> = Promise.resolve();
  return (question, signal) => {
    // One question at a time: two prompts on one line could not be told apart.
    const asked = line.then(async () => {
      signal.throwIfAborted();
      show(question.toolCallId);
      return readAnswer(signal);
    });
    line = asked.catch(() => undefined);
    return asked;
  };
}

async function readAnswer(signal: AbortSignal): Promise<Awaited<ReturnType<Ask>>> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // Ctrl-C at the question is a no to all of it; the terminal keeps it from the process otherwise.
  terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  try {
    await dropWhatWasTyped(terminal);
    const text = (
      await terminal.question("\nAllow this once? [y]es, [n]o, or no with your reason: ", { signal })
    ).trim();
    const isYes = /^y(es)?$/i.test(text);
    const reason = isYes || /^(no?)?$/i.test(text) ? {} : { reason: text };
    return {
      outcome: { type: "selected", optionId: isYes ? "allow_once" : "reject_once" },
      by: "person",
      who: "you",
      ...reason,
    };
  } finally {
    terminal.close();
    process.stdout.write("\n");
  }
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

/** Nobody is there to ask. */
export const refuseAll: Ask = () =>
  Promise.resolve({
    outcome: { type: "refused" },
    by: "rule",
    rule: "nobody to ask",
    reason: "there is no terminal to ask at; run it in one, or allow it with: toolgate rules add",
  });
