/**
 * Named pipes through which the inside of a sandbox reports its network counters. A command reaches the descriptor
 * through /proc; a file of ours would take bytes without a bound, a pipe takes 64 KiB. A pipe is used by one command at
 * a time.
 */
import { constants, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { collectOutput } from "../../process/index.js";
import { NoSandbox } from "./no-sandbox.js";

export type CounterPipe = {
  readonly path: string;
  /** The first bytes that were written since the pipe was taken. Empties the pipe. */
  read(): string;
  /** Lets another command take the pipe. */
  release(): void;
};

const MAX_BYTES = 64 * 1024;
const MAKE_AT_ONCE = 4;
const TIMEOUT_MS = 10_000;

export class CounterPipes {
  readonly #folder: string;
  readonly #free: OpenPipe[] = [];
  #made = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async take(): Promise<CounterPipe> {
    if (this.#free.length === 0) await this.#make();
    const pipe = this.#free.pop();
    if (!pipe) throw new NoSandbox("no pipe can be made");
    pipe.read();
    return { path: pipe.path, read: () => pipe.read(), release: () => this.#free.push(pipe) };
  }

  /** Node has no call that makes one. */
  async #make(): Promise<void> {
    const paths = Array.from({ length: MAKE_AT_ONCE }, () => join(this.#folder, `counters-${++this.#made}`));
    const words = ["/bin/sh", "-c", 'exec mkfifo -m 600 "$@"', "sh", ...paths] as const;
    const env = { PATH: "/usr/bin:/bin:/run/current-system/sw/bin" };
    const { exit } = await collectOutput(words, { env, timeoutMs: TIMEOUT_MS });
    if (exit.exitCode !== 0) throw new NoSandbox("no pipe can be made");
    this.#free.push(...paths.map((path) => new OpenPipe(path)));
  }
}

class OpenPipe {
  readonly path: string;
  readonly #descriptor: number;

  constructor(path: string) {
    this.path = path;
    // Open for writing too: so the start of a sandbox does not wait for a reader, and a read never meets the end.
    this.#descriptor = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  }

  read(): string {
    const bytes = Buffer.alloc(MAX_BYTES);
    try {
      return bytes.toString("latin1", 0, readSync(this.#descriptor, bytes));
    } catch {
      // EAGAIN: nothing was written.
      return "";
    }
  }
}
