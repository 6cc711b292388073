/** Checks values against a JSON Schema of any draft. Throws when the schema itself is none. */
import { createRequire } from "node:module";
import type * as Ajv from "@modelcontextprotocol/client/validators/ajv";
import type { Parsed } from "./tool.js";

export type JsonSchemaCheck = (value: unknown) => Parsed<unknown>;

/**
 * Loaded with the first schema: our own tools have none, and it is a megabyte in a process that may only wait.
 * By `require`, since a schema that is none must be told of where the tool is made, not later.
 */
const load = createRequire(import.meta.url);
// What the package says of itself; `require` knows no types.
const validators = () => load("@modelcontextprotocol/client/validators/ajv") as typeof Ajv;

export function jsonSchemaCheck(schema: object): JsonSchemaCheck {
  // One for each schema: two that share an $id must not be taken for each other.
  const check = new (validators().AjvJsonSchemaValidator)().getValidator(schema);
  return (value) => {
    const { valid, errorMessage } = check(value);
    return valid ? { ok: true, input: value } : { ok: false, problem: errorMessage };
  };
}
