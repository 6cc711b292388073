/** The interface of a tool, for every room that runs one. */
import type { BackgroundCommands } from "./background-commands.js";
import type {
  CallFields,
  ContentBlock,
  DiffContent,
  KindSource,
  Meta,
  PlanEntry,
  TerminalExit,
  ToolCallContent,
  ToolKind,
} from "../call/index.js";
import type { RejectedHunk } from "../call/diff-hunks.js";
import type { Intent } from "../policy/index.js";
import type { Workspace } from "./workspace.js";
import { textContent } from "../call/index.js";

export type Parsed<Input> =
  | { readonly ok: true; readonly input: Input }
  | { readonly ok: false; readonly problem: string };

/** The part of an intent that only the tool knows. */
export type ToolIntent = Partial<
  Pick<
    Intent,
    | "background"
    | "baseHashes"
    | "command"
    | "contents"
    | "cwd"
    | "env"
    | "executor"
    | "hosts"
    | "outsideLinks"
    | "paths"
  >
>;

type Described = {
  readonly name: string;
  /** For the model: how the tool works, and when to use it. */
  readonly description: string;
  readonly kind: ToolKind;
  /** `inferred`: the kind was guessed from the name. */
  readonly kindSource?: KindSource;
  /** JSON Schema of the input. */
  readonly parameters: object;
  /** A name for people, where the tool has one. */
  readonly label?: string;
  /** Goes with each of its calls. */
  readonly _meta?: Meta;
};

/** An MCP server, and the tool's name there: rules name these. An "always" is offered only where both hashes are known. */
export type ToolOrigin = {
  readonly server: string;
  readonly tool: string;
  /** SHA-256 of all that the server sends about the tool. */
  readonly definition?: string;
  /** SHA-256 of what the server is: its program or its address. */
  readonly fingerprint?: string;
};

/** A tool that runs here. `parse` makes an `Input` from the model's input. */
export type Tool<Input = unknown> = Described & {
  /** The owner of the tool when it is not ours. */
  readonly origin?: ToolOrigin;
  /** A sentence about the session's scratch folder, for the model; added to the description. */
  readonly scratchNote?: (folder: string) => string;
  /** Milliseconds after which its signal aborts; the gate's own limit when left out. */
  readonly timeLimit?: number;
  /**
   * A sub-agent does the work: the call waits for its result. Where there are no sub-agents, `run` is called instead.
   */
  readonly delegates?: Delegation<Input>;
  parse(input: unknown): Parsed<Input>;
  /** One line for people. */
  title?(input: Input): string;
  /** Declares what the call will do. Called before the decision, and again just before the run. */
  intent?(input: Input, workspace: Workspace): Promise<ToolIntent>;
  /** The preview before the run: the diff, the locations. */
  preview?(input: Input, workspace: Workspace): Promise<CallFields>;
  /** The input that makes only some hunks of the preview's diff, counted from 1. Undefined where it has no such hunks. */
  keepHunks?(
    input: Input,
    hunks: readonly number[],
    workspace: Workspace,
  ): Promise<KeptPart<Input> | undefined>;
  run(input: Input, call: ToolContext): Promise<ToolReturn>;
};

export type KeptPart<Input> = { readonly input: Input; readonly rejected: readonly RejectedHunk[] };

/** A tool that the app on the other side runs: it is only announced here, and its result awaited. */
export type AppTool = Described & { readonly runsInApp: true };

export function isAppTool(tool: Tool | AppTool): tool is AppTool {
  return "runsInApp" in tool;
}

/** The task of a sub-agent. */
export type Delegation<Input = unknown> = {
  /** The whole prompt of the sub-agent. */
  prompt(input: Input): string;
  /** The sub-agent is stopped after this many responses of the model. */
  readonly maxSteps: number;
};

export type DelegatingTool = Tool & { readonly delegates: Delegation };

export function isDelegating(tool: Tool | AppTool): tool is DelegatingTool {
  return "delegates" in tool && tool.delegates !== undefined;
}

/** The context of a running tool. Its output is recorded in the order in which it is shown. */
export type ToolContext = {
  readonly toolCallId: string;
  /** Changes that it makes here are kept, so that the call can be undone. */
  readonly workspace: Workspace;
  /** Aborts when the call is cancelled or its time is up. */
  readonly signal: AbortSignal;
  readonly plan: readonly PlanEntry[];
  /** The session's commands that keep running after their calls. */
  readonly background?: BackgroundCommands;
  readonly progress: (done: number, total?: number, message?: string) => void;
  /** Shows text as it arrives. */
  readonly output: (text: string) => void;
  readonly diff: (diff: DiffContent) => void;
  readonly locate: (path: string, line?: number) => void;
  /** Opens a terminal; the name distinguishes several. `terminalId`: an id that a client already knows. */
  readonly terminal: (name?: string, known?: { readonly terminalId: string }) => ToolTerminal;
  readonly meta: (meta: Meta) => void;
  /** Replaces the shown content of the call. */
  readonly report: (fields: CallFields) => void;
  /** Asks the person at the other side while the call runs. Nobody there, or no answer, is "cancel". */
  readonly ask: (request: AskRequest) => Promise<AskReply>;
};

export type ToolTerminal = {
  readonly terminalId: string;
  readonly print: (text: string) => void;
  readonly exit: (exit: TerminalExit) => void;
};

/** `schema` is the JSON Schema of a flat form; `url` is a page to open instead. */
export type AskRequest = { readonly message: string; readonly schema?: object; readonly url?: string };

export type AskReply =
  | { readonly action: "accept"; readonly content: { readonly [field: string]: unknown } }
  | { readonly action: "decline" | "cancel" };

/** A text, blocks, or a full result. */
export type ToolReturn = string | readonly ContentBlock[] | ToolResult;

export type ToolResult = {
  /** For the model, and kept as the call's raw output. */
  readonly output: unknown;
  /** For display; replaces the content shown during the run. */
  readonly content?: readonly ToolCallContent[];
  /** The agent's new plan, when the tool is about that. */
  readonly plan?: readonly PlanEntry[];
  /** The tool ran and failed: this text, or else the output, is the error. */
  readonly isError?: boolean | string;
};

/** A failure that the model should read: what, where, why, what did not happen, what to do next. */
export class ToolFailure extends Error {
  readonly code = "TOOL_FAILURE";

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ToolFailure";
  }
}

/** `appended`: blocks to show after what the tool has shown so far. */
export type FullResult = ToolResult & { readonly appended: ToolResult["content"] & {} };

/** Converts the return value of a tool to its full form. */
export function fullResult(returned: ToolReturn): FullResult {
  if (typeof returned === "string") {
    return { output: returned, appended: returned === "" ? [] : [textContent(returned)] };
  }
  if (isBlocks(returned)) {
    return {
      output: outputOf(returned),
      appended: returned.map((content) => ({ type: "content", content })),
    };
  }
  return { ...returned, appended: [] };
}

const isBlocks = (returned: readonly ContentBlock[] | ToolResult): returned is readonly ContentBlock[] =>
  Array.isArray(returned);

/** The text for the model and the record: other blocks are in the content and only named here. */
function outputOf(blocks: readonly ContentBlock[]): string {
  return blocks.map(blockText).join("\n");
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type}, ${block.mimeType}]`;
    case "resource_link":
      return `[${block.name}](${block.uri})`;
    case "resource":
      return "text" in block.resource ? block.resource.text : `[resource ${block.resource.uri}]`;
    default:
      return block satisfies never;
  }
}
