/** Parses JSON with a schema; the error is a sentence with the line of the mistake. */
import type { z } from "zod";
import { firstIssue } from "./first-issue.js";
import type { Parse } from "./followed-file.js";
import { readJson } from "./read-json.js";

/** Makes the schema when the first text is parsed: most settings files do not exist. */
export function jsonParser<T>(makeSchema: () => z.ZodType<T>): Parse<T> {
  let schema: z.ZodType<T> | undefined;
  return (text, path) => {
    const json = readJson(text);
    if (!json.ok) return { ok: false, problem: `${path}:${json.line}: ${json.what}.` };
    schema ??= makeSchema();
    const parsed = schema.safeParse(json.value);
    if (parsed.success) return { ok: true, value: parsed.data };
    return { ok: false, problem: `${path}:${firstIssue(parsed.error, json.lineOf)}` };
  };
}
