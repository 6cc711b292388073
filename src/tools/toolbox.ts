/** The tools of a session, by name. Names are unique: a second tool of a name is a mistake, not a replacement. */
import type { AppTool, Tool } from "./tool.js";

export class Toolbox {
  readonly #tools = new Map<string, Tool | AppTool>();

  constructor(tools: Iterable<Tool | AppTool>) {
    for (const tool of tools) {
      if (this.#tools.has(tool.name)) throw new DuplicateTool(tool.name);
      this.#tools.set(tool.name, tool);
    }
  }

  get(name: string): Tool | AppTool | undefined {
    return this.#tools.get(name);
  }

  list(): readonly (Tool | AppTool)[] {
    return [...this.#tools.values()];
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
