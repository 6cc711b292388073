/** Checks values against a JSON Schema of any draft. Throws when the schema itself is none. */
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import type { Parsed } from "./tool.js";

export type JsonSchemaCheck = (value: unknown) => Parsed<unknown>;

export function jsonSchemaCheck(schema: object): JsonSchemaCheck {
  // One for each schema: two that share an $id must not be taken for each other.
  const check = new AjvJsonSchemaValidator().getValidator(schema);
  return (value) => {
    const { valid, errorMessage } = check(value);
    return valid ? { ok: true, input: value } : { ok: false, problem: errorMessage };
  };
}
