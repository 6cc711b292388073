/**
 * `terminal/*` for an agent: its commands run in a session's workspace, under the rules.
 *
 * What must stay true: nothing runs before it was allowed; a terminal belongs to the session that opened it,
 * and no other session can tell that it is there; a released one is gone for the agent, its command with it,
 * while what it printed was heard here as it came; when the agent is gone, everything it started is ended.
 */
import type { CommandExit } from "../../tools/index.js";
import { CODE, invalidParams, RpcError } from "../connection/message.js";
import { allowed, inRpcWords, sessionOf, toolIntent } from "./served-session.js";
import type { ServedParams, ServedSession, SessionsServed } from "./served-session.js";
import { ServedTerminal } from "./served-terminal.js";
import type { TerminalCommand } from "./served-terminal.js";
import { readCommand } from "./terminal-request.js";
import type { WantedCommand } from "./terminal-request.js";

export type TerminalName = { readonly sessionId: string; readonly terminalId: string };

export type ServedTerminalsOptions = {
  readonly sessions: SessionsServed;
  /** Hears what is printed, as it comes. */
  readonly onOutput?: (terminal: TerminalName, text: string) => void;
  readonly onExit?: (terminal: TerminalName, exit: CommandExit) => void;
  /** How many a session may have that it did not release. */
  readonly mostTerminals?: number;
};

const MOST_TERMINALS = 32;

export class ServedTerminals {
  readonly #options: ServedTerminalsOptions;
  /** By session and then by id. */
  readonly #terminals = new Map<string, Map<string, ServedTerminal>>();
  /** Asked for and not yet allowed, by session: they count too. */
  readonly #opening = new Map<string, number>();
  /** How often a session's were all ended: what was asked for before that is not run after it. */
  readonly #endings = new Map<string, number>();
  #last = 0;
  #isClosed = false;

  constructor(options: ServedTerminalsOptions) {
    this.#options = options;
  }

  async create(params: unknown, signal?: AbortSignal): Promise<{ readonly terminalId: string }> {
    const session = sessionOf(this.#options.sessions, params);
    const { sessionId } = session.params;
    const wanted = readCommand(session.params);
    this.#mustHaveRoom(sessionId);
    this.#opening.set(sessionId, this.#openingIn(sessionId) + 1);
    const endings = this.#endings.get(sessionId);
    try {
      const command = await inRpcWords(() => allowedCommand(session, wanted, signal));
      // It may have been asked about for a while.
      const isOver = this.#isClosed || this.#endings.get(sessionId) !== endings;
      if (isOver || !this.#options.sessions(sessionId)) throw gone();
      return { terminalId: this.#start(session, command) };
    } finally {
      this.#opening.set(sessionId, this.#openingIn(sessionId) - 1);
    }
  }

  output(params: unknown): object {
    return this.#find(params).terminal.read();
  }

  /** It goes on waiting when the terminal is released meanwhile: then its command is ended. */
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

  #start(session: ServedSession & { readonly params: ServedParams }, command: TerminalCommand): string {
    const { onOutput, onExit } = this.#options;
    const { sessionId } = session.params;
    const terminalId = `term_${(this.#last += 1)}`;
    const name = { sessionId, terminalId };
    const terminal = new ServedTerminal(session.workspace, command, (text) => onOutput?.(name, text));
    void terminal.ended.then((exit) => onExit?.(name, exit));
    const others = this.#terminals.get(sessionId) ?? new Map<string, ServedTerminal>();
    this.#terminals.set(sessionId, others.set(terminalId, terminal));
    return terminalId;
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
    const { mostTerminals = MOST_TERMINALS } = this.#options;
    if (this.#isClosed) throw gone();
    if ((this.#terminals.get(sessionId)?.size ?? 0) + this.#openingIn(sessionId) < mostTerminals) return;
    throw new RpcError(
      CODE.internal,
      `The session has ${mostTerminals} terminals that it did not release. Nothing was run. Release some first.`,
    );
  }
}

const asError = (reason: unknown): Error =>
  reason instanceof Error ? reason : new RpcError(CODE.cancelled, "The request was cancelled.");

const gone = (): RpcError =>
  new RpcError(CODE.internal, "The session was ended or cancelled. Nothing was run.");

async function allowedCommand(
  session: ServedSession,
  { command, cwd, env, outputByteLimit }: WantedCommand,
  signal: AbortSignal | undefined,
): Promise<TerminalCommand> {
  const text = typeof command === "string" ? command : quoted(command);
  const input = { command: text, ...(cwd !== undefined && { cwd }), ...(env && { env }) };
  const { cwd: folder, executor } = await allowed(
    session,
    // The words of a command are looked at as a shell would read them; they are run by none.
    async () => ({ ...(await toolIntent("terminal", input, session.workspace)), command }),
    signal,
  );
  return { command, cwd: folder, outputByteLimit, ...(env && { env }), ...(executor && { executor }) };
}

const quoted = (words: readonly string[]): string =>
  words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
