/** One hash of everything that a server sends about a tool, including text that is cut before the model reads it. */
import { createHash } from "node:crypto";

const MAX_DEPTH = 100;

/** The same however the fields are ordered. Undefined when it is nested too deeply to be read. */
export function definitionHash(listed: unknown): string | undefined {
  const text = canonicalJson(listed, 0);
  return text === undefined ? undefined : createHash("sha256").update(text).digest("hex");
}

function canonicalJson(value: unknown, depth: number): string | undefined {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (depth > MAX_DEPTH) return undefined;
  const parts: string[] = [];
  const add = (start: string, part: unknown): boolean => {
    const text = canonicalJson(part, depth + 1);
    if (text !== undefined) parts.push(start + text);
    return text !== undefined;
  };
  if (Array.isArray(value)) return value.every((item) => add("", item)) ? `[${parts.join(",")}]` : undefined;
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const isWhole = fields.every(([name, field]) => add(`${JSON.stringify(name)}:`, field));
  return isWhole ? `{${parts.join(",")}}` : undefined;
}
