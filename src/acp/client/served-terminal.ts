/** A command that runs for an agent: what it printed last, how it ended, and the way to end it. */
import { ToolFailure } from "../../tools/index.js";
import type { CommandExit, CommandOptions, Workspace } from "../../tools/index.js";
import { OutputTail } from "./output-tail.js";

export type TerminalCommand = Pick<CommandOptions, "env" | "executor"> & {
  /** A text for a shell, or words that no shell reads. */
  readonly command: string | readonly string[];
  readonly cwd: string;
  readonly outputByteLimit: number;
};

/** What a shell says of a program that it cannot start. */
const NOT_STARTED = 127;

export class ServedTerminal {
  readonly #stop = new AbortController();
  readonly #tail: OutputTail;
  readonly #onOutput: (text: string) => void;
  #exit: CommandExit | undefined;
  /** Comes when it has ended, with everything it started. */
  readonly ended: Promise<CommandExit>;

  constructor(
    workspace: Workspace,
    { command, cwd, env = {}, executor, outputByteLimit }: TerminalCommand,
    onOutput: (text: string) => void,
  ) {
    this.#tail = new OutputTail(outputByteLimit);
    this.#onOutput = onOutput;
    this.ended = workspace
      .runCommand(command, {
        cwd,
        env,
        ...(executor && { executor }),
        signal: this.#stop.signal,
        onOutput: (text) => this.#print(text),
      })
      .catch((error: unknown) => this.#failed(error))
      .then((exit) => (this.#exit = exit));
  }

  read() {
    const exit = this.#exit;
    return { ...this.#tail.read(), ...(exit && { exitStatus: exit }) };
  }

  async kill(): Promise<void> {
    this.#stop.abort();
    await this.ended;
  }

  #print(text: string): void {
    this.#tail.add(text);
    this.#onOutput(text);
  }

  /** It was never started: whoever looks at its output reads why. */
  #failed(error: unknown): CommandExit {
    if (this.#stop.signal.aborted) return { signal: "SIGTERM" };
    this.#print(`${error instanceof ToolFailure ? error.message : "The command broke."}\n`);
    return { exitCode: NOT_STARTED };
  }
}
