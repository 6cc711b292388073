/** A tool from its parts: the input is described once, with zod, and checked before anything else sees it. */
import { z } from "zod";
import type { CallFields, ToolKind } from "../call/index.js";
import type { Tool, ToolContext, ToolIntent, ToolResult } from "./tool.js";
import type { Workspace } from "./workspace.js";

export type ToolDefinition<Schema extends z.ZodType> = {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly kind: ToolKind;
  readonly input: Schema;
  intent?(input: z.output<Schema>, workspace: Workspace): Promise<ToolIntent>;
  preview?(input: z.output<Schema>, workspace: Workspace): Promise<CallFields>;
  run(input: z.output<Schema>, context: ToolContext): Promise<ToolResult>;
};

export function defineTool<Schema extends z.ZodType>(definition: ToolDefinition<Schema>): Tool {
  const { input: schema, ...tool } = definition;
  // `parse` is the only way to an Input, so a tool only ever gets what its schema made.
  const checked: Tool<z.output<Schema>> = {
    ...tool,
    parameters: z.toJSONSchema(schema, { io: "input" }),
    parse(input) {
      const result = schema.safeParse(input);
      if (result.success) return { ok: true, input: result.data };
      return {
        ok: false,
        problem: `${tool.name}: the input is not valid. ${z.prettifyError(result.error)}. Nothing was run.`,
      };
    },
  };
  return checked;
}
