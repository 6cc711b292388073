/** Asks the person what an MCP server wants to know: its message, then each field of its form. */
import { visibleText } from "../call/index.js";
import type { Elicit } from "../run/index.js";
import type { AskReply, AskRequest } from "../tools/index.js";
import { elicitFields, fieldHints, fieldValue } from "./elicit-field.js";
import type { ElicitField } from "./elicit-field.js";

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
  const fields = elicitFields(schema);
  const prompt =
    fields.length === 0 || url !== undefined
      ? `Enter agrees, no declines, ${cancelHint}.`
      : `The form asks for ${fields.map(({ label }) => label).join(", ")}. Enter continues, no declines, ${cancelHint}.`;
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

/** Undefined when the person goes back. An empty line takes the default, or leaves an optional field out. */
async function readField(
  field: ElicitField,
  { line, write }: Pick<ElicitOptions, "line" | "write">,
  signal: AbortSignal,
): Promise<{ readonly given: unknown } | undefined> {
  const hints = [
    ...fieldHints(field),
    ...(field.fallback === undefined ? [] : [`Enter is ${visibleText(JSON.stringify(field.fallback))}`]),
    ...(field.isRequired ? [] : ["optional"]),
  ];
  const prompt = `${field.label}${hints.length === 0 ? "" : ` (${hints.join("; ")})`}:`;
  for (;;) {
    const typed = await line(prompt, { isFirst: false, signal });
    if (typed === undefined) return undefined;
    if (typed === "" && field.fallback !== undefined) return { given: field.fallback };
    if (typed === "" && !field.isRequired) return { given: undefined };
    const value = fieldValue(field, typed.trim());
    if ("given" in value) return value;
    write(`That does not fit: ${value.problem}.\n`);
  }
}
