/**
 * Files and terminals for all sessions of one agent, with each thing that is done recorded as a call: what it is
 * about to do before it is done, and how it ended. What a command prints is shown in its call as it comes, and
 * at its end also in the agent's own calls that show its terminal: it stays there when the terminal is released.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { appendText, EMPTY_TEXT, shownText } from "../../call/index.js";
import type { BoundedText } from "../../call/index.js";
import type { CommandExit } from "../../tools/index.js";
import { CODE, RpcError } from "../connection/message.js";
import type { Asked } from "../connection/peer.js";
import type { Acts } from "./acts.js";
import { ServedFiles } from "./serve-files.js";
import { ServedTerminals } from "./serve-terminals.js";
import type { TerminalName } from "./serve-terminals.js";
import type { ServedSession } from "./served-session.js";
import type { TerminalEnd } from "./update-fold.js";

/** A session that is served. */
export type ActingSession = {
  readonly acts: Acts;
  readonly workspace: ServedSession["workspace"];
  /** The agent's name. */
  readonly agent: string;
};

/**
 * Agents that cannot tell why a file was not read, and then give up where they meant to make a new one. To them
 * a file that is not there is an empty one, as it is in the editors they were made for.
 */
const TAKES_NONE_FOR_EMPTY = /^gemini-cli/;

/** The request that is being answered, and the calls that were begun for it. */
type Scope = { readonly acts: Acts; readonly signal: AbortSignal; readonly begun: string[] };

type Shown = { readonly acts: Acts; readonly toolCallId: string };

const MOST_ENDS = 64;

const SERVED = /^(?:fs\/(?:read|write)_text_file|terminal\/(?:create|output|wait_for_exit|kill|release))$/;

export class ServedWork {
  readonly #scope = new AsyncLocalStorage<Scope>();
  readonly #files: ServedFiles;
  readonly #terminals: ServedTerminals;
  /** By terminal: the call that shows what it prints, all it printed, and its end if it had one. */
  readonly #calls = new Map<string, Shown>();
  readonly #printed = new Map<string, BoundedText>();
  readonly #exits = new Map<string, CommandExit>();
  /** The last ones that have ended, for calls of the agent that come to show them later. */
  readonly #ends = new Map<string, TerminalEnd>();

  constructor(sessions: (agentSessionId: string) => ActingSession | undefined) {
    const served = (agentSessionId: string): ServedSession | undefined => {
      const session = sessions(agentSessionId);
      return session && { workspace: session.workspace, allow: (intent) => this.#allow(intent) };
    };
    this.#files = new ServedFiles(served);
    this.#terminals = new ServedTerminals({
      sessions: served,
      onOutput: ({ terminalId }, text) => this.#print(terminalId, text),
      onExit: (name, exit) => this.#exited(name, exit),
    });
  }

  serves(method: string): boolean {
    return SERVED.test(method);
  }

  async answer(asked: Asked, { acts, agent }: ActingSession): Promise<unknown> {
    const scope: Scope = { acts, signal: asked.signal, begun: [] };
    return this.#scope.run(scope, async () => {
      try {
        const result = await this.#answer(asked);
        await this.#done(scope, result);
        return result;
      } catch (error) {
        const words = error instanceof Error ? error.message : String(error);
        for (const toolCallId of scope.begun) await acts.end(toolCallId, { error: words });
        const isNone = error instanceof RpcError && error.code === CODE.notFound && scope.begun.length > 0;
        if (isNone && asked.method === "fs/read_text_file" && TAKES_NONE_FOR_EMPTY.test(agent))
          return { content: "" };
        throw error;
      }
    });
  }

  terminalEnd(terminalId: string): TerminalEnd | undefined {
    return this.#ends.get(terminalId);
  }

  /** Ends the commands of a session, or of all. */
  async end(agentSessionId?: string): Promise<void> {
    await this.#terminals.endAll(agentSessionId);
  }

  #answer({ method, params, signal }: Asked): unknown {
    switch (method) {
      case "fs/read_text_file":
        return this.#files.readTextFile(params, signal);
      case "fs/write_text_file":
        return this.#files.writeTextFile(params, signal);
      case "terminal/create":
        return this.#terminals.create(params, signal);
      case "terminal/output":
        return this.#terminals.output(params);
      case "terminal/wait_for_exit":
        return this.#terminals.waitForExit(params, signal);
      case "terminal/kill":
        return this.#terminals.kill(params);
      case "terminal/release":
        return this.#terminals.release(params);
      default:
        throw new RpcError(CODE.methodNotFound, `There is no method ${method} here. Nothing was done.`);
    }
  }

  async #allow(intent: Parameters<ServedSession["allow"]>[0]): ReturnType<ServedSession["allow"]> {
    const scope = this.#scope.getStore();
    if (!scope) return { no: "nobody asked for it." };
    const act = await scope.acts.begin(intent, scope.signal);
    if (!act.isAllowed) return { no: act.reason.endsWith(".") ? act.reason : `${act.reason}.` };
    scope.begun.push(act.toolCallId);
    return "yes";
  }

  /** What was allowed last is what was done; before that it had become something else. */
  async #done({ acts, begun }: Scope, result: unknown): Promise<void> {
    const [last, ...others] = begun.toReversed();
    for (const toolCallId of others)
      await acts.end(toolCallId, { error: "It had changed before it could be done. Nothing was done." });
    if (last === undefined) return;
    const terminalId = terminalIn(result);
    if (terminalId === undefined) return acts.end(last, {});
    await acts.showTerminal(last, terminalId);
    this.#calls.set(terminalId, { acts, toolCallId: last });
    const printed = this.#printed.get(terminalId);
    if (printed) acts.print(last, terminalId, shownText(printed));
    const exit = this.#exits.get(terminalId);
    if (exit) await this.#ended(terminalId, exit);
  }

  #print(terminalId: string, text: string): void {
    this.#printed.set(terminalId, appendText(this.#printed.get(terminalId) ?? EMPTY_TEXT, text));
    const shown = this.#calls.get(terminalId);
    shown?.acts.print(shown.toolCallId, terminalId, text);
  }

  #exited({ terminalId }: TerminalName, exit: CommandExit): void {
    this.#exits.set(terminalId, exit);
    // Its call is not there yet when a command ends at once: then it is ended when it is.
    if (this.#calls.has(terminalId)) void this.#ended(terminalId, exit).catch(() => undefined);
  }

  async #ended(terminalId: string, exit: CommandExit): Promise<void> {
    const shown = this.#calls.get(terminalId);
    const printed = this.#printed.get(terminalId) ?? EMPTY_TEXT;
    this.#printed.delete(terminalId);
    this.#exits.delete(terminalId);
    this.#calls.delete(terminalId);
    this.#ends.set(terminalId, { text: shownText(printed), exit });
    const [oldest] = this.#ends.keys();
    if (this.#ends.size > MOST_ENDS && oldest !== undefined) this.#ends.delete(oldest);
    await shown?.acts.endTerminal(shown.toolCallId, terminalId, exit, shownText(printed));
  }
}

function terminalIn(result: unknown): string | undefined {
  return typeof result === "object" && result !== null && "terminalId" in result
    ? String(result.terminalId)
    : undefined;
}
