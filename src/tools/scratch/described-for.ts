/** A tool as the model of one session sees it. */
import type { Tool } from "../tool.js";
import type { Workspace } from "../workspace.js";

/** Adds the session's scratch folder to the description of a tool that runs commands. */
export function describedFor(tool: Tool, { scratch }: Pick<Workspace, "scratch">): Tool {
  if (scratch === undefined || tool.scratchNote === undefined) return tool;
  const value = `${tool.description} ${tool.scratchNote(scratch)}`;
  // Not spread: that would read `parameters`, and a schema is made when a call or a model first needs it.
  return Object.create(Object.prototype, {
    ...Object.getOwnPropertyDescriptors(tool),
    description: { value, enumerable: true },
  }) as Tool; // has all of the tool's properties
}
