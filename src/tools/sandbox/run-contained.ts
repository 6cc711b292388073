/**
 * Runs a command in a sandbox, from before it enters until the workspace was looked at after it. The one way in: what
 * must happen around every contained command happens here.
 */
import { appendText, EMPTY_TEXT, shownText } from "../../call/index.js";
import type { SandboxRefusal } from "../../call/index.js";
import { followProgram, mustBeWords, runCommand } from "../run-command.js";
import type { CommandExit, CommandOptions } from "../workspace.js";
import { watchDisk } from "./watch-disk.js";
import { watchMemory } from "./watch-memory.js";
import type { Sandbox, SandboxPlace } from "./sandbox.js";

export async function runContained(
  sandbox: Sandbox,
  argv: readonly string[],
  place: SandboxPlace,
  options: CommandOptions,
): Promise<CommandExit> {
  mustBeWords(argv, place.env ?? {});
  // A terminal must be there from the start.
  const entered = await sandbox.enter(argv, { ...place, isPrepared: !options.pty });
  let output = EMPTY_TEXT;
  const onOutput = (text: string): void => {
    output = appendText(output, text);
    options.onOutput(text);
  };
  let exit: CommandExit = {};
  const full = new AbortController();
  let whyStopped: string | undefined;
  const stop = (why: string): void => {
    whyStopped ??= why;
    full.abort();
  };
  const watches = [watchDisk(place.cwd, () => stop(DISK_FULL)), watchMemory(() => stop(MEMORY_FULL))];
  try {
    const { start } = entered;
    const signal = AbortSignal.any([options.signal, full.signal]);
    const running = { ...options, signal, onOutput, cwd: place.cwd, env: entered.env };
    exit = await (start ? followProgram(argv, running, start) : runCommand(entered.argv, running));
    return exit;
  } finally {
    for (const watch of watches) watch.stop();
    const refusals = await entered.leave(exit, shownText(output));
    if (refusals.length > 0) options.onRefused?.(refusals);
    if (whyStopped !== undefined) options.onOutput(`[${whyStopped}]\n`);
    for (const note of notesOn(refusals, options)) options.onOutput(`[${note}]\n`);
  }
}

/** For the reader of the output. A contained command may be asked for again; in a session with --sandbox there is no outside. */
function notesOn(refusals: readonly SandboxRefusal[], { contained }: CommandOptions): readonly string[] {
  const isInTheWay = refusals.some(isOfSandbox);
  return [...refusals.map(({ text }) => text), ...(contained && isInTheWay ? [AGAIN] : [])];
}

/** Whether the command failed because of the sandbox, and would perhaps not fail outside. */
export const isOfSandbox = ({ type }: SandboxRefusal): boolean => type !== "held back";

const DISK_FULL =
  "The sandbox stopped the command: it left too little of the disk free. The files that it wrote until then are still there.";
const MEMORY_FULL =
  "The sandbox stopped the command: it left too little of the machine's memory free. The files that it wrote until then are still there.";

const AGAIN =
  "This command ran in a sandbox. To run it outside of the sandbox, make the same call again at once: a person is then asked.";
