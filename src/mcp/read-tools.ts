/** Reads a server's list of tools. A tool that cannot be used is reported and left out. */
import type { Tool } from "../tools/index.js";
import type { ReportProblem } from "./bounded-problems.js";
import { foreignTool } from "./foreign-tool.js";
import type { ForeignToolOptions } from "./foreign-tool.js";

export function readTools(
  listed: readonly unknown[],
  { onProblem, ...options }: ForeignToolOptions & { readonly onProblem: ReportProblem },
): readonly Tool[] {
  const tools = new Map<string, Tool>();
  for (const one of listed) {
    const read = foreignTool(one, options);
    if (!read.ok) onProblem(read.problem);
    else if (tools.has(read.tool.name))
      onProblem(`it lists the tool ${read.tool.name} twice. The first counts.`);
    else tools.set(read.tool.name, read.tool);
  }
  return [...tools.values()];
}
