/**
 * Runs a command line of the program in this process: a start of the program costs more CPU time than most commands.
 * Each command also has a test that starts the built program; signals, terminals and streams need one.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { Readable, Writable } from "node:stream";
import { runCommand } from "../src/cli/run-command.js";

export type RunHereOptions = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
};
export type Ran = { readonly status: number; readonly stdout: string; readonly stderr: string };

/** The place of `process.exit`: what the command does after it is not part of the run. */
class Exited extends Error {}

/** Names the run that code belongs to: a timer left by an earlier test must not write into this run's text. */
const runOf = new AsyncLocalStorage<symbol>();

/** Working folder, environment and streams belong to the process: one run at a time. */
let previous: Promise<unknown> = Promise.resolve();

export function runHere(words: readonly string[], options: RunHereOptions): Promise<Ran> {
  const ran = previous.then(() => runAlone(words, options));
  previous = ran.catch(() => undefined);
  return ran;
}

async function runAlone(words: readonly string[], { cwd, env, input = "" }: RunHereOptions): Promise<Ran> {
  const text = { stdout: "", stderr: "" };
  const run = Symbol("run");
  let status: number | undefined;
  const into = (name: "stdout" | "stderr") =>
    new Writable({
      decodeStrings: false,
      write(piece: string | Buffer, _encoding, done) {
        if (status === undefined && runOf.getStore() === run) text[name] += piece.toString();
        done();
      },
    });
  const undo = [
    replaceEnvironment(env),
    replace("stdin", Readable.from(input === "" ? [] : [Buffer.from(input)])),
    replace("stdout", into("stdout")),
    replace("stderr", into("stderr")),
    replace("exit", (code?: number) => {
      status ??= code ?? Number(process.exitCode ?? 0);
      throw new Exited();
    }),
    () => void (process.exitCode = undefined),
    changeFolder(cwd),
  ];
  try {
    await runOf.run(run, () => runCommand(words));
    status ??= Number(process.exitCode ?? 0);
  } finally {
    for (const one of undo.toReversed()) one();
  }
  return { status, ...text };
}

function replace(name: "stdin" | "stdout" | "stderr" | "exit", value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(process, name);
  Object.defineProperty(process, name, { value, configurable: true, writable: true });
  return () => {
    if (before) Object.defineProperty(process, name, before);
    else Reflect.deleteProperty(process, name);
  };
}

/** In place: `os.homedir()` reads the true environment, not an object in its place. */
function replaceEnvironment(env: RunHereOptions["env"]): () => void {
  const before = { ...process.env };
  const set = (wanted: RunHereOptions["env"]): void => {
    for (const name of Object.keys(process.env)) if (wanted[name] === undefined) delete process.env[name];
    Object.assign(process.env, wanted);
  };
  set(env);
  return () => set(before);
}

function changeFolder(cwd: string): () => void {
  const before = process.cwd();
  process.chdir(cwd);
  return () => process.chdir(before);
}
