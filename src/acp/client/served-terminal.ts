/** A command that runs for an agent: the end of its output, how it ended, and the function that ends it. */
import { appendText, EMPTY_TEXT, shownText } from "../../call/index.js";
import type { BoundedText } from "../../call/index.js";
import { ToolFailure } from "../../tools/index.js";
import type { CommandExit, ToolContext } from "../../tools/index.js";
import { OutputTail } from "./output-tail.js";
import type { WantedCommand } from "./read-command.js";

/** The exit code that a shell reports for a program that it cannot start. */
const NOT_STARTED = 127;

export class ServedTerminal {
  readonly #kill = new AbortController();
  readonly #tail: OutputTail;
  readonly #onOutput: (text: string) => void;
  /** Beginning and end of all that it printed. */
  #printed: BoundedText = EMPTY_TEXT;
  #exit: CommandExit | undefined;
  /** Comes when it has ended, with everything it started. */
  readonly ended: Promise<CommandExit>;

  /** `cwd`: where it was allowed to run. The call's signal ends it. */
  constructor(
    { workspace, signal }: Pick<ToolContext, "workspace" | "signal">,
    { command, cwd, env = {}, outputByteLimit }: WantedCommand,
    onOutput: (text: string) => void,
  ) {
    this.#tail = new OutputTail(outputByteLimit);
    this.#onOutput = onOutput;
    const stop = () => this.#stop(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    this.ended = workspace
      .runCommand(command, {
        ...(cwd !== undefined && { cwd }),
        env,
        signal: this.#kill.signal,
        onOutput: (text) => this.#print(text),
      })
      .catch((error: unknown) => this.#failed(error))
      .then((exit) => (this.#exit = exit))
      .finally(() => signal.removeEventListener("abort", stop));
  }

  /** The output in the form of the protocol, for the agent. */
  read() {
    const exit = this.#exit;
    return { ...this.#tail.read(), ...(exit && { exitStatus: exit }) };
  }

  /** The output in the form that a call shows. */
  get printed(): string {
    return shownText(this.#printed);
  }

  async kill(): Promise<void> {
    this.#kill.abort();
    await this.ended;
  }

  /** The agent reads why its command was ended, unless somebody cancelled it. */
  #stop(reason: unknown): void {
    if (reason instanceof Error && reason.name !== "AbortError") this.#print(`${reason.message}\n`);
    this.#kill.abort();
  }

  #print(text: string): void {
    this.#tail.add(text);
    this.#printed = appendText(this.#printed, text);
    this.#onOutput(text);
  }

  /** The command was never started: its output says why. */
  #failed(error: unknown): CommandExit {
    if (this.#kill.signal.aborted) return { signal: "SIGTERM" };
    this.#print(`${error instanceof ToolFailure ? error.message : "The command broke."}\n`);
    return { exitCode: NOT_STARTED };
  }
}
