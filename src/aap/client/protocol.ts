/** The types of AAP v3 on the wire, and at the end those of our extensions. */
import type { Question, SelectedOption, ShownQuestion } from "../../call/index.js";

export type JsonObject = { readonly [key: string]: unknown };

export type TextBlock = { readonly type: "text"; readonly text: string };
export type ThinkingBlock = { readonly type: "thinking"; readonly thinking: string };
export type ToolUseBlock = {
  readonly type: "tool_use";
  readonly toolCallId: string;
  readonly name: string;
  readonly input: unknown;
};
export type ImageBlock = { readonly type: "image"; readonly url: string };
export type Block = TextBlock | ThinkingBlock | ToolUseBlock | ImageBlock;
export type MessageContent = string | readonly Block[];

export type SystemMessage = { readonly role: "system"; readonly content: string };
export type UserMessage = { readonly role: "user"; readonly content: MessageContent };
export type AssistantMessage = { readonly role: "assistant"; readonly content: MessageContent };
export type ToolMessage = {
  readonly role: "tool";
  readonly toolCallId: string;
  readonly content: MessageContent;
};
export type HistoryMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** A yes or no to a server-side call; never part of the history. */
export type ToolPermission = {
  readonly role: "tool_permission";
  readonly toolCallId: string;
  readonly granted: boolean;
  readonly reason?: string;
} & AnswerExtras;

/** Extensions of ours to a yes or no. */
export type AnswerExtras = {
  /** With a yes: the input that the call runs with, instead of the one that was asked about. */
  readonly input?: JsonObject;
  /** The person who answers, for the record. */
  readonly who?: string;
};

export type ToolSpec = {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** JSON Schema of the input. */
  readonly parameters: JsonObject;
};
/** `kind` and `trustable` are ours: what the tool does, and whether `trust` lets it run without a permission. */
export type ServerToolSpec = ToolSpec & { readonly kind?: string; readonly trustable?: boolean };
export type ServerToolRef = { readonly name: string; readonly trust?: boolean };

export type AgentInfo = {
  readonly name: string;
  readonly title?: string;
  readonly version: string;
  readonly description?: string;
  readonly tools?: readonly ServerToolSpec[];
  readonly options?: readonly JsonObject[];
  readonly capabilities?: {
    readonly history?: { readonly compacted?: object; readonly full?: object };
    readonly stream?: { readonly delta?: object; readonly message?: object; readonly none?: object };
    readonly application?: { readonly tools?: object };
    readonly image?: { readonly http?: object; readonly data?: object };
  };
};
export type Meta = {
  readonly version: number;
  readonly agents: readonly AgentInfo[];
  /** The server's extensions, such as `idempotency-key`. This field is ours; other servers leave it out. */
  readonly extensions?: readonly string[];
};

export type AgentConfig = {
  readonly name: string;
  readonly tools?: readonly ServerToolRef[];
  readonly options?: { readonly [name: string]: string };
};
export type SessionInfo = {
  readonly sessionId: string;
  /** At our servers `trust` is the trust in force. */
  readonly agent: AgentConfig;
  readonly tools?: readonly ToolSpec[];
} & QuestionSetting;

/** An extension of ours. */
export type QuestionSetting = {
  /** How long a question of the session can be answered with yes, in milliseconds; lasts until it is changed. */
  readonly questionLifetimeMs?: number;
};
export type SessionPage = { readonly sessions: readonly SessionInfo[]; readonly next?: string };
export type NewSession = {
  readonly agent: AgentConfig;
  readonly messages?: readonly HistoryMessage[];
  readonly tools?: readonly ToolSpec[];
} & QuestionSetting;

export type StreamMode = "delta" | "message" | "none";
export type TurnMessage = UserMessage | ToolMessage | ToolPermission;
export type TurnRequest = {
  readonly agent?: Omit<AgentConfig, "name">;
  readonly stream?: StreamMode;
  readonly messages: readonly TurnMessage[];
  readonly tools?: readonly ToolSpec[];
} & QuestionSetting;

export type StopReason = "end_turn" | "tool_use" | "max_tokens" | "refusal" | "error";

/**
 * An event of a turn. `isError`, `error`, `answer_cut_off` and `model_retry` are ours, and clients can ignore them. After
 * `answer_cut_off` the assistant's message so far is unfinished, since its server died; it is sent again from its start.
 * `model_retry` comes live only: the model's provider failed, and its request is sent again.
 */
export type TurnEvent =
  | { readonly event: "turn_start"; readonly data: object }
  | { readonly event: "text_delta"; readonly data: { readonly delta: string } }
  | { readonly event: "thinking_delta"; readonly data: { readonly delta: string } }
  | { readonly event: "text"; readonly data: { readonly text: string } }
  | { readonly event: "thinking"; readonly data: { readonly thinking: string } }
  | { readonly event: "answer_cut_off"; readonly data: object }
  | {
      readonly event: "model_retry";
      readonly data: { readonly attempt: number; readonly waitMs: number; readonly message: string };
    }
  | { readonly event: "tool_call"; readonly data: Omit<ToolUseBlock, "type"> }
  | {
      readonly event: "tool_result";
      readonly data: {
        readonly toolCallId: string;
        readonly content: MessageContent;
        readonly isError?: boolean;
      };
    }
  | {
      readonly event: "turn_stop";
      readonly data: { readonly stopReason: StopReason; readonly error?: string };
    };

/** The result of a turn. */
export type TurnResult = {
  readonly stopReason: StopReason;
  readonly messages: readonly HistoryMessage[];
  /** The error, when the stop reason is one and the server sends it. */
  readonly error?: string;
};

/** An extension of ours: the call to cancel; without one, the turn. */
export type CancelRequest = { readonly toolCallId?: string; readonly reason?: string };

/** An extension of ours: a page of the open questions; `next` is the cursor of the page after it. */
export type QuestionList = { readonly questions: readonly OpenQuestion[]; readonly next?: string };

/** An extension of ours: a question, with what a person needs to know of its call to decide. */
export type OpenQuestion = Omit<Question, "wholeAbout"> &
  Partial<Pick<ShownQuestion, "call">> & {
    /** How many characters `about` leaves out; `client.questionText` reads all of them. */
    readonly hiddenCharacters?: number;
  };

/** An extension of ours: one of the question's own options, or plain yes or no. */
export type QuestionAnswer = (
  | ({ readonly optionId: string; readonly granted?: never } & Pick<
      SelectedOption,
      "width" | "scope" | "expires"
    >)
  | { readonly granted: boolean; readonly optionId?: never }
) &
  AnswerExtras & {
    readonly reason?: string;
    /** With a yes, where the question has `hunks`: those of its diff to apply, counted from 1. The others are rejected. */
    readonly keptHunks?: readonly number[];
    /** Gives the same answer, once, to all open questions of the session that have the same `likeness`. */
    readonly alike?: boolean;
  };
