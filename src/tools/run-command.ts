/**
 * A program with everything it starts.
 *
 * It has no one to answer it (an empty stdin, or a terminal at which nobody types), and the signal ends all
 * that belongs to it: see process-tree.ts. What it leaves running in the background when it exits by itself
 * stays, but its output is no longer listened to. Output is handed on as it comes and not kept.
 */
import { randomBytes } from "node:crypto";
import { setImmediate, setTimeout } from "node:timers/promises";
import { obstacle } from "./file-trouble.js";
import { type HeldFolder, inFolderOf } from "./held-folder.js";
import { startWithPipes } from "./pipe-command.js";
import { type Command, commandOf, endTree, killTree, MARK_NAME } from "./process-tree.js";
import { loadTerminals, startInTerminal } from "./pty-command.js";
import type { StartedCommand, StartOptions } from "./started-command.js";
import { ToolFailure } from "./tool.js";
import type { CommandExit, CommandOptions } from "./workspace.js";

const REST_PATIENCE_MS = 500;

type RunOptions = Omit<CommandOptions, "cwd" | "env"> & {
  readonly cwd: string;
  /** All of it: nothing is inherited beside. */
  readonly env: NodeJS.ProcessEnv;
};

/** Runs the words as they are, by no shell. */
export async function runCommand(argv: readonly string[], options: RunOptions): Promise<CommandExit> {
  const { signal } = options;
  signal.throwIfAborted();
  const printer = printerFor(options.onOutput);
  const { started, command } = await start(argv, options, printer.print);
  let ending: Promise<void> | undefined;
  const end = () => {
    if (command) ending ??= endTree(command);
  };
  printer.onTrouble(end);
  signal.addEventListener("abort", end, { once: true });
  const release = command && endWithUs(command);
  try {
    // It may have come while the command was started.
    if (signal.aborted) end();
    const exit = await started.exit;
    await ending;
    await restOfOutput(started.silent);
    // The signal may have come while the rest was awaited.
    await ending;
    printer.throwIfFailed();
    return exit;
  } finally {
    signal.removeEventListener("abort", end);
    release?.();
    started.close();
  }
}

const running = new Set<Command>();
const killAll = (): void => running.forEach(killTree);

/** A process that leaves in the middle of a command takes it with it, until that is released. */
function endWithUs(command: Command): () => void {
  if (running.size === 0) process.on("exit", killAll);
  running.add(command);
  return () => {
    running.delete(command);
    if (running.size === 0) process.off("exit", killAll);
  };
}

type Running = { readonly started: StartedCommand; readonly command: Command | undefined };

async function start(
  argv: readonly string[],
  { cwd, env, pty }: RunOptions,
  print: (text: string) => void,
): Promise<Running> {
  mustBeWords(argv, env);
  const spawn = pty && (await loadTerminals());
  const mark = randomBytes(12).toString("hex");
  return inFolder(cwd, (folder) => {
    const options: StartOptions = {
      // A process enters its folder before it runs its program, so it goes to the very one that is held.
      cwd: folder.at("."),
      // A command inside of a command belongs to both.
      env: { ...env, PWD: cwd, [MARK_NAME]: [process.env[MARK_NAME], mark].join(" ").trim() },
      print,
    };
    const started = spawn
      ? startInTerminal(spawn, argv, { ...options, ...pty })
      : startWithPipes(argv, options);
    // It may fail before anyone waits for it.
    started.exit.catch(() => undefined);
    return { started, command: started.pid === undefined ? undefined : commandOf(started.pid, mark) };
  });
}

/** The program is started while its folder is held; it is not waited for. */
async function inFolder(cwd: string, startIn: (folder: HeldFolder) => Running): Promise<Running> {
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
      `The command could not be started in ${cwd}: ${obstacle(error)}. Nothing was run. Give a folder that exists.`,
    );
  }
}

/** What the system cannot hand over as it is written would be another command than the one decided on. */
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

/** Hands text on until that fails once: thrown from the event loop it would end our process. */
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

/** A background process may hold the pipes open for ever, so the wait has an end. */
async function restOfOutput(silent: Promise<void>): Promise<void> {
  const enough = new AbortController();
  const patience = setTimeout(REST_PATIENCE_MS, undefined, { signal: enough.signal }).then(
    // Timers come before reads: when our process was busy for long, what waits in the pipes is read first.
    () => setImmediate(),
    () => undefined,
  );
  await Promise.race([silent, patience]);
  enough.abort();
}
