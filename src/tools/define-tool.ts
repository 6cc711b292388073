/** Defines a tool. The input is described once, with zod or JSON Schema, and checked before anything else sees it. */
import { z } from "zod";
import {
  AMOUNT,
  BadOption,
  checkOptions,
  either,
  FUNCTION,
  OBJECT,
  oneOf,
  required,
  STRING,
  TEXT,
} from "../call/check-options.js";
import type { OptionCheck, OptionChecks } from "../call/check-options.js";
import { errorMessage } from "../call/error-message.js";
import { inferToolKind, TOOL_KINDS } from "../call/index.js";
import type { CallFields, Location, Meta, ToolKind } from "../call/index.js";
import { jsonSchemaCheck } from "./json-schema-check.js";
import type { Delegation, KeptPart, Parsed, Tool, ToolContext, ToolIntent, ToolReturn } from "./tool.js";
import type { Workspace } from "./workspace.js";

/** A JSON Schema, for callers who have one already. The checked input has no type. */
export type JsonSchema = { readonly type: "object"; readonly [keyword: string]: unknown };

export type ToolInput<Schema extends z.ZodType | JsonSchema> = Schema extends z.ZodType
  ? z.output<Schema>
  : { readonly [field: string]: unknown };

export type ToolDefinition<Schema extends z.ZodType | JsonSchema> = {
  readonly name: string;
  readonly description: string;
  /** The schema, or a function that makes it when an input is first checked or described. */
  readonly input: Schema | (() => Schema);
  /** Guessed from the name when left out. */
  readonly kind?: ToolKind;
  /** A name for people, or what to call a call with this input. */
  readonly title?: string | ((input: ToolInput<Schema>) => string);
  readonly meta?: Meta;
  /** A sentence about the session's scratch folder, for the model; added to the description. */
  readonly scratchNote?: (folder: string) => string;
  /** Milliseconds after which its signal aborts. */
  readonly timeLimit?: number;
  readonly locations?: (input: ToolInput<Schema>, workspace: Workspace) => Promise<readonly Location[]>;
  /** Declares what the call will do, for the rules: the command, the paths, the hosts. */
  readonly intent?: (input: ToolInput<Schema>, workspace: Workspace) => Promise<ToolIntent>;
  /** The preview before the run. */
  readonly preview?: (input: ToolInput<Schema>, workspace: Workspace) => Promise<CallFields>;
  /** The input that makes only some hunks of the preview's diff, counted from 1. Undefined where it has no such hunks. */
  readonly keepHunks?: (
    input: ToolInput<Schema>,
    hunks: readonly number[],
    workspace: Workspace,
  ) => Promise<KeptPart<ToolInput<Schema>> | undefined>;
  /** A sub-agent does the work, and `run` is what happens where there are none. */
  readonly delegates?: Delegation<ToolInput<Schema>>;
  readonly run: (input: ToolInput<Schema>, call: ToolContext) => Promise<ToolReturn>;
};

/** Providers refuse names with other characters, and a line end in a name could imitate a line of ours. */
const NAME: OptionCheck = {
  expected: "a name of up to 128 letters, digits, dots, - and _",
  isRight: (value) => typeof value === "string" && /^[\w.-]{1,128}$/.test(value),
};

const DEFINITION: OptionChecks<ToolDefinition<JsonSchema>> = {
  name: required(NAME),
  description: required(STRING),
  input: required({
    expected: "a zod schema or a JSON Schema",
    isRight: (value) => OBJECT.isRight(value) || FUNCTION.isRight(value),
  }),
  kind: oneOf(...TOOL_KINDS),
  title: either(TEXT, FUNCTION),
  meta: OBJECT,
  scratchNote: FUNCTION,
  timeLimit: AMOUNT,
  locations: FUNCTION,
  intent: FUNCTION,
  preview: FUNCTION,
  keepHunks: FUNCTION,
  delegates: OBJECT,
  run: required(FUNCTION),
};

export function defineTool<const Schema extends z.ZodType | JsonSchema>(
  definition: ToolDefinition<Schema>,
): Tool {
  checkOptions("defineTool", definition, DEFINITION);
  const { input: given, title, meta, locations, preview, kind, ...tool } = definition;
  let made: CheckedInput<Schema> | undefined;
  const schema = () => (made ??= checkedInput(typeof given === "function" ? given() : given));
  // A schema that cannot be described fails here, not at the model's first request.
  if (typeof given !== "function") described(schema);
  // `parse` is the only way to an Input, so a tool only ever gets what its schema made.
  const checked: Tool<ToolInput<Schema>> = {
    ...tool,
    ...kindOf(tool.name, kind),
    get parameters() {
      return schema().parameters;
    },
    ...(typeof title === "string" && { label: title }),
    ...(typeof title === "function" && { title }),
    ...(meta && { _meta: meta }),
    ...((preview ?? locations) && {
      preview: async (input, workspace) => ({
        ...(await preview?.(input, workspace)),
        ...(locations && { locations: await locations(input, workspace) }),
      }),
    }),
    parse(input) {
      const result = schema().check(input);
      if (result.ok) return result;
      return {
        ok: false,
        problem: `${tool.name}: the input is not valid. ${result.problem}. Nothing was run.`,
      };
    },
  };
  return checked;
}

function described(schema: () => unknown): void {
  try {
    schema();
  } catch (error) {
    throw new BadOption(`defineTool: "input" is no usable schema: ${errorMessage(error)}.`, "input");
  }
}

function kindOf(name: string, kind: ToolKind | undefined): Pick<Tool, "kind" | "kindSource"> {
  if (kind) return { kind };
  const guess = inferToolKind(name);
  return { kind: guess.kind, kindSource: guess.source };
}

type CheckedInput<Schema extends z.ZodType | JsonSchema> = {
  readonly parameters: object;
  readonly check: (input: unknown) => Parsed<ToolInput<Schema>>;
};

function checkedInput<Schema extends z.ZodType | JsonSchema>(schema: Schema): CheckedInput<Schema> {
  // Each branch makes just what ToolInput says of its schema; the compiler cannot follow a type into a branch.
  type Check = CheckedInput<Schema>["check"];
  if (!(schema instanceof z.ZodType)) return { parameters: schema, check: jsonSchemaCheck(schema) as Check };
  const check = (input: unknown): Parsed<unknown> => {
    const result = schema.safeParse(input);
    return result.success
      ? { ok: true, input: result.data }
      : { ok: false, problem: result.error.issues.map(issueText).join("; ") };
  };
  return { parameters: z.toJSONSchema(schema, { io: "input" }), check: check as Check };
}

function issueText({ path, message }: z.core.$ZodIssue): string {
  const text = message.replace(/\.$/, "");
  return path.length === 0 ? text : `${z.core.toDotPath(path)}: ${text}`;
}
