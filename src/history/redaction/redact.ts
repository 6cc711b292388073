/**
 * Replaces each secret in a text by `[redacted KIND]` before the text leaves the store.
 *
 * Invariants: a second pass changes nothing; the time is linear for every text; no surrogate pair is cut; escape
 * sequences hide no secret, and stay where there is none.
 * Redaction finds values with the shape or the name of a secret, so it is a net and not a promise: a
 * password that looks like a word and stands alone is not found.
 */
import { redactEncoded } from "./redact-encoded.js";
import { redactAssigned } from "./redact-assigned.js";
import { hasEscapes, redactAround } from "./escape-sequences.js";
import { checkOptions, required, STRING } from "../../call/check-options.js";
import { PATTERNS } from "./redaction-pattern.js";
import type { RedactionPattern } from "./redaction-pattern.js";
import { isSecretName, SECRET_SHAPES, type SecretShape } from "./secret-shapes.js";

export function redact(text: string, patterns: readonly RedactionPattern[] = []): string {
  if (typeof text !== "string" || !PATTERNS.isRight(patterns))
    checkOptions("redact", { text, patterns }, { text: required(STRING), patterns: PATTERNS });
  return hasEscapes(text)
    ? redactAround(text, (plain) => redactPlain(plain, patterns))
    : redactPlain(text, patterns);
}

function redactPlain(text: string, patterns: readonly RedactionPattern[]): string {
  const shown = redactEncoded(text, (plain) => redactShapes(plain, patterns) !== plain);
  return redactShapes(shown, patterns);
}

function redactShapes(text: string, patterns: readonly RedactionPattern[]): string {
  let redacted = text;
  for (const shape of SECRET_SHAPES) redacted = replaced(redacted, shape);
  redacted = redactAssigned(redacted);
  for (const { pattern } of patterns) redacted = replaced(redacted, { kind: "by pattern", pattern });
  return redacted;
}

function replaced(text: string, { kind, pattern, around }: SecretShape): string {
  return text.replace(pattern, (...parts) => {
    // The arguments of a replacer: the match and its groups, then numbers and the whole text.
    const match = parts as unknown as RegExpMatchArray;
    const mark = `[redacted ${kind}]`;
    if (!around) return mark;
    const kept = around(match);
    return kept ? kept[0] + mark + kept[1] : match[0];
  });
}

/** No honest value is deeper. Parts below are not searched, so they are not returned either. */
const MAX_DEPTH = 200;

/** Redacts every text in a JSON value, names included. A value with a secret's name is a secret. */
export function redactJson(value: unknown, patterns: readonly RedactionPattern[] = []): unknown {
  checkOptions("redactJson", { patterns }, { patterns: PATTERNS });
  return redactedJson(value, patterns, 0);
}

function redactedJson(value: unknown, patterns: readonly RedactionPattern[], depth: number): unknown {
  if (typeof value === "string") return redact(value, patterns);
  if (typeof value !== "object" || value === null) return value;
  if (depth === MAX_DEPTH) return "[redacted: nested too deep]";
  if (Array.isArray(value))
    return value.map((part: unknown, index) =>
      typeof part === "string" && isSecretOption(value[index - 1])
        ? secretValue(part)
        : redactedJson(part, patterns, depth + 1),
    );
  const isSecret = isSecretPair(value);
  const parts = Object.entries(value).map(([name, part]: [string, unknown]) => [
    redact(name, patterns),
    (isSecretName(name) || (isSecret && name === "value")) && isPlain(part)
      ? secretValue(part)
      : redactedJson(part, patterns, depth + 1),
  ]);
  // `fromEntries` defines own properties whatever their name; it does not assign.
  return Object.fromEntries(parts) as unknown;
}

/** `"--password", "…"` among arguments. */
const isSecretOption = (before: unknown): boolean =>
  typeof before === "string" && /^--[\w.-]+$/.test(before) && isSecretName(before.slice(2));

/** `{"name": "API_KEY", "value": "…"}`, as lists of variables and headers have it. */
const isSecretPair = (pair: object): boolean =>
  ["name", "key"].some((field) => {
    const name: unknown = Reflect.get(pair, field);
    return typeof name === "string" && (isSecretName(name) || /^(?:proxy-)?authorization$/i.test(name));
  });

const isPlain = (part: unknown): part is string | number =>
  typeof part === "string" || typeof part === "number";

/** Numbers under such names are counts more often than secrets; short ones stay. */
function secretValue(part: string | number): unknown {
  if (part === "" || (typeof part === "number" && Math.abs(part) < 1e6)) return part;
  return typeof part === "string" && part.startsWith("[redacted ") ? part : "[redacted secret]";
}
