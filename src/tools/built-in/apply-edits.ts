/**
 * Applies edits to a text. No file is read or written here.
 *
 * Each edit applies to the result of the one before it, and either all of them fit or none is applied. Only the
 * passages change: line ends and the byte order mark stay as they are in the file.
 */
import { ToolFailure } from "../tool.js";

export type Replacement = {
  readonly oldText: string;
  readonly newText: string;
  /** Every place where it occurs, from the first on, instead of the only one. */
  readonly replaceAll?: boolean | undefined;
};
type Edited = { readonly text: string; readonly passages: number };

/** `current` is undefined when there is no file. Throws ToolFailure when an edit does not fit. */
export function applyEdits(current: string | undefined, path: string, edits: readonly Replacement[]): Edited {
  if (current === undefined)
    throw new ToolFailure(
      `edit_file: ${path} does not exist, so "oldText" cannot be replaced in it. Nothing was written. Check the path, or leave out "oldText" to create the file.`,
    );
  const bom = current.startsWith(BOM) ? BOM : "";
  let body = current.slice(bom.length);
  let passages = 0;
  for (const [index, edit] of edits.entries()) {
    const words = edits.length === 1 ? single(path) : oneOfMany(path, index, edits.length);
    const text = (written: string) => withLineEndsOf(current, bom === "" ? written : withoutBom(written));
    const applied = applyOne(
      body,
      { ...edit, oldText: text(edit.oldText), newText: text(edit.newText) },
      words,
    );
    body = applied.text;
    passages += applied.passages;
  }
  if (bom + body === current)
    throw new ToolFailure(
      `edit_file: the edits undo each other, so ${path} would stay as it is. The file was not changed. Leave out those that are not needed.`,
    );
  return { text: bom + body, passages };
}

/** The text of a file that is created. An empty file has no passage that could be replaced, so it counts as not yet written. */
export function textOfNewFile(current: string | undefined, path: string, newText: string): string {
  if (current === undefined || (current === "" && newText !== "")) return newText;
  if (current === "")
    throw new ToolFailure(
      `edit_file: ${path} is empty and "newText" is too, so it would stay as it is. The file was not changed. Give another "newText".`,
    );
  throw new ToolFailure(
    `edit_file: ${path} exists already, and without "oldText" a new file is created. The file was not changed. Give the passage to replace as "oldText".`,
  );
}

/** How messages name the text that is looked for, and where. */
type Words = { readonly oldText: string; readonly where: string };

const single = (path: string): Words => ({ oldText: '"oldText"', where: path });

function oneOfMany(path: string, index: number, count: number): Words {
  const where = index === 0 ? path : `${path} as the edits before it leave it`;
  return { oldText: `"oldText" of edit ${index + 1} of ${count}`, where };
}

function applyOne(body: string, { oldText, newText, replaceAll }: Replacement, words: Words): Edited {
  if (oldText === newText)
    throw new ToolFailure(
      `edit_file: ${words.oldText} and "newText" are the same, so it would change nothing in ${words.where}. The file was not changed. Give another "newText".`,
    );
  if (replaceAll === true) {
    const parts = body.split(oldText);
    if (parts.length === 1) throw notFound(body, oldText, words);
    return { text: parts.join(newText), passages: parts.length - 1 };
  }
  const start = onlyPlace(body, oldText, words);
  return { text: body.slice(0, start) + newText + body.slice(start + oldText.length), passages: 1 };
}

const BOM = "\uFEFF";

/** The mark that stands before the first line is not part of the line, though a model may copy it. */
const withoutBom = (text: string) => (text.startsWith(BOM) ? text.slice(1) : text);

/** Models write \n. In a file whose lines all end with \r\n that is what they mean. */
function withLineEndsOf(current: string, text: string): string {
  const isCrlf = current.includes("\r\n") && !/(?<!\r)\n/.test(current);
  return isCrlf ? text.replace(/\r?\n/g, "\r\n") : text;
}

export const LISTED_LINES = 10;

function onlyPlace(body: string, oldText: string, words: Words): number {
  const { first, count, places } = placesOf(body, oldText, LISTED_LINES);
  if (first === undefined) throw notFound(body, oldText, words);
  if (count === 1) return first;
  const lines = places.map((place) => lineAt(body, place)).join(", ");
  const more = count > LISTED_LINES ? ", …" : "";
  throw new ToolFailure(
    `edit_file: ${words.oldText} occurs ${count} times in ${words.where} (lines ${lines}${more}); it must occur once. Add a line before or after it, or set "replaceAll" to replace every one. The file was not changed.`,
  );
}

function notFound(body: string, oldText: string, words: Words): ToolFailure {
  const near = nearMatch(body, oldText);
  return new ToolFailure(
    near === undefined
      ? `edit_file: ${words.oldText} does not occur in ${words.where}; it must be there with the same spaces and line ends. Read the file again and copy the passage. The file was not changed.`
      : `edit_file: ${words.oldText} does not occur in ${words.where}, but with other spaces or line ends it stands at line ${near}. Read the file from there and copy the passage as it is. The file was not changed.`,
  );
}

/** Passages that overlap count too: which of them is meant is just as unclear. `places` holds the first few. */
function placesOf(
  text: string,
  passage: string,
  listed: number,
): { readonly first?: number; readonly count: number; readonly places: readonly number[] } {
  const places: number[] = [];
  let count = 0;
  for (let at = text.indexOf(passage); at >= 0; at = text.indexOf(passage, at + 1)) {
    if (count++ < listed) places.push(at);
  }
  const [first] = places;
  return { ...(first !== undefined && { first }), count, places };
}

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < index; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/** The line where the passage would stand if no spaces and line ends counted; undefined when it does not even then. */
function nearMatch(text: string, passage: string): number | undefined {
  const bare = passage.replace(/\s+/g, "");
  if (bare === "") return undefined;
  const at = text.replace(/\s+/g, "").indexOf(bare);
  if (at < 0) return undefined;
  let seen = 0;
  for (const { 0: word, index } of text.matchAll(/\S+/g)) {
    if (seen + word.length > at) return lineAt(text, index);
    seen += word.length;
  }
  return undefined;
}
