/**
 * The agent behind an ACP connection: an agent of ours, or a loop of the host's own. The connection opens sessions and
 * knows nothing about what runs them.
 */
import type { SessionHandle } from "../../agent/index.js";
import type { ContentBlock, Ledger, Usage } from "../../call/index.js";
import type { RequestOptions } from "../connection/peer.js";
import type { JsonObject } from "../json.js";

/** The other side, for a workspace or a question that leads there. */
export type ClientSide = {
  /** The client's name in the record. */
  readonly name: string;
  /** The client's capabilities, unchecked: check every field before use. */
  readonly capabilities: JsonObject;
  readonly request: (method: string, params: unknown, options?: RequestOptions) => Promise<unknown>;
};

export type OpenRequest = {
  readonly sessionId: string;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  /** The client's configuration, unchecked. */
  readonly mcpServers: readonly unknown[];
  readonly client: ClientSide;
  /** How long to wait for a session that is open elsewhere; as long as the host likes when left out. */
  readonly leaseWaitMs?: number;
  /** Shows the person that the session is waited for, and who has it. */
  readonly onLeaseWait?: (sentence: string) => void;
};

/** Something that the person may choose for a session: its mode, its model. */
export type Choice = {
  readonly id: string;
  readonly name: string;
  readonly category: "mode" | "model";
  readonly options: readonly {
    readonly value: string;
    readonly name: string;
    readonly description?: string;
  }[];
  readonly current: () => string;
  readonly choose: (value: string) => Promise<void>;
};

/** A command that a person types as `/name …`. Its result is text; the model is not asked. */
export type Command = {
  readonly name: string;
  readonly description: string;
  /** Shown as the text to type after the name. */
  readonly hint?: string;
  readonly run: (words: string, signal: AbortSignal) => Promise<string>;
};

export type HostedSession = {
  readonly session: SessionHandle;
  readonly choices: readonly Choice[];
  readonly commands: readonly Command[];
  /** How much the model's window holds, in tokens. */
  readonly contextWindow?: number;
  /** In US dollars, where it is known. */
  readonly costOf?: (usage: Usage) => number | undefined;
  /**
   * Records a typed command and its result, so that a client that loads the session gets them. Returns the id of the
   * typed message.
   */
  readonly aside: (prompt: readonly ContentBlock[], answer: string) => Promise<string>;
  /** The session is open elsewhere: it is only shown, and its questions can be answered. */
  readonly isWatched?: true;
  /** Ends the session, then everything that was opened for it. */
  readonly close: () => Promise<void>;
};

export type AcpHost = {
  readonly ledger: Ledger;
  readonly openSession: (request: OpenRequest) => Promise<HostedSession>;
  readonly close?: () => Promise<void>;
};
