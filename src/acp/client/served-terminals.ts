/**
 * `terminal/*` for an agent: each of its commands is a call of `terminal` in its session, and the agent follows it by
 * the id of its terminal.
 *
 * Invariants: nothing runs before it was allowed; a terminal belongs to the session that opened it and is invisible to
 * every other session; releasing a terminal ends its command and removes it for the agent, while the call keeps the
 * output; when the agent exits, everything it started is ended.
 */
import { ToolFailure } from "../../tools/index.js";
import type { CommandExit, Tool, ToolContext, ToolResult } from "../../tools/index.js";
import { emitWarning } from "../../run/emit-warning.js";
import { CODE, invalidParams, RpcError } from "../connection/message.js";
import { builtInTool, callFor, sessionOf } from "./served-session.js";
import type { ServedSession, SessionsServed } from "./served-session.js";
import { ServedTerminal } from "./served-terminal.js";
import { readCommand } from "./read-command.js";
import type { WantedCommand } from "./read-command.js";
import type { TerminalEnd } from "./update-fold.js";

export type TerminalName = { readonly sessionId: string; readonly terminalId: string };

export type ServedTerminalsOptions = {
  readonly sessions: SessionsServed;
  /** Receives the output as it is printed. */
  readonly onOutput?: (terminal: TerminalName, text: string) => void;
  /** How many a session may have that it did not release. */
  readonly maxTerminals?: number;
};

const MAX_TERMINALS = 32;
const MAX_ENDS = 64;

export class ServedTerminals {
  readonly #options: ServedTerminalsOptions;
  /** By session and then by id. */
  readonly #terminals = new Map<string, Map<string, ServedTerminal>>();
  /** Asked for and not yet allowed, by session: they count too. */
  readonly #opening = new Map<string, number>();
  /** How often a session's were all ended: what was asked for before that is not run after it. */
  readonly #endings = new Map<string, number>();
  /** The last ones that have ended, for calls of the agent that come to show them later. */
  readonly #ends = new Map<string, TerminalEnd>();
  #last = 0;
  #isClosed = false;

  constructor(options: ServedTerminalsOptions) {
    this.#options = options;
  }

  /** Answers when the command has started. The call lasts until the command ends. */
  async create(asked: unknown, signal: AbortSignal): Promise<{ readonly terminalId: string }> {
    const { session, params } = sessionOf(this.#options.sessions, asked);
    const { sessionId } = params;
    const wanted = readCommand(params);
    this.#mustHaveRoom(sessionId);
    this.#opening.set(sessionId, this.#openingIn(sessionId) + 1);
    try {
      return { terminalId: await this.#started(session, sessionId, wanted, signal) };
    } finally {
      this.#opening.set(sessionId, this.#openingIn(sessionId) - 1);
    }
  }

  output(params: unknown): object {
    return this.#find(params).terminal.read();
  }

  /** The wait survives a release of the terminal: the release ends the command. */
  async waitForExit(params: unknown, signal?: AbortSignal): Promise<CommandExit> {
    const { ended } = this.#find(params).terminal;
    if (!signal) return ended;
    signal.throwIfAborted();
    const cancelled = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(asError(signal.reason)), { once: true });
    });
    return Promise.race([ended, cancelled]);
  }

  async kill(params: unknown): Promise<object> {
    await this.#find(params).terminal.kill();
    return {};
  }

  async release(params: unknown): Promise<object> {
    const { terminal, sessionId, terminalId } = this.#find(params);
    this.#terminals.get(sessionId)?.delete(terminalId);
    await terminal.kill();
    return {};
  }

  /** A session's own, when it is over or cancelled; all of them, and none after that, when the agent is gone. */
  async endAll(sessionId?: string): Promise<void> {
    if (sessionId === undefined) this.#isClosed = true;
    const ending = [...this.#terminals].flatMap(([owner, terminals]) =>
      sessionId === undefined || owner === sessionId ? [...terminals.values()] : [],
    );
    if (sessionId === undefined) this.#terminals.clear();
    else {
      this.#terminals.delete(sessionId);
      this.#endings.set(sessionId, (this.#endings.get(sessionId) ?? 0) + 1);
    }
    await Promise.all(ending.map((terminal) => terminal.kill()));
  }

  /** How a command ended, and its output, as long as they are kept. */
  terminalEnd(terminalId: string): TerminalEnd | undefined {
    return this.#ends.get(terminalId);
  }

  /** The request's signal counts until the command has started. */
  async #started(
    session: ServedSession,
    sessionId: string,
    wanted: WantedCommand,
    signal: AbortSignal,
  ): Promise<string> {
    const stop = new AbortController();
    const onAbort = () => stop.abort(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    let hasStarted = false;
    try {
      return await new Promise<string>((resolve, reject) => {
        const onStarted = (terminalId: string) => {
          hasStarted = true;
          resolve(terminalId);
        };
        const tool = this.#tool(session, sessionId, wanted, onStarted);
        callFor(session, tool, inputOf(wanted), stop.signal).catch((error: unknown) => {
          if (!hasStarted) reject(asError(error));
          else if (!(error instanceof RpcError)) emitWarning(error);
        });
      });
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  #tool(
    session: ServedSession,
    sessionId: string,
    wanted: WantedCommand,
    onStarted: (terminalId: string) => void,
  ): Tool {
    const { command } = wanted;
    const endings = this.#endings.get(sessionId);
    const terminal = builtInTool("terminal", {
      timeLimit: session.commandLimitMs,
      run: async (_input, call) => {
        const cwd = wanted.cwd === undefined ? {} : { cwd: await call.workspace.resolve(wanted.cwd) };
        // Somebody may have been asked about it for a while.
        const isOver = this.#isClosed || this.#endings.get(sessionId) !== endings;
        if (isOver || !this.#options.sessions(sessionId)) throw new ToolFailure(GONE);
        return this.#run({ session, sessionId, wanted: { ...wanted, ...cwd }, onStarted }, call);
      },
    });
    return {
      ...terminal,
      intent: async (input, workspace) => ({ ...(await terminal.intent?.(input, workspace)), command }),
    };
  }

  async #run({ session, sessionId, wanted, onStarted }: Started, call: ToolContext): Promise<ToolResult> {
    const terminalId = `term_${(this.#last += 1)}`;
    const name = { sessionId, terminalId };
    const shown = call.terminal(undefined, { terminalId });
    const terminal = new ServedTerminal(call, wanted, (text) => {
      shown.print(text);
      this.#options.onOutput?.(name, text);
    });
    const others = this.#terminals.get(sessionId) ?? new Map<string, ServedTerminal>();
    this.#terminals.set(sessionId, others.set(terminalId, terminal));
    onStarted(terminalId);
    const exit = await terminal.ended;
    this.#keepEnd(terminalId, { text: terminal.printed, exit });
    shown.exit(exit);
    session.proxied.terminalEnded(terminalId, { text: terminal.printed, exit }).catch(emitWarning);
    // A command that ended well in spite of the cancel has done its work.
    if (exit.exitCode !== 0) call.signal.throwIfAborted();
    return { output: exit };
  }

  #keepEnd(terminalId: string, end: TerminalEnd): void {
    this.#ends.set(terminalId, end);
    const [oldest] = this.#ends.keys();
    if (this.#ends.size > MAX_ENDS && oldest !== undefined) this.#ends.delete(oldest);
  }

  #find(params: unknown): TerminalName & { readonly terminal: ServedTerminal } {
    const { sessionId, terminalId } = sessionOf(this.#options.sessions, params).params;
    if (typeof terminalId !== "string") throw invalidParams('"terminalId" must be a text. Nothing was done.');
    const terminal = this.#terminals.get(sessionId)?.get(terminalId);
    if (terminal) return { sessionId, terminalId, terminal };
    throw new RpcError(
      CODE.notFound,
      "This session has no such terminal, or has released it. Nothing was done.",
    );
  }

  #openingIn(sessionId: string): number {
    return this.#opening.get(sessionId) ?? 0;
  }

  #mustHaveRoom(sessionId: string): void {
    const { maxTerminals = MAX_TERMINALS } = this.#options;
    if (this.#isClosed) throw new RpcError(CODE.internal, GONE);
    if ((this.#terminals.get(sessionId)?.size ?? 0) + this.#openingIn(sessionId) < maxTerminals) return;
    throw new RpcError(
      CODE.internal,
      `The session has ${maxTerminals} terminals that it did not release. Nothing was run. Release some first.`,
    );
  }
}

type Started = {
  readonly session: ServedSession;
  readonly sessionId: string;
  readonly wanted: WantedCommand;
  readonly onStarted: (terminalId: string) => void;
};

const asError = (reason: unknown): Error =>
  reason instanceof Error ? reason : new RpcError(CODE.cancelled, "The request was cancelled.");

const GONE = "The session was ended or cancelled. Nothing was run.";

/** The words of a command are read as a shell would read them; no shell runs them. */
function inputOf({ command, cwd, env }: WantedCommand): object {
  const text = typeof command === "string" ? command : quoted(command);
  return { command: text, ...(cwd !== undefined && { cwd }), ...(env && { env }) };
}

const quoted = (words: readonly string[]): string =>
  words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
