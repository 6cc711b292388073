/** The SDK's own JSON schema of a version, as questions about single messages. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { ValidateFunction } from "ajv/dist/2020.js";
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";
import type { ProtocolVersion } from "./requirement.js";

export type WireSchema = {
  /** The problem with `value` as this definition; undefined when there is none. */
  readonly problem: (definition: string, value: unknown) => string | undefined;
  /** The definition of the agent's response to a method, or of the params that it sends to the client with a method. */
  readonly responseOf: (method: string) => string | undefined;
  readonly paramsOf: (method: string) => string | undefined;
  /** Keys at the root of `value` that the definition does not have. */
  readonly unknownKeys: (definition: string, value: unknown) => readonly string[];
};

const WHICH_BRANCH = new Set(["const", "enum", "not", "anyOf", "oneOf"]);
const depth = (path: string): number => path.split("/").length;
const loaded = new Map<ProtocolVersion, Promise<WireSchema>>();

/** Read and compiled once: it is large. */
export function wireSchema(version: ProtocolVersion): Promise<WireSchema> {
  const known = loaded.get(version);
  if (known) return known;
  const schema = load(version);
  loaded.set(version, schema);
  return schema;
}

async function load(version: ProtocolVersion): Promise<WireSchema> {
  const { Ajv2020 } = await import("ajv/dist/2020.js");
  const file = createRequire(import.meta.url).resolve(
    `@agentclientprotocol/sdk/schema/v${version}/schema.json`,
  );
  const root: unknown = JSON.parse(await readFile(file, "utf8"));
  const definitions = isJsonObject(root) && isJsonObject(root["$defs"]) ? root["$defs"] : {};
  // Inlined and optimized, the schema takes twice as long to compile, and a run checks a few hundred messages.
  const compiled = { inlineRefs: false, code: { optimize: false } } as const;
  const ajv = new Ajv2020({ strict: false, validateFormats: false, discriminator: false, ...compiled });
  ajv.addSchema(isJsonObject(root) ? root : {}, "acp");
  const validators = new Map<string, ValidateFunction>();
  const validator = (definition: string): ValidateFunction => {
    const known = validators.get(definition);
    if (known) return known;
    const made = ajv.compile({ $ref: `acp#/$defs/${definition}` });
    validators.set(definition, made);
    return made;
  };
  const byMethod = (side: string, ending: RegExp): ReadonlyMap<unknown, string> =>
    new Map(
      Object.entries(definitions).flatMap(([name, definition]) =>
        isJsonObject(definition) && definition["x-side"] === side && ending.test(name)
          ? [[definition["x-method"], name] as const]
          : [],
      ),
    );
  const responses = byMethod("agent", /Response$/);
  const fromClient = byMethod("client", /(?:Request|Notification)$/);
  const keys = new Map<string, ReadonlySet<string>>();
  return {
    problem: (definition, value) => {
      const validate = validator(definition);
      if (validate(value)) return undefined;
      // Every branch of a union reports errors; the deepest error that is not about the choice of the branch is about the
      // branch that was meant.
      const errors = validate.errors ?? [];
      const [worst] = [...errors.filter(({ keyword }) => !WHICH_BRANCH.has(keyword)), ...errors].sort(
        (a, b) => depth(b.instancePath) - depth(a.instancePath),
      );
      return worst ? `${worst.instancePath || "it"} ${worst.message ?? "is wrong"}` : "it is not valid";
    },
    responseOf: (method) => responses.get(method),
    paramsOf: (method) =>
      method === "$/cancel_request" ? "CancelRequestNotification" : fromClient.get(method),
    unknownKeys: (definition, value) => {
      if (!isJsonObject(value)) return [];
      const allowed = keys.get(definition) ?? keysOf(definitions, definitions[definition]);
      keys.set(definition, allowed);
      return Object.keys(value).filter((key) => !allowed.has(key));
    },
  };
}

/** All keys that an object of this schema may have, whichever of its branches it takes. */
function keysOf(definitions: JsonObject, schema: unknown, seen = new Set<unknown>()): ReadonlySet<string> {
  const keys = new Set<string>();
  if (!isJsonObject(schema) || seen.has(schema)) return keys;
  seen.add(schema);
  if (isJsonObject(schema["properties"])) for (const key of Object.keys(schema["properties"])) keys.add(key);
  const { $ref } = schema;
  const branches = ["allOf", "anyOf", "oneOf"].flatMap((word) => {
    const list = schema[word];
    return Array.isArray(list) ? (list as readonly unknown[]) : [];
  });
  if (typeof $ref === "string") branches.push(definitions[$ref.replace("#/$defs/", "")]);
  for (const branch of branches) for (const key of keysOf(definitions, branch, seen)) keys.add(key);
  return keys;
}
