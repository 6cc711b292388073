/** A field of a server's form: its limits in words, and the value of a typed line or a sentence about its mistake. */
import { visibleText } from "../call/index.js";
import { serverSchemaCheck } from "../mcp/server-schema-check.js";

export type ElicitField = {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  /** The values to choose from, and how each is shown. */
  readonly choices: readonly Choice[];
  readonly isRequired: boolean;
  readonly fallback: unknown;
  readonly limits: Limits;
  /** The server's whole text about the value. */
  readonly schema: object;
};

type Choice = { readonly value: string; readonly shown: string };

type Limits = {
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly format?: string | undefined;
};

export type FieldValue = { readonly given: unknown } | { readonly problem: string };

export function elicitFields(schema: object | undefined): readonly ElicitField[] {
  const { properties, required } = asRecord(schema);
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(asRecord(properties)).map(([name, value]) => {
    const given = asRecord(value);
    const { type, title, description, format } = given;
    const label = [title, description, name].find((text) => typeof text === "string");
    return {
      name,
      label: visibleText(String(label)),
      type: typeof type === "string" ? type : "string",
      choices: choicesOf(type === "array" ? asRecord(given["items"]) : given),
      isRequired: needed.includes(name),
      fallback: given["default"],
      schema: given,
      limits: {
        minimum: numberOf(given["minimum"]),
        maximum: numberOf(given["maximum"]),
        minLength: numberOf(given["minLength"]),
        maxLength: numberOf(given["maxLength"]),
        ...(typeof format === "string" && { format }),
      },
    };
  });
}

function choicesOf({ enum: values, enumNames, oneOf, anyOf }: Fields): readonly Choice[] {
  const titled = oneOf ?? anyOf;
  if (Array.isArray(titled))
    return titled.map(asRecord).flatMap(({ const: value, title }) => {
      if (typeof value !== "string") return [];
      return [{ value, shown: visibleText(typeof title === "string" ? title : value) }];
    });
  const names: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
  return (Array.isArray(values) ? values : []).map((value, index) => ({
    value: String(value),
    shown: visibleText(String(names[index] ?? value)),
  }));
}

/** The answers that fit, in words; empty where any does. */
export function fieldHints({ choices, type, limits }: ElicitField): readonly string[] {
  if (choices.length > 0) {
    const words = type === "array" ? "some of, with commas between" : "one of";
    return [`${words}: ${choices.map(({ shown }, index) => `${index + 1} ${shown}`).join(", ")}`];
  }
  if (type === "boolean") return ["yes or no"];
  if (isNumber(type)) {
    const words = type === "integer" ? "a whole number" : "a number";
    return [[words, rangeWords(limits.minimum, limits.maximum)].join("")];
  }
  const words = FORMAT_WORDS.get(limits.format ?? "");
  const length = rangeWords(limits.minLength, limits.maxLength);
  return [...(words === undefined ? [] : [words]), ...(length === "" ? [] : [`a length${length}`])];
}

export function fieldValue(field: ElicitField, typed: string): FieldValue {
  if (field.type === "array" && typed !== "") return listed(field, typed);
  if (field.choices.length > 0) return chosen(field.choices, typed);
  if (typed === "") return { problem: "an answer is needed" };
  const given = readValue(field.type, typed);
  const checked = given === undefined ? undefined : serverSchemaCheck(field.schema)?.(given);
  if (given !== undefined && checked?.ok !== false) return { given };
  const hints = fieldHints(field);
  if (hints.length > 0) return { problem: `${hints.join(", ")} is needed` };
  return { problem: checked?.ok === false ? visibleText(checked.problem) : "another answer is needed" };
}

function listed({ choices, schema }: ElicitField, typed: string): FieldValue {
  const given: unknown[] = [];
  for (const word of typed.split(",").map((one) => one.trim())) {
    const value = choices.length > 0 ? chosen(choices, word) : { given: word };
    if ("problem" in value) return value;
    given.push(value.given);
  }
  const checked = serverSchemaCheck(schema)?.(given);
  return checked?.ok === false ? { problem: visibleText(checked.problem) } : { given };
}

function readValue(type: string, typed: string): unknown {
  if (type === "boolean")
    return /^(?:y(?:es)?|true)$/i.test(typed) ? true : /^(?:n(?:o)?|false)$/i.test(typed) ? false : undefined;
  if (!isNumber(type)) return typed;
  return Number.isFinite(Number(typed)) ? Number(typed) : undefined;
}

/** The whole word, its number, or a beginning that only one of them has. */
function chosen(choices: readonly Choice[], typed: string): FieldValue {
  const words = typed.toLowerCase();
  const names = ({ value, shown }: Choice): readonly string[] => [value.toLowerCase(), shown.toLowerCase()];
  const whole = choices.find((one) => names(one).includes(words));
  const numbered = /^\d+$/.test(typed) ? choices[Number(typed) - 1] : undefined;
  const matches =
    words === "" ? [] : choices.filter((one) => names(one).some((name) => name.startsWith(words)));
  const choice = whole ?? numbered ?? (matches.length === 1 ? matches[0] : undefined);
  if (choice) return { given: choice.value };
  return matches.length > 1
    ? { problem: `"${visibleText(typed)}" begins ${matches.map(({ shown }) => shown).join(" and ")}` }
    : { problem: `type a number from 1 to ${choices.length}, or the beginning of a word` };
}

const FORMAT_WORDS: ReadonlyMap<string, string> = new Map([
  ["email", "an email address"],
  ["uri", "a URI such as https://example.org"],
  ["date", "a date such as 2026-01-31"],
  ["date-time", "a time such as 2026-01-31T12:00:00Z"],
]);

function rangeWords(from: number | undefined, to: number | undefined): string {
  if (from !== undefined && to !== undefined) return ` from ${from} to ${to}`;
  if (from !== undefined) return ` of at least ${from}`;
  return to === undefined ? "" : ` of at most ${to}`;
}

const isNumber = (type: string): boolean => type === "number" || type === "integer";
const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

type Fields = { readonly [name: string]: unknown };

const asRecord = (value: unknown): Fields =>
  // Checked to be an object.
  typeof value === "object" && value !== null ? (value as Fields) : {};
