/**
 * Wraps a server's tool as one of ours. The server's description is shown and never trusted: the kind comes from the
 * name, and a hint counts only where it makes the tool look more dangerous. `origin` has the true names, and rules
 * match these.
 */
import { z } from "zod";
import { inferToolKind, oneLine, visibleText } from "../call/index.js";
import type { ToolAnnotations } from "../call/index.js";
import type { JsonSchemaCheck, Tool, ToolContext, ToolOrigin, ToolResult } from "../tools/index.js";
import { definitionHash } from "./definition-hash.js";
import { serverSchemaCheck } from "./server-schema-check.js";
import { nameProblem, toolName } from "./tool-name.js";
import { visibleSchema } from "./visible-schema.js";

const MAX_DESCRIPTION = 4096;
const MAX_SCHEMA = 65_536;
const MAX_TITLE = 120;

const listedSchema = z.looseObject({
  name: z.string(),
  description: z.string().nullish().catch(undefined),
  annotations: z.unknown().optional(),
  inputSchema: z.unknown().optional(),
  outputSchema: z.unknown().optional(),
});

export type ForeignCall = {
  /** The tool as it was when the call was decided on. */
  readonly origin: ToolOrigin;
  readonly tool: string;
  readonly input: unknown;
  readonly context: ToolContext;
  readonly checkOutput: JsonSchemaCheck | undefined;
};

export type ForeignToolOptions = {
  readonly server: string;
  /** A hash of the server's program or address. */
  readonly fingerprint: string;
  readonly call: (call: ForeignCall) => Promise<ToolResult>;
};

export type ReadTool =
  | { readonly ok: true; readonly tool: Tool }
  | { readonly ok: false; readonly problem: string };

export function foreignTool(listed: unknown, { server, fingerprint, call }: ForeignToolOptions): ReadTool {
  const read = listedSchema.safeParse(listed);
  if (!read.success) return refused("without a name", "is none");
  const { name, description, annotations, inputSchema, outputSchema } = read.data;
  const shown = oneLine(name, 60);
  const problem = nameProblem(name);
  if (problem !== undefined) return refused(shown, `cannot be used: its name ${problem}`);
  const schema = visibleSchema(inputSchema, MAX_SCHEMA);
  if (schema?.["type"] !== "object") {
    return refused(shown, `cannot be used: its inputSchema is not the schema of an object, or is too large`);
  }
  const check = serverSchemaCheck(schema);
  if (!check) return refused(shown, "cannot be used: its inputSchema is not a JSON Schema");
  const announced = visibleSchema(outputSchema, MAX_SCHEMA);
  const checkOutput = announced && serverSchemaCheck(announced);
  const definition = definitionHash(listed);
  if (definition === undefined) return refused(shown, "cannot be used: its definition is nested too deeply");
  const origin = { server, tool: name, definition, fingerprint };
  const title = oneLine(`${server}/${name}`, MAX_TITLE);
  const tool: Tool = {
    name: toolName(server, name),
    description: visibleText((description ?? "").slice(0, MAX_DESCRIPTION), { keepNewlines: true }),
    // With a server's name in front, so that no part of the tool's own name can be taken for one.
    kind: inferToolKind(`server__${name}`, undefined, against(annotations)).kind,
    kindSource: "inferred",
    parameters: schema,
    origin,
    // Each call has its own clock, which pauses while a person is asked.
    timeLimit: Number.POSITIVE_INFINITY,
    parse(input) {
      const result = check(input);
      if (result.ok) return result;
      return {
        ok: false,
        problem: `${title}: the input is not valid. ${oneLine(result.problem, 1000)}. Nothing was run.`,
      };
    },
    title: () => title,
    run: (input, context) => call({ origin, tool: name, input, context, checkOutput }),
  };
  return { ok: true, tool };
}

function refused(name: string, why: string): ReadTool {
  return {
    ok: false,
    problem: `its tool "${name}" ${why}. This tool is left out; the server's other tools are available.`,
  };
}

/** Keeps the hints that make the server's tool look more dangerous, and drops the others. */
function against(annotations: unknown): ToolAnnotations {
  const hints = z
    .looseObject({ readOnlyHint: z.unknown().optional(), destructiveHint: z.unknown().optional() })
    .safeParse(annotations);
  return {
    ...(hints.data?.readOnlyHint === false && { readOnlyHint: false }),
    ...(hints.data?.destructiveHint === true && { destructiveHint: true }),
  };
}
