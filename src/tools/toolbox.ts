/**
 * The tools of a session, by name. Names are unique: a second tool of a name is a mistake, not a replacement. Beside
 * the fixed tools there may be sources whose tools change, such as MCP servers; a fixed tool takes precedence over one
 * of the same name.
 */
import { checkOptions, ITERABLE, LIST, required } from "../call/check-options.js";
import type { AppTool, Tool } from "./tool.js";

export type ToolSource = { tools(): readonly Tool[]; get(name: string): Tool | undefined };

export class Toolbox {
  readonly #tools = new Map<string, Tool | AppTool>();
  readonly #sources: readonly ToolSource[];

  constructor(tools: Iterable<Tool | AppTool>, sources: readonly ToolSource[] = []) {
    checkOptions("Toolbox", { tools, sources }, { tools: required(ITERABLE), sources: LIST });
    this.#sources = sources;
    for (const tool of tools) this.add(tool);
  }

  add(tool: Tool | AppTool): void {
    if (this.#tools.has(tool.name)) throw new DuplicateTool(tool.name);
    this.#tools.set(tool.name, tool);
  }

  get(name: string): Tool | AppTool | undefined {
    const fixed = this.#tools.get(name);
    if (fixed) return fixed;
    for (const source of this.#sources) {
      const tool = source.get(name);
      if (tool) return tool;
    }
    return undefined;
  }

  list(): readonly (Tool | AppTool)[] {
    const all = new Map(this.#tools);
    for (const source of this.#sources)
      for (const tool of source.tools()) if (!all.has(tool.name)) all.set(tool.name, tool);
    return [...all.values()];
  }
}

export class DuplicateTool extends Error {
  readonly code = "DUPLICATE_TOOL";

  constructor(name: string) {
    super(
      `Two tools are named "${name}". A tool's name must be unique, since calls are made by it. No toolbox was made.`,
    );
    this.name = "DuplicateTool";
  }
}
