/** Asks the person what an MCP server wants to know: its message, then each field of its form. */
import { visibleText } from "../call/index.js";
import type { Elicit } from "../run/index.js";
import type { AskReply, AskRequest } from "../tools/index.js";

export type ElicitOptions = {
  /** Reads a line; undefined when the person goes back. `isFirst`: the person does not expect it. */
  readonly line: (
    prompt: string,
    options: { readonly isFirst: boolean; readonly signal: AbortSignal },
  ) => Promise<string | undefined>;
  readonly write: (text: string) => void;
  readonly pause: () => void;
  readonly resume: () => void;
  readonly onAsk: (message: string) => void;
  /** How to cancel, as the end of a sentence. */
  readonly cancelHint: string;
};

const CANCEL: AskReply = { action: "cancel" };

export function elicitInTerminal(options: ElicitOptions): Elicit {
  let line: Promise<unknown> = Promise.resolve();
  return (request, { signal }) => {
    const asked = line.then(async () => {
      signal.throwIfAborted();
      options.pause();
      options.onAsk(request.message);
      try {
        return await askForm(request, options, signal);
      } finally {
        options.resume();
      }
    });
    line = asked.catch(() => undefined);
    return asked;
  };
}

async function askForm(
  { message, schema, url }: AskRequest,
  options: ElicitOptions,
  signal: AbortSignal,
): Promise<AskReply> {
  const { write, line, cancelHint } = options;
  write(`? ${visibleText(message, { keepNewlines: true }).replaceAll("\n", "\n    ")}\n`);
  if (url !== undefined) write(`    at ${visibleText(url)}\n`);
  const fields = fieldsOf(schema);
  const prompt =
    fields.length === 0 || url !== undefined
      ? `Enter agrees, no declines, ${cancelHint}.`
      : `It asks for ${fields.map(({ label }) => label).join(", ")}. Enter goes on, no declines, ${cancelHint}.`;
  const first = await line(prompt, { isFirst: true, signal });
  if (first === undefined) return CANCEL;
  if (/^n(o)?$/i.test(first.trim())) return { action: "decline" };
  const content: Record<string, unknown> = {};
  for (const field of fields) {
    const value = await readField(field, options, signal);
    if (value === undefined) return CANCEL;
    if (value.given !== undefined) content[field.name] = value.given;
  }
  return { action: "accept", content };
}

type Field = {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  readonly fallback: unknown;
};

function fieldsOf(schema: object | undefined): readonly Field[] {
  const { properties, required } = asRecord(schema);
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(asRecord(properties)).map(([name, value]) => {
    const { type, title, description, enum: choices, default: fallback } = asRecord(value);
    const label = [title, description, name].find((text) => typeof text === "string");
    return {
      name,
      label: visibleText(String(label)),
      type: typeof type === "string" ? type : "string",
      choices: Array.isArray(choices) ? choices.map(String) : [],
      isRequired: needed.includes(name),
      fallback,
    };
  });
}

/** Undefined when the person goes back. An empty line takes the default, or leaves an optional field out. */
async function readField(
  field: Field,
  { line, write }: Pick<ElicitOptions, "line" | "write">,
  signal: AbortSignal,
): Promise<{ readonly given: unknown } | undefined> {
  const hints = [
    ...(field.choices.length > 0
      ? [`one of: ${field.choices.map((one) => visibleText(one)).join(", ")}`]
      : []),
    ...(field.type === "boolean" ? ["yes or no"] : []),
    ...(field.fallback === undefined ? [] : [`Enter is ${visibleText(JSON.stringify(field.fallback))}`]),
    ...(field.isRequired ? [] : ["optional"]),
  ];
  const prompt = `${field.label}${hints.length === 0 ? "" : ` (${hints.join("; ")})`}:`;
  for (;;) {
    const typed = await line(prompt, { isFirst: false, signal });
    if (typed === undefined) return undefined;
    if (typed === "" && field.fallback !== undefined) return { given: field.fallback };
    if (typed === "" && !field.isRequired) return { given: undefined };
    const given = valueOf(field, typed.trim());
    if (given !== undefined) return { given };
    write(`That does not fit: ${hints[0] ?? `the type ${field.type} is needed`}.\n`);
  }
}

function valueOf({ type, choices }: Field, typed: string): unknown {
  if (choices.length > 0) return choices.find((one) => one.toLowerCase() === typed.toLowerCase());
  if (type === "boolean")
    return /^(?:y(?:es)?|true)$/i.test(typed) ? true : /^(?:n(?:o)?|false)$/i.test(typed) ? false : undefined;
  if (type !== "number" && type !== "integer") return typed === "" ? undefined : typed;
  const number = Number(typed);
  return typed === "" || !Number.isFinite(number) || (type === "integer" && !Number.isInteger(number))
    ? undefined
    : number;
}

const asRecord = (value: unknown): { readonly [name: string]: unknown } =>
  // Checked to be an object.
  typeof value === "object" && value !== null ? (value as { readonly [name: string]: unknown }) : {};
