/** Checks values against a JSON Schema of any draft. Throws when the schema itself is invalid. */
import { checkOptions, OBJECT, required } from "../call/check-options.js";
import { createRequire } from "node:module";
import type * as Ajv from "@modelcontextprotocol/client/validators/ajv";
import type { Parsed } from "./tool.js";

export type JsonSchemaCheck = (value: unknown) => Parsed<unknown>;

/**
 * Loaded with the first schema: our own tools have none, and the checker takes a megabyte. Loaded by `require`, since
 * an invalid schema must be reported where the tool is defined, not later.
 */
const load = createRequire(import.meta.url);
// The package's own type, which `require` does not know.
const validators = () => load("@modelcontextprotocol/client/validators/ajv") as typeof Ajv;

export function jsonSchemaCheck(schema: object): JsonSchemaCheck {
  checkOptions("jsonSchemaCheck", { schema }, { schema: required(OBJECT) });
  // Each schema gets its own validator: two that share an $id must not mix.
  const check = new (validators().AjvJsonSchemaValidator)().getValidator(schema);
  return (value) => {
    const { valid, errorMessage } = check(value);
    return valid ? { ok: true, input: value } : { ok: false, problem: errorMessage };
  };
}
