/**
 * WHO can act: tools, the toolbox that holds them, and the workspace they act on.
 *
 * Invariants: a tool's input is validated before anyone decides on it; a tool declares its `intent` before it acts; a
 * tool that fails gives the model a message that says what did not happen; names are looked up in a Map.
 */
export { defineTool } from "./define-tool.js";
export type { JsonSchema, ToolDefinition, ToolInput } from "./define-tool.js";
export type {
  AppTool,
  AskReply,
  AskRequest,
  DelegatingTool,
  Delegation,
  Parsed,
  Tool,
  ToolContext,
  ToolIntent,
  ToolOrigin,
  ToolResult,
  ToolReturn,
  ToolTerminal,
  FullResult,
} from "./tool.js";
export { isAppTool, isDelegating, ToolFailure, fullResult } from "./tool.js";
export { jsonSchemaCheck } from "./json-schema-check.js";
export type { JsonSchemaCheck } from "./json-schema-check.js";
export { DuplicateTool, Toolbox } from "./toolbox.js";
export type { ToolSource } from "./toolbox.js";
export { LocalWorkspace, NotAFolder } from "./local-workspace.js";
export type { LocalWorkspaceOptions } from "./local-workspace.js";
export { NoSandbox } from "./sandbox/no-sandbox.js";
export { openSandbox } from "./sandbox/sandbox.js";
export type { Sandbox, SandboxedCommand, SandboxOptions, SandboxPlace } from "./sandbox/sandbox.js";
export { openKeeper } from "./kept-workspace/open-keeper.js";
export type { KeeperOptions } from "./kept-workspace/open-keeper.js";
export type { KeepLimits } from "./kept-workspace/scan-place.js";
export type {
  CommandChanges,
  KeepOutcome,
  KeptCommands,
  KeptWorkspace,
  UnkeptPath,
  WorkspaceKeeper,
} from "./kept-workspace/workspace-keeper.js";
export type {
  CommandExit,
  CommandOptions,
  Commands,
  FileInfo,
  Files,
  FileType,
  FolderEntry,
  CallView,
  Workspace,
} from "./workspace.js";
export { builtInTools, fetchTool, webSearchTool } from "./built-in/index.js";
export type { FetchOptions, SearchProvider } from "./built-in/index.js";
