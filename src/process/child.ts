/**
 * A child process: started without a shell, as the leader of its own process group, with its whole tree under
 * control. Its output streams are the caller's to read.
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { ProcessTree } from "./process-tree.js";
import { settlesWithin } from "./settles-within.js";
import { startTree } from "./start-tree.js";

/** Exactly one of the two is there. */
export type ChildExit = { readonly exitCode?: number; readonly signal?: string };

export type Argv = readonly [program: string, ...args: string[]];

export type ChildOptions = {
  readonly cwd?: string;
  /** The whole environment: the child inherits no other variable, and gets the mark of its tree beside it. */
  readonly env: NodeJS.ProcessEnv;
};

/** Starts a program with an empty stdin. Throws when the system cannot take the arguments at all. */
export function startChild(argv: Argv, options: ChildOptions): Child {
  const { cwd } = options;
  const { program, tree } = startTree(argv, options, ([name, ...args], env) =>
    spawn(name, args, { cwd, env, ...ALONE, stdio: ["ignore", "pipe", "pipe"] }),
  );
  return new Child(program, tree);
}

/** Starts a program whose stdin the caller writes to. */
export function startChildWithStdin(argv: Argv, options: ChildOptions): Child<Writable> {
  const { cwd } = options;
  const { program, tree } = startTree(argv, options, ([name, ...args], env) =>
    spawn(name, args, { cwd, env, ...ALONE, stdio: ["pipe", "pipe", "pipe"] }),
  );
  return new Child(program, tree);
}

/** Detached: the child leads a session and a process group of its own. */
const ALONE = { shell: false, detached: true, windowsHide: true } as const;

type Piped<Stdin> = ChildProcess & {
  readonly stdin: Stdin;
  readonly stdout: Readable;
  readonly stderr: Readable;
};

export class Child<Stdin extends Writable | null = null> {
  readonly stdin: Stdin;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Rejects when the program could not be started. */
  readonly started: Promise<void>;
  /** Rejects when the program could not be started. Output may still follow. */
  readonly exit: Promise<ChildExit>;
  /** Resolves when both output streams have ended. A background process may keep them open. */
  readonly closed: Promise<void>;
  /** Undefined when the program could not be started. */
  readonly tree: ProcessTree | undefined;
  readonly #process: Piped<Stdin>;

  constructor(child: Piped<Stdin>, tree: ProcessTree | undefined) {
    this.started = new Promise((resolve, reject) => {
      child.once("spawn", resolve);
      child.on("error", reject);
    });
    this.exit = new Promise((resolve, reject) => {
      child.once("exit", (exitCode, signal) => {
        resolve(exitCode === null ? { signal: signal ?? "SIGKILL" } : { exitCode });
      });
      child.on("error", reject);
    });
    // Nobody needs to wait for a start or an exit.
    this.started.catch(() => undefined);
    this.exit.catch(() => undefined);
    this.closed = new Promise((resolve) => child.once("close", () => resolve()));
    this.tree = tree;
    this.#process = child;
    this.stdin = child.stdin;
    this.stdout = child.stdout;
    this.stderr = child.stderr;
    // A broken pipe ends its stream like any other end.
    for (const stream of this.#streams()) stream.on("error", () => undefined);
  }

  /** Waits until both output streams have ended, or for the given time. */
  async drained(maxMs: number): Promise<void> {
    if (await settlesWithin(this.closed, maxMs)) return;
    // Timers run before reads: when our process was busy for long, the bytes in the pipes are read first.
    await setImmediate();
  }

  /** Whether our process waits for this one before it exits by itself; it does at first. */
  setKeepsAlive(isKept: boolean): void {
    for (const one of [this.#process, ...this.#streams()]) {
      // A pipe is a socket, which streams in general are not.
      const handle = one as { ref?(): void; unref?(): void };
      if (isKept) handle.ref?.();
      else handle.unref?.();
    }
  }

  closePipes(): void {
    for (const stream of this.#streams()) stream.destroy();
  }

  #streams(): readonly (Readable | Writable)[] {
    return [this.stdout, this.stderr, ...(this.stdin ? [this.stdin] : [])];
  }
}
