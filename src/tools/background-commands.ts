/**
 * The commands of a session that go on after their calls ended. They live in the process that has the session open, and
 * end with the session. Their output is kept here, bounded, until the model reads it.
 */
import { appendText, EMPTY_TEXT } from "../call/index.js";
import { errorMessage } from "../call/error-message.js";
import type { BoundedText } from "../call/index.js";
import { settlesWithin } from "../process/index.js";
import { ToolFailure } from "./tool.js";
import type { CommandExit, CommandOptions } from "./workspace.js";

const MAX_RUNNING = 20;
/** How many of those that have ended can still be read. */
const MAX_ENDED = 50;

type BackgroundState =
  | { readonly status: "running" }
  | { readonly status: "ended"; readonly exit: CommandExit }
  | { readonly status: "failed"; readonly error: string };

export type BackgroundOutput = { readonly state: BackgroundState; readonly output: BoundedText };

type Command = {
  readonly stop: AbortController;
  /** Settles with the command, and never rejects. */
  readonly ended: Promise<void>;
  state: BackgroundState;
  /** The output since the last read. */
  unread: BoundedText;
  /** The whole output, for people. */
  shown: BoundedText;
};

type Run = (
  options: Pick<CommandOptions, "signal" | "onOutput" | "onStart" | "onTerminal">,
) => Promise<CommandExit>;

export class BackgroundCommands {
  readonly #commands = new Map<string, Command>();
  #isClosed = false;

  /** Settles when the command runs or has ended: from then on it no longer needs its call. `id`: the call's. */
  async start(id: string, run: Run): Promise<void> {
    if (this.#isClosed || this.runningCount >= MAX_RUNNING)
      throw new ToolFailure(
        `terminal: ${this.#isClosed ? "the session is closing" : `${MAX_RUNNING} commands run in the background already`}. Nothing was run. Stop one with read_output, or wait for its end.`,
      );
    const stop = new AbortController();
    let up: (() => void) | undefined;
    const isUp = new Promise<void>((resolve) => {
      up = resolve;
    });
    const onOutput = (text: string): void => {
      command.unread = appendText(command.unread, text);
      command.shown = appendText(command.shown, text);
    };
    const ended = Promise.resolve()
      .then(() => run({ signal: stop.signal, onOutput, onStart: () => up?.(), onTerminal: () => up?.() }))
      .then(
        (exit) => void (command.state = { status: "ended", exit }),
        (error: unknown) =>
          void (command.state = {
            status: "failed",
            error: errorMessage(error),
          }),
      )
      .finally(() => up?.());
    const command: Command = {
      stop,
      ended,
      state: { status: "running" },
      unread: EMPTY_TEXT,
      shown: EMPTY_TEXT,
    };
    this.#commands.set(id, command);
    this.#forgetOldest();
    await isUp;
  }

  /** The output since the last read, after a wait for the end of the command, `waitMs` at most. */
  async read(id: string, waitMs: number, signal: AbortSignal): Promise<BackgroundOutput | undefined> {
    const command = this.#commands.get(id);
    if (!command) return undefined;
    const aborted = new Promise<void>((resolve) =>
      signal.addEventListener("abort", () => resolve(), { once: true }),
    );
    if (waitMs > 0) await settlesWithin(Promise.race([command.ended, aborted]), waitMs);
    signal.throwIfAborted();
    const output = command.unread;
    command.unread = EMPTY_TEXT;
    return { state: command.state, output };
  }

  /** The output so far, which stays unread for the model. */
  peek(id: string): BackgroundOutput | undefined {
    const command = this.#commands.get(id);
    return command && { state: command.state, output: command.shown };
  }

  /** How many of them run now. */
  get runningCount(): number {
    return [...this.#commands.values()].filter(({ state }) => state.status === "running").length;
  }

  get isRunning(): boolean {
    return this.runningCount > 0;
  }

  /** Resolves when none of the commands that run now runs any more. */
  async ended(): Promise<void> {
    await Promise.all([...this.#commands.values()].map((command) => command.ended));
  }

  /** Ends the command with all that it started. */
  async stop(id: string): Promise<void> {
    const command = this.#commands.get(id);
    command?.stop.abort();
    await command?.ended;
  }

  /** Ends all of them, and starts no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#commands.keys()].map((id) => this.stop(id)));
  }

  #forgetOldest(): void {
    const ended = [...this.#commands].filter(([, { state }]) => state.status !== "running");
    for (const [id] of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) this.#commands.delete(id);
  }
}
