/** What a tool is, whoever runs it. */
import type { CallFields, PlanEntry, ToolCallContent, ToolKind } from "../call/index.js";
import type { Intent } from "../policy/index.js";
import type { Workspace } from "./workspace.js";

export type Parsed<Input> =
  | { readonly ok: true; readonly input: Input }
  | { readonly ok: false; readonly problem: string };

/** The part of an intent that only the tool knows. */
export type ToolIntent = Partial<Pick<Intent, "command" | "paths" | "hosts" | "baseHashes">>;

type Described = {
  readonly name: string;
  readonly title?: string;
  /** For the model: what it does, and when to use it. */
  readonly description: string;
  readonly kind: ToolKind;
  /** JSON Schema of the input. */
  readonly parameters: object;
};

/** A tool that runs here. `Input` is what `parse` makes of what the model wrote. */
export type Tool<Input = unknown> = Described & {
  parse(input: unknown): Parsed<Input>;
  /** What it is about to do. Called before it is decided on, and again just before it runs. */
  intent?(input: Input, workspace: Workspace): Promise<ToolIntent>;
  /** What to show before it runs: the diff, the places. */
  preview?(input: Input, workspace: Workspace): Promise<CallFields>;
  run(input: Input, context: ToolContext): Promise<ToolResult>;
};

/** A tool that the app on the other side runs: it is only announced here, and its result awaited. */
export type AppTool = Described & { readonly runsInApp: true };

export function isAppTool(tool: Tool | AppTool): tool is AppTool {
  return "runsInApp" in tool;
}

export type ToolContext = {
  readonly toolCallId: string;
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
  /** Shows progress, content or places while the tool runs. */
  report(fields: CallFields): void;
  /** Shows a terminal's output as it comes. The terminal must have been reported as content first. */
  print(terminalId: string, text: string): void;
};

export type ToolResult = {
  /** For the model, and kept as the call's raw output. */
  readonly output: unknown;
  /** For the eye; replaces what was shown while it ran. */
  readonly content?: readonly ToolCallContent[];
  /** The agent's new plan, when the tool is about that. */
  readonly plan?: readonly PlanEntry[];
};

/** A failure that the model should read: what, where, why, what did not happen, what to do next. */
export class ToolFailure extends Error {
  readonly code = "TOOL_FAILURE";

  constructor(message: string) {
    super(message);
    this.name = "ToolFailure";
  }
}
