/**
 * Inputs of foreign tools, checked once more by the tool's own Standard Schema (standardschema.dev): the person who
 * allows a call may have changed its input. A tool without a schema checks for itself.
 *
 * A schema may be asynchronous, and the gate does not wait for it before it decides. The result is awaited before the
 * tool runs: nothing runs with an input that its schema did not accept.
 */
import { ToolFailure } from "../tools/index.js";
import type { Parsed } from "../tools/index.js";

export function parsedBy(schema: unknown, name: string, input: unknown): Parsed<unknown> {
  const validate = standardValidate(schema);
  if (!validate) return { ok: true, input };
  const result = validate(input);
  return isThenable(result) ? { ok: true, input: new Unchecked(result) } : parsedFrom(result, name);
}

/** The value that `parsedBy` made of an input, once its schema has accepted it. */
export async function checked(name: string, parsed: unknown): Promise<unknown> {
  if (!(parsed instanceof Unchecked)) return parsed;
  const result = parsedFrom(await resultOf(parsed, name), name);
  if (!result.ok) throw new ToolFailure(result.problem);
  return result.input;
}

/** An input whose schema has not answered yet. */
class Unchecked {
  readonly result: Promise<StandardResult>;

  constructor(result: PromiseLike<StandardResult>) {
    this.result = Promise.resolve(result);
    // The run of the tool throws this failure. A refused call never runs, so the rejection must not be unhandled.
    this.result.catch(() => undefined);
  }
}

async function resultOf({ result }: Unchecked, name: string): Promise<StandardResult> {
  try {
    return await result;
  } catch (error) {
    const why = error instanceof Error ? error.message : "its schema threw an error";
    throw new ToolFailure(`${name}: the input could not be checked: ${why}. Nothing was run.`);
  }
}

function parsedFrom(result: StandardResult, name: string): Parsed<unknown> {
  if (!result.issues) return { ok: true, input: result.value };
  const problems = result.issues.map(({ message }) => message).join("; ");
  return { ok: false, problem: `${name}: the input is not valid. ${problems}. Nothing was run.` };
}

type StandardResult = { readonly value: unknown; readonly issues?: readonly { readonly message: string }[] };

type StandardValidate = (input: unknown) => StandardResult | PromiseLike<StandardResult>;

/** Some libraries' schemas are functions. */
function standardValidate(schema: unknown): StandardValidate | undefined {
  const isSchema = (typeof schema === "object" && schema !== null) || typeof schema === "function";
  if (!isSchema || !("~standard" in schema)) return undefined;
  const standard = schema["~standard"];
  if (typeof standard !== "object" || standard === null || !("validate" in standard)) return undefined;
  // The interface of standardschema.dev.
  return standard.validate as StandardValidate;
}

function isThenable(
  result: StandardResult | PromiseLike<StandardResult>,
): result is PromiseLike<StandardResult> {
  return "then" in result && typeof result.then === "function";
}
