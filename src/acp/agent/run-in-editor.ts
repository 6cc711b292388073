/**
 * A command in a terminal of the client. The client shows it; its output is read as it comes, so that our record has
 * it too.
 *
 * Invariants: however the command ends, the terminal is released, also one that opened after we stopped waiting for it;
 * a command that is cancelled or out of time is killed, and its output is still read. The client's responses are checked
 * and bounded.
 */
import { setTimeout as wait } from "node:timers/promises";
import { oneLine } from "../../call/index.js";
import { ToolFailure } from "../../tools/index.js";
import type { CommandExit, CommandOptions } from "../../tools/index.js";
import { RpcError } from "../connection/message.js";
import { isJsonObject, isNone } from "../json.js";
import type { JsonObject } from "../json.js";
import { EditorOutput } from "./editor-output.js";
import { refusal } from "./editor-requests.js";
import type { EditorRequests } from "./editor-requests.js";

/** Every poll gets the whole buffer of the terminal; our record keeps less than that. */
const MAX_OUTPUT_BYTES = 256 * 1024;
const OUTPUT_TIMEOUT_MS = 10_000;
/** The sum of these timeouts is less than the time that a cancelled call has to end. */
const KILL_TIMEOUT_MS = 2_000;
const EXIT_TIMEOUT_MS = 3_000;
const LAST_OUTPUT_TIMEOUT_MS = 2_000;
const RELEASE_TIMEOUT_MS = 2_000;
const MIN_POLL_MS = 50;
const MAX_POLL_MS = 1_000;

type Run = Pick<CommandOptions, "env" | "signal" | "onOutput" | "onTerminal"> & { readonly cwd: string };

export async function runInEditor(
  editor: EditorRequests,
  [command = "", ...args]: readonly string[],
  options: Run,
): Promise<CommandExit> {
  const { cwd, env = {}, signal, onTerminal } = options;
  signal.throwIfAborted();
  const variables = Object.entries(env).map(([name, value]) => ({ name, value }));
  const params = { command, args, env: variables, cwd, outputByteLimit: MAX_OUTPUT_BYTES };
  const terminalId = await opened(editor, params, signal);
  try {
    onTerminal?.(terminalId);
    return await new EditorTerminal(editor, terminalId, options).run();
  } finally {
    await release(editor, terminalId);
  }
}

/** The request is never cancelled: a terminal that opens late must be known, to be released. */
async function opened(editor: EditorRequests, params: object, signal: AbortSignal): Promise<string> {
  const opening = editor.ask("terminal/create", params).then(({ terminalId }) => readId(terminalId));
  const tooLong = new AbortController();
  try {
    return await Promise.race([
      opening,
      wait(editor.requestTimeoutMs, undefined, { signal: AbortSignal.any([signal, tooLong.signal]) }).then(
        () => {
          throw new ToolFailure(
            `The command was not run: the editor did not open a terminal within ${editor.requestTimeoutMs / 1000} s. Try it again.`,
          );
        },
      ),
    ]);
  } catch (error) {
    opening.then((terminalId) => release(editor, terminalId)).catch(() => undefined);
    signal.throwIfAborted();
    if (!(error instanceof RpcError)) throw error;
    throw new ToolFailure(
      `The command was not run: the editor opened no terminal for it (${refusal(error)}). Try it again, or do without it.`,
    );
  } finally {
    tooLong.abort();
  }
}

function readId(terminalId: unknown): string {
  if (typeof terminalId === "string" && terminalId !== "" && terminalId.length <= 1000) return terminalId;
  throw new ToolFailure(
    "The editor opened a terminal without an id. Whether the command was run is not known. Look before you try it again.",
  );
}

/** The client kills the command if it still runs. A client that does not respond has the request all the same. */
async function release(editor: EditorRequests, terminalId: string): Promise<void> {
  await editor
    .ask("terminal/release", { terminalId }, { timeoutMs: RELEASE_TIMEOUT_MS })
    .catch(() => undefined);
}

class EditorTerminal {
  readonly #editor: EditorRequests;
  readonly #terminalId: string;
  readonly #options: Run;
  readonly #output = new EditorOutput();
  #exit: CommandExit | undefined;

  constructor(editor: EditorRequests, terminalId: string, options: Run) {
    this.#editor = editor;
    this.#terminalId = terminalId;
    this.#options = options;
  }

  async run(): Promise<CommandExit> {
    const { signal } = this.#options;
    const done = new AbortController();
    const exited = this.#exited(done.signal);
    try {
      await this.#follow(exited, signal);
      if (!this.#exit) await this.#kill(exited);
      await this.#read({ isOver: true });
      return this.#exit ?? {};
    } finally {
      done.abort();
    }
  }

  /** Until it has ended, or is to be. */
  async #follow(exited: Promise<void>, signal: AbortSignal): Promise<void> {
    for (let pause = MIN_POLL_MS; !this.#exit && !signal.aborted;) {
      await Promise.race([exited, wait(pause, undefined, { signal }).catch(() => undefined)]);
      if (this.#exit || signal.aborted) return;
      const hasPrinted = await this.#read({ isOver: false });
      pause = hasPrinted ? MIN_POLL_MS * 2 : Math.min(pause * 1.5, MAX_POLL_MS);
    }
  }

  /** A client that is gone, or does not answer, is not waited for. */
  async #kill(exited: Promise<void>): Promise<void> {
    const isReceived = await this.#editor
      .ask("terminal/kill", { terminalId: this.#terminalId }, { timeoutMs: KILL_TIMEOUT_MS })
      .then(
        () => true,
        (error: unknown) => error instanceof RpcError,
      );
    if (isReceived) await Promise.race([exited, wait(EXIT_TIMEOUT_MS, undefined, { ref: false })]);
  }

  /** A client that has no `wait_for_exit` reports the end with the output. */
  async #exited(signal: AbortSignal): Promise<void> {
    try {
      const status = await this.#editor.ask(
        "terminal/wait_for_exit",
        { terminalId: this.#terminalId },
        { signal },
      );
      this.#exit ??= readExit(status);
    } catch {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    }
  }

  /** Whether any output was new. */
  async #read({ isOver }: { readonly isOver: boolean }): Promise<boolean> {
    const { signal, onOutput } = this.#options;
    const limits = isOver ? { timeoutMs: LAST_OUTPUT_TIMEOUT_MS } : { timeoutMs: OUTPUT_TIMEOUT_MS, signal };
    const answer = await this.#editor
      .ask("terminal/output", { terminalId: this.#terminalId }, limits)
      .catch((error: unknown) => {
        // The last output is lost; the exit status may still be known.
        if (isOver || signal.aborted) return undefined;
        throw error instanceof RpcError ? lost(error) : error;
      });
    if (!answer) return false;
    const { output, truncated, exitStatus } = readOutput(answer);
    if (isJsonObject(exitStatus)) this.#exit ??= readExit(exitStatus);
    const fresh = this.#output.since(output, { isCut: truncated, isOver });
    if (fresh !== "") onOutput(fresh);
    return fresh !== "";
  }
}

function readOutput({ output, truncated, exitStatus }: JsonObject) {
  if (typeof output !== "string" || (!isNone(truncated) && typeof truncated !== "boolean"))
    throw new ToolFailure(
      "The editor answered something that is no terminal's output. The command was ended. Look at what it has done.",
    );
  const isTooLong = output.length > MAX_OUTPUT_BYTES;
  return {
    output: isTooLong ? output.slice(-MAX_OUTPUT_BYTES) : output,
    truncated: isTooLong || truncated === true,
    exitStatus,
  };
}

function readExit({ exitCode, signal }: JsonObject): CommandExit {
  return {
    ...(Number.isInteger(exitCode) && { exitCode: Number(exitCode) }),
    ...(typeof signal === "string" && { signal: oneLine(signal, 40) }),
  };
}

function lost(error: RpcError): ToolFailure {
  return new ToolFailure(
    `The editor no longer has the command's terminal (${refusal(error)}). Whether it came to its end is not known. Look at what it has done.`,
  );
}
