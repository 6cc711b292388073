/**
 * Runs a command with everything it starts, until it exits or its signal ends it.
 *
 * A command gets no input: its stdin is empty, or a terminal at which nobody types. The signal ends its whole process
 * tree. A background process that the command leaves when it exits by itself stays, but its output is no longer read.
 * Output is passed on as it arrives and not stored.
 */
import { loadPty, startInTerminal, startWithPipes } from "../process/index.js";
import type { TextProgram } from "../process/index.js";
import { fileErrorText } from "./file-errors.js";
import { type FolderHandle, inFolderOf } from "./folder-handle.js";
import { notStarted } from "./not-started.js";
import { ToolFailure } from "./tool.js";
import type { CommandExit, CommandOptions } from "./workspace.js";

const MAX_DRAIN_MS = 500;

type RunOptions = Omit<CommandOptions, "cwd" | "env"> & {
  readonly cwd: string;
  /** The whole environment: nothing else is inherited. */
  readonly env: NodeJS.ProcessEnv;
};

/** Runs the words as they are, by no shell. */
export async function runCommand(argv: readonly string[], options: RunOptions): Promise<CommandExit> {
  return followProgram(argv, options, (onText) => start(argv, options, onText));
}

/** The same for a program that `startProgram` starts, or that it has started before and lets run. */
export async function followProgram(
  argv: readonly string[],
  options: Pick<RunOptions, "signal" | "onOutput" | "onStart">,
  startProgram: (onText: (text: string) => void) => TextProgram | Promise<TextProgram>,
): Promise<CommandExit> {
  const { signal, onStart } = options;
  signal.throwIfAborted();
  const printer = printerFor(options.onOutput);
  const program = await startProgram(printer.print);
  if (program.tree) onStart?.(program.tree.root);
  let ending: Promise<void> | undefined;
  const end = () => {
    ending ??= program.tree?.end();
  };
  printer.onTrouble(end);
  signal.addEventListener("abort", end, { once: true });
  try {
    // The signal may have come while the command was started.
    if (signal.aborted) end();
    const exit = await exitOf(program, argv);
    await ending;
    await program.drained(MAX_DRAIN_MS);
    // The signal may have come while the rest was read.
    await ending;
    printer.throwIfFailed();
    return exit;
  } finally {
    signal.removeEventListener("abort", end);
    program.tree?.release();
    program.closePipes();
  }
}

async function exitOf(program: TextProgram, [name = ""]: readonly string[]): Promise<CommandExit> {
  try {
    return await program.exit;
  } catch (error) {
    throw notStarted(name, error);
  }
}

async function start(
  argv: readonly string[],
  { cwd, env, pty }: RunOptions,
  onText: (text: string) => void,
): Promise<TextProgram> {
  mustBeWords(argv, env);
  const spawnInPty = pty && (await loadPty());
  if (pty && !spawnInPty) throw new ToolFailure(NO_TERMINAL);
  const [name = "", ...args] = argv;
  return inFolder(cwd, (folder) => {
    // A process enters its folder before it runs its program, so it enters the very folder that is open here.
    const options = { cwd: folder.at("."), env: { ...env, PWD: cwd }, onText };
    try {
      return spawnInPty
        ? startInTerminal(spawnInPty, [name, ...args], { ...options, ...pty })
        : startWithPipes([name, ...args], options);
    } catch (error) {
      // The arguments are too long for the system, or hold a NUL.
      throw notStarted(name, error);
    }
  });
}

const NO_TERMINAL =
  "The command could not be started in a terminal: the package @lydell/node-pty is not installed, or not for this system. Nothing was run. Run it without a terminal, or install the package.";

/** Starts the program while its folder is open, and does not wait for it. */
async function inFolder(cwd: string, startIn: (folder: FolderHandle) => TextProgram): Promise<TextProgram> {
  try {
    return await inFolderOf(cwd, async (parent, name) => {
      const folder = await parent.enter(name);
      try {
        return startIn(folder);
      } finally {
        await folder.close();
      }
    });
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
    throw new ToolFailure(
      `The command could not be started in ${cwd}: ${fileErrorText(error)}. Nothing was run. Give a folder that exists.`,
    );
  }
}

/**
 * Refuses words that the system would change when it passes them on: that would be another command than the approved
 * one.
 */
export function mustBeWords(argv: readonly string[], env: NodeJS.ProcessEnv): void {
  const variables = Object.entries(env);
  const texts = [...argv, ...variables.flatMap(([name, value]) => [name, value ?? ""])];
  const why =
    argv[0] === undefined || argv[0] === ""
      ? "no program is named"
      : texts.some((text) => /[\0\p{Surrogate}]/u.test(text))
        ? "it holds a character that no command can have"
        : variables.some(([name]) => name === "" || name.includes("="))
          ? "a variable has a name that none can have"
          : undefined;
  if (why === undefined) return;
  throw new ToolFailure(
    `The command could not be started: ${why}. Nothing was run. Write it without that, or write another one.`,
  );
}

/** Passes text on until that fails once: an error in the event loop would end our process. */
function printerFor(onOutput: (text: string) => void) {
  let failure: { readonly error: unknown } | undefined;
  let stop: (() => void) | undefined;
  return {
    print: (text: string) => {
      if (text === "" || failure) return;
      try {
        onOutput(text);
      } catch (error) {
        failure = { error };
        stop?.();
      }
    },
    /** The command's output has nowhere to go any more. */
    onTrouble(act: () => void) {
      stop = act;
      if (failure) act();
    },
    throwIfFailed() {
      if (failure) throw failure.error;
    },
  };
}
