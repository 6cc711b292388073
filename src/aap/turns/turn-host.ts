/**
 * Runs the turns of an agent's sessions. The turn engine is the same for all agents; a host is the difference. Turns
 * of our own agents live in the log: any process can resume one. Turns of external agents live in this process, and
 * end with it.
 */
import type { TurnEnd } from "../../agent/index.js";
import type { ContentBlock, RecordedEvent } from "../../call/index.js";
import type { Served } from "../sessions/served-agent.js";
import type { SessionConfig, StoredSession } from "../sessions/session-config.js";
import type { RequestNote } from "../stream/response-log.js";
import type { OpenSession } from "./open-session.js";
import type { Checked, Submission } from "./submission.js";

export type TurnHost = {
  readonly agent: Served;
  /** Whether any process can resume a turn from the log. Such an agent also records where its answers end. */
  readonly canResume: boolean;
  /** The session, if it is open between responses. */
  readonly find: (sessionId: string) => OpenSession | undefined;
  /** Takes in what others have recorded: answers need no lease. */
  readonly catchUp: (sessionId: string) => Promise<void>;
  /** True when a turn of the session lives in this process alone, with or without a running response. */
  readonly hasTurn: (sessionId: string) => boolean;
  /** Opens the session with the plan's settings, or takes the one that is open. */
  readonly open: (plan: TurnPlan) => Promise<TurnRunner>;
  /** Ends the turn that lives in this process alone. False when there is none. */
  readonly cancelTurn: (sessionId: string) => Promise<boolean>;
  readonly close: (sessionId: string) => Promise<void>;
  readonly closeAll: () => Promise<void>;
};

export type TurnPlan = {
  readonly sessionId: string;
  /** The session at the time of the request. */
  readonly stored: StoredSession & { readonly log: readonly RecordedEvent[] };
  /** The settings from here on. */
  readonly config: SessionConfig;
  /** Undefined where a turn is resumed without anything new. */
  readonly submission: Submission | undefined;
  readonly note: RequestNote;
  /** The client gets the response in one piece: nothing of the request is acknowledged before the turn's end is stored. */
  readonly isWhole?: boolean;
  /** Where the same request was noted before, when its process died during the turn. */
  readonly notedAt?: number;
};

/** Runs turns of one open session. */
export type TurnRunner = {
  readonly open: OpenSession;
  /** The turn that a request without a user message continues: a parked one, or one whose process died. */
  readonly openTurn: "waiting" | "abandoned" | undefined;
  /** Records the request before anything of it counts. */
  readonly note: (note: RequestNote) => Promise<void>;
  /** Records the app's results and answers. */
  readonly accept: (checked: Checked) => Promise<void>;
  /** Records the user's message and the start of its turn, after the note of the request. False where `run` does it. */
  readonly storePrompt: (prompt: readonly ContentBlock[], note: RequestNote | undefined) => Promise<boolean>;
  /** Starts a turn with the user's message, or continues the open one, until the turn ends or waits for the app. */
  readonly run: (prompt: readonly ContentBlock[] | undefined, signal: AbortSignal) => Promise<TurnEnd>;
  /** Closes open calls after a failure: the app must find none. */
  readonly cancelCalls: (reason: string) => Promise<void>;
  /** Gives the session back after a response. A reusable one may serve the next request. */
  readonly release: (isReusable: boolean) => Promise<void>;
};
