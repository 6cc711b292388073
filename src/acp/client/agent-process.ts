/**
 * An agent that is a program.
 *
 * Invariants: its stderr costs bounded memory and blocks nothing; its exit is noticed even when a process that it
 * started keeps its pipes open; when it exits or is ended, everything that it started ends too.
 */
import { Readable } from "node:stream";
import type { Writable } from "node:stream";
import { errorCode } from "../../call/error-code.js";
import { errorMessage } from "../../call/error-message.js";
import { oneLine } from "../../call/index.js";
import { exitReport, settlesWithin, startChildWithStdin, TailBuffer } from "../../process/index.js";
import type { Child, ChildExit } from "../../process/index.js";
import { stdioWire } from "../connection/stdio-wire.js";
import type { Wire } from "../connection/wire.js";
import { AgentTrouble } from "./agent-trouble.js";

export type AgentCommand = {
  /** The program and its words; no shell reads them. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** Variables to set beside the inherited ones. */
  readonly env?: { readonly [name: string]: string };
};

const MAX_STDERR_BYTES = 256 * 1024;
const CLOSE_GRACE_MS = 1_500;
const TERM_GRACE_MS = 1_000;
const MAX_DRAIN_MS = 250;
/** The pipes of a program close a moment before its exit is reported. */
const EXIT_REPORT_MS = 500;

export class AgentProcess {
  readonly #child: Child<Writable>;
  readonly #stderr = new TailBuffer(MAX_STDERR_BYTES);
  readonly #gone: Promise<void>;
  #exit: ChildExit | undefined;
  readonly wire: Wire;

  private constructor(child: Child<Writable>, mayRead: () => Promise<void>) {
    this.#child = child;
    child.stderr.on("data", (bytes: Buffer) => this.#stderr.add(bytes));
    this.wire = stdioWire(paced(child.stdout, mayRead), child.stdin);
    this.#gone = this.#whenGone();
  }

  /** `mayRead` resolves when more output can be taken. */
  static async start({ argv, cwd, env }: AgentCommand, mayRead: () => Promise<void>): Promise<AgentProcess> {
    try {
      const child = startChildWithStdin(argv, { cwd, env: { ...process.env, ...env } });
      await child.started;
      return new AgentProcess(child, mayRead);
    } catch (error) {
      throw new AgentTrouble("AGENT_NOT_STARTED", `The agent could not be started: ${whyNot(error, argv)}`);
    }
  }

  /** How the agent ended, if it has or does in a moment, and the end of its stderr. */
  async exitReport(): Promise<string> {
    await settlesWithin(this.#gone, EXIT_REPORT_MS);
    return exitReport(this.#exit, this.#stderr.text);
  }

  /** Closes the agent's stdin, which asks it to end, and then ends it with its tree. */
  async end({ politely = true } = {}): Promise<void> {
    if (politely) {
      this.#child.stdin.end();
      await settlesWithin(this.#gone, CLOSE_GRACE_MS);
    }
    await this.#child.tree?.end({ graceMs: TERM_GRACE_MS });
    await this.#gone;
  }

  async #whenGone(): Promise<void> {
    this.#exit = await this.#child.exit;
    await this.#child.drained(MAX_DRAIN_MS);
    await this.#child.tree?.end({ graceMs: 0 });
    this.#child.closePipes();
  }
}

/** Reads as fast as the output is taken, so that the agent blocks on a full pipe otherwise. */
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

function whyNot(error: unknown, [program = ""]: readonly string[]): string {
  const why = errorMessage(error);
  if (errorCode(error) !== "ENOENT") return `${oneLine(why, 300)}. Nothing was done; look at its command.`;
  const where = program.includes("/") ? "there is no such file" : "it is in no folder of PATH";
  return `the program ${oneLine(program, 200)} was not found, ${where}. Nothing was done. Install it, or name it by its full path.`;
}
