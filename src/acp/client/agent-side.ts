/** The agent at the other side of a connection, as one of its sessions sees it. */
import type { ClientDialect } from "../client-dialect.js";
import type { TerminalEnd } from "./update-fold.js";

export type AgentSide = {
  /** The agent's name, for people and for rules. */
  readonly name: string;
  readonly dialect: ClientDialect;
  /** The agent reads the reason in the answer to a permission request. */
  readonly takesReasons: boolean;
  /** However long the answer takes. */
  request(method: string, params: object): Promise<unknown>;
  /** A request that is answered soon, or fails in words. */
  ask(method: string, params: object): Promise<unknown>;
  notify(method: string, params: object): void;
  /** Resolves when the connection to the agent is closed. */
  readonly gone: Promise<void>;
  /** How the agent exited, if it has, and the last lines of its stderr. */
  stderrTail(): Promise<string>;
  /** Ends the agent, because it does not answer any more, or for the given reason, which goes to its sessions. */
  end(reason?: string): Promise<void>;
  /** Why it was ended here, where it was. */
  endReason(): string | undefined;
  /** The output and the exit status of a command that we ran for the agent, once it has ended. */
  terminalEnd(terminalId: string): TerminalEnd | undefined;
  /** Ends the commands that run for a session. */
  endCommands(agentSessionId: string): Promise<void>;
};
