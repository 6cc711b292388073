/**
 * An agent that is a program: started without a shell, in a process group of its own.
 *
 * What must stay true: whatever it writes to stderr costs a bounded memory and holds nothing up; when it ends,
 * we hear of it even if something it started holds its pipes; when we end it, all that it started ends too.
 */
import { spawn } from "node:child_process";
import type { ChildProcessByStdio } from "node:child_process";
import { Readable } from "node:stream";
import type { Writable } from "node:stream";
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { oneLine } from "../../call/index.js";
import { commandOf, killTree, MARK_NAME } from "../../tools/process-tree.js";
import type { Command } from "../../tools/process-tree.js";
import { stdioWire } from "../connection/stdio-wire.js";
import type { Wire } from "../connection/wire.js";
import { lastLines } from "../last-lines.js";
import { AgentTrouble } from "./agent-trouble.js";

export type AgentCommand = {
  /** The program and its words; no shell reads them. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** Set beside what it inherits. */
  readonly env?: { readonly [name: string]: string };
};

/** Of stderr only the end is of interest. */
const MOST_STDERR = 256 * 1024;
const POLITE_MS = 1_500;
const TERM_PATIENCE_MS = 1_000;
/** What it wrote last is still read when it has ended. */
const REST_PATIENCE_MS = 250;
/** Its pipes close a moment before it is gone. */
const END_PATIENCE_MS = 500;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export class AgentProcess {
  readonly #child: Child;
  readonly #stderr = new Tail(MOST_STDERR);
  readonly #gone: Promise<void>;
  /** Itself and all that it starts, also what leaves its group. */
  readonly #tree: Command | undefined;
  #exit: string | undefined;
  readonly wire: Wire;

  private constructor(child: Child, mark: string, mayRead: () => Promise<void>) {
    this.#child = child;
    this.#tree = child.pid === undefined ? undefined : commandOf(child.pid, mark);
    child.stderr.on("data", (bytes: Buffer) => this.#stderr.add(bytes));
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => undefined);
    this.wire = stdioWire(paced(child.stdout, mayRead), child.stdin);
    this.#gone = this.#whenGone();
  }

  /** `mayRead` comes when more can be taken in. */
  static async start({ argv, cwd, env }: AgentCommand, mayRead: () => Promise<void>): Promise<AgentProcess> {
    const [program, ...words] = argv;
    const mark = randomUUID();
    const child = spawn(program, words, {
      cwd,
      // An agent inside of a command belongs to both.
      env: { ...process.env, ...env, [MARK_NAME]: [process.env[MARK_NAME], mark].join(" ").trim() },
      stdio: ["pipe", "pipe", "pipe"],
      shell: false,
      detached: true,
      windowsHide: true,
    });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) =>
        reject(
          new AgentTrouble(
            "AGENT_NOT_STARTED",
            `The agent could not be started: ${oneLine(error.message, 300)}. Nothing was done; look at its command.`,
          ),
        ),
      );
    });
    // It may still fail to be signalled; whoever waits for its end hears of that end.
    child.on("error", () => undefined);
    return new AgentProcess(child, mark, mayRead);
  }

  /** How it ended, if it has by now or does in a moment, and the end of what it wrote to stderr. */
  async lastWords(): Promise<string> {
    await Promise.race([this.#gone, setTimeout(END_PATIENCE_MS, undefined, { ref: false })]);
    return lastWords(this.#exit, this.#stderr.text);
  }

  /** Closes its stdin, which tells it to end, and then makes it. */
  async end({ politely = true } = {}): Promise<void> {
    if (politely) {
      this.#child.stdin.end();
      await Promise.race([this.#gone, setTimeout(POLITE_MS, undefined, { ref: false })]);
    }
    if (this.#exit === undefined) this.#signal("SIGTERM");
    await Promise.race([this.#gone, setTimeout(TERM_PATIENCE_MS, undefined, { ref: false })]);
    if (this.#tree) killTree(this.#tree);
    await this.#gone;
  }

  async #whenGone(): Promise<void> {
    const { stdout, stderr, stdin } = this.#child;
    const endWithUs = () => {
      if (this.#tree) killTree(this.#tree);
    };
    process.once("exit", endWithUs);
    const drained = new Promise((resolve) => this.#child.once("close", resolve));
    await new Promise<void>((resolve) => {
      this.#child.once("exit", (code, signal) => {
        this.#exit = code === null ? `it was ended by ${signal ?? "a signal"}` : `it ended with code ${code}`;
        resolve();
      });
    });
    await Promise.race([drained, setTimeout(REST_PATIENCE_MS)]);
    this.#signal("SIGKILL");
    for (const stream of [stdout, stderr, stdin]) stream.destroy();
    process.off("exit", endWithUs);
  }

  /** Its whole group. */
  #signal(name: NodeJS.Signals): void {
    const { pid } = this.#child;
    try {
      if (pid !== undefined) process.kill(-pid, name);
    } catch {
      // Nobody of the group is left.
    }
  }
}

/** Hands on what comes as fast as it is taken in, and lets the agent wait otherwise. */
function paced(stdout: Readable, mayRead: () => Promise<void>): Readable {
  return Readable.from(
    (async function* () {
      for await (const chunk of stdout) {
        await mayRead();
        yield chunk;
      }
    })(),
    { objectMode: false, highWaterMark: 1 },
  );
}

/** The end of what came. */
class Tail {
  readonly #most: number;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(bytes: Buffer): void {
    // A copy, so that a small end does not keep a large buffer.
    const kept = Buffer.from(bytes.subarray(-this.#most));
    this.#chunks.push(kept);
    this.#size += kept.length;
    while (this.#size - (this.#chunks[0]?.length ?? 0) >= this.#most)
      this.#size -= this.#chunks.shift()?.length ?? 0;
  }

  get text(): string {
    return Buffer.concat(this.#chunks).subarray(-this.#most).toString("utf8");
  }
}

function lastWords(exit: string | undefined, stderr: string): string {
  const text = lastLines(stderr);
  if (text === "") return exit ?? "";
  return `${exit === undefined ? "it" : `${exit} and`} last wrote to stderr:\n${text}`;
}
