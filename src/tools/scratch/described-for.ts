/** A tool as the model of one session sees it. */
import type { Tool } from "../tool.js";
import type { Workspace } from "../workspace.js";

/** Adds the session's scratch folder to the description of a tool that runs commands. */
export function describedFor(tool: Tool, { scratch }: Pick<Workspace, "scratch">): Tool {
  if (scratch === undefined || tool.scratchNote === undefined) return tool;
  return { ...tool, description: `${tool.description} ${tool.scratchNote(scratch)}` };
}
