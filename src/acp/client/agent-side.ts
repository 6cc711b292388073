/** The agent at the other side of a connection, as one of its sessions sees it. */
import type { ClientDialect } from "../client-dialect.js";
import type { TerminalEnd } from "./update-fold.js";

export type AgentSide = {
  /** Its name, for people and for rules. */
  readonly name: string;
  readonly dialect: ClientDialect;
  /** However long the answer takes. */
  request(method: string, params: object): Promise<unknown>;
  /** A request that is answered soon, or fails in words. */
  ask(method: string, params: object): Promise<unknown>;
  notify(method: string, params: object): void;
  /** Comes when nothing more is heard from it. */
  readonly gone: Promise<void>;
  /** What is known of how it ended. */
  stderrTail(): Promise<string>;
  /** Ends the agent, because it does not answer any more, or for the given reason, which goes to its sessions. */
  end(reason?: string): Promise<void>;
  /** Why it was ended here, where it was. */
  endReason(): string | undefined;
  /** What a command printed that we ran for it, once it has ended. */
  terminalEnd(terminalId: string): TerminalEnd | undefined;
  /** Ends the commands that run for a session. */
  endCommands(agentSessionId: string): Promise<void>;
};
