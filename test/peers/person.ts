/** A person at a terminal: `toolgate run` in a pseudo-terminal, each question answered, Ctrl-C pressed when it is time. */
import { setTimeout } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { spawn } from "@lydell/node-pty";

export type Sitting = {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
  /** The reply to every question. */
  readonly reply: string;
  /** Press Ctrl-C as soon as this is true. */
  readonly cancelWhen?: () => boolean;
};

export type Sat = { readonly code: number; readonly screen: string; readonly questions: number };

const QUESTION = "or no with your reason: ";
const SITTING_MS = 150_000;
const POLL_MS = 100;

export async function sit({ words, cwd, env, reply, cancelWhen }: Sitting): Promise<Sat> {
  const terminal = spawn(process.execPath, [...words], { cwd, env, cols: 160, rows: 60 });
  let screen = "";
  let answered = 0;
  const exit: { code?: number } = {};
  terminal.onData((data) => (screen += data));
  terminal.onExit(({ exitCode }) => (exit.code = exitCode));
  const end = Date.now() + SITTING_MS;
  let isCancelled = false;
  while (exit.code === undefined && Date.now() < end) {
    await setTimeout(POLL_MS);
    const asked = stripVTControlCharacters(screen).split(QUESTION).length - 1;
    if (asked > answered) {
      answered = asked;
      // A question drops what was typed ahead of it.
      await setTimeout(POLL_MS * 3);
      terminal.write(`${reply}\r`);
    }
    if (!isCancelled && cancelWhen?.()) {
      isCancelled = true;
      terminal.write("\u0003");
    }
  }
  if (exit.code === undefined) terminal.kill("SIGTERM");
  return { code: exit.code ?? -1, screen: stripVTControlCharacters(screen), questions: answered };
}
