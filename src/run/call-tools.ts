/**
 * Finds the tool that runs a call: the tool that came with the call, or the toolbox's tool of that name. A request
 * from outside that waits for its result brings its own tool.
 */
import { visibleText } from "../call/index.js";
import { isDelegating } from "../tools/index.js";
import type { AppTool, Tool, Toolbox } from "../tools/index.js";

type Named = { readonly name: string; readonly parentToolCallId?: string | undefined };

export class CallTools {
  readonly #toolbox: Toolbox;
  readonly #given = new Map<string, Tool>();

  constructor(toolbox: Toolbox) {
    this.#toolbox = toolbox;
  }

  give(toolCallId: string, tool: Tool): void {
    this.#given.set(toolCallId, tool);
  }

  /** The call has ended. */
  forget(toolCallId: string): void {
    this.#given.delete(toolCallId);
  }

  isGiven(toolCallId: string): boolean {
    return this.#given.has(toolCallId);
  }

  /** Undefined when there is none, or when the call may not use it. */
  find(call: Named & { readonly toolCallId?: string | undefined }): Tool | AppTool | undefined {
    const given = this.#given.get(call.toolCallId ?? "");
    if (given) return given;
    const tool = this.#toolbox.get(call.name);
    return tool && mayUse(call, tool) ? tool : undefined;
  }

  /** The error of a call whose tool was not found. */
  unknownTool(named: Named): string {
    const names = this.#toolbox.list().flatMap((tool) => (mayUse(named, tool) ? [tool.name] : []));
    const others = names.length === 0 ? "This session has no tools." : `The tools are: ${names.join(", ")}.`;
    return `There is no tool named "${visibleText(named.name)}". Nothing was run. ${others}`;
  }
}

/** A sub-agent has no sub-agents of its own. */
const mayUse = ({ parentToolCallId }: Named, tool: Tool | AppTool): boolean =>
  parentToolCallId === undefined || !isDelegating(tool);
