/**
 * Asks the person what an MCP server wants to know: its message, then each field of its form.
 *
 * Invariant: each row of the server's words has a mark, but for those that stand behind words of ours in one row. Where a
 * prompt does not fit into a row, the terminal would continue it in its first column, where only our own lines start.
 */
import { visibleText } from "../call/index.js";
import type { Elicit } from "../run/index.js";
import type { AskReply, AskRequest } from "../tools/index.js";
import { columns, QUOTE, rows } from "../view/visible-line.js";
import type { Prefixes } from "../view/visible-line.js";
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
  /** The columns of the screen, now. */
  readonly width: () => number;
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
  const { line, cancelHint } = options;
  const [head = "", ...others] = visibleText(message, { keepNewlines: true }).split("\n");
  writeRows(head, { ...QUOTE, first: "? " }, options);
  for (const one of others) writeRows(one, QUOTE, options);
  if (url !== undefined) writeRows(visibleText(url), { ...QUOTE, first: "    at " }, options);
  const fields = elicitFields(schema);
  const isForm = fields.length > 0 && url === undefined;
  const answers = `${isForm ? "Enter continues" : "Enter agrees"}, no declines, ${cancelHint}.`;
  const asked = `The form asks for ${fields.map(({ label }) => label).join(", ")}.`;
  const prompt = isForm ? promptFor(`${asked} ${answers}`, [asked, answers], options) : answers;
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
  options: ElicitOptions,
  signal: AbortSignal,
): Promise<{ readonly given: unknown } | undefined> {
  const hints = [
    ...fieldHints(field),
    ...(field.fallback === undefined ? [] : [`Enter is ${visibleText(JSON.stringify(field.fallback))}`]),
    ...(field.isRequired ? [] : ["optional"]),
  ];
  const asked = `${field.label}${hints.length === 0 ? "" : ` (${hints.join("; ")})`}:`;
  const prompt = promptFor(asked, [asked, "Your answer:"], options);
  for (;;) {
    const typed = await options.line(prompt, { isFirst: false, signal });
    if (typed === undefined) return undefined;
    if (typed === "" && field.fallback !== undefined) return { given: field.fallback };
    if (typed === "" && !field.isRequired) return { given: undefined };
    const value = fieldValue(field, typed.trim());
    if ("given" in value) return value;
    writeRows(`That does not fit: ${value.problem}.`, { ...QUOTE, first: "" }, options);
  }
}

/** The prompt itself where it leaves room to type in its row; else its words stand in marked rows above a short one. */
function promptFor(
  whole: string,
  [above, short]: readonly [string, string],
  options: Pick<ElicitOptions, "write" | "width">,
): string {
  if (columns(whole) + ROOM <= options.width()) return whole;
  writeRows(above, QUOTE, options);
  return short;
}

/** For an answer of a few words. */
const ROOM = 16;

function writeRows(
  text: string,
  prefixes: Prefixes,
  { write, width }: Pick<ElicitOptions, "write" | "width">,
): void {
  // A row that fills the last column makes some terminals go to the next one.
  write(`${rows(text, prefixes, Math.max(MIN_WIDTH, width() - 1)).join("\n")}\n`);
}

/** A narrower terminal breaks rows itself. */
const MIN_WIDTH = 20;
