/**
 * WHO can act: tools, the toolbox they are found in, and the workspace they act on.
 *
 * What must stay true here: a tool's input is validated before anyone decides on it; a tool says what
 * it is about to do (`intent`) before it does it; a tool that fails says so to the model in words, with
 * what did not happen; names are looked up in a Map.
 */
export { defineTool } from "./define-tool.js";
export type { AppTool, Parsed, Tool, ToolContext, ToolIntent, ToolResult } from "./tool.js";
export { isAppTool, ToolFailure } from "./tool.js";
export { Toolbox } from "./toolbox.js";
export { LocalWorkspace } from "./local-workspace.js";
export type { CommandExit, Workspace } from "./workspace.js";
export { builtInTools } from "./built-in/index.js";
