/** The tool that a call names, among those it may use; and what whoever named another one is told. */
import { visibleText } from "../call/index.js";
import { isDelegating } from "../tools/index.js";
import type { AppTool, Tool, Toolbox } from "../tools/index.js";

type Named = { readonly name: string; readonly parentToolCallId?: string | undefined };

export function toolFor(toolbox: Toolbox, named: Named): Tool | AppTool | undefined {
  const tool = toolbox.get(named.name);
  return tool && mayUse(named, tool) ? tool : undefined;
}

export function unknownTool(named: Named, toolbox: Toolbox): string {
  const names = toolbox.list().flatMap((tool) => (mayUse(named, tool) ? [tool.name] : []));
  const others = names.length === 0 ? "This session has no tools." : `The tools are: ${names.join(", ")}.`;
  return `There is no tool named "${visibleText(named.name)}". Nothing was run. ${others}`;
}

/** A sub-agent has no sub-agents of its own. */
const mayUse = ({ parentToolCallId }: Named, tool: Tool | AppTool): boolean =>
  parentToolCallId === undefined || !isDelegating(tool);
