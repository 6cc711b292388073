/** The text that an edit makes of another, and the line where they begin to differ. It reads and writes nothing. */
import { ToolFailure } from "../tool.js";

export type Edit = { readonly path: string; readonly oldText?: string | undefined; readonly newText: string };
export type Edited = { readonly text: string; readonly line: number };

/** `current` is undefined when there is no file. Throws ToolFailure when the edit does not fit. */
export function applyEdit(current: string | undefined, edit: Edit): Edited {
  const { path, oldText = "", newText } = edit;
  if (oldText === "") return { text: textOfNewFile(current, edit), line: 1 };
  if (current === undefined)
    throw new ToolFailure(
      `edit_file: ${path} does not exist, so "oldText" cannot be replaced in it. Nothing was written. Check the path, or leave out "oldText" to create the file.`,
    );
  const old = withLineEndsOf(current, oldText);
  const replacement = withLineEndsOf(current, newText);
  if (old === replacement)
    throw new ToolFailure(
      `edit_file: "oldText" and "newText" are the same, so ${path} would stay as it is. The file was not changed. Give another "newText".`,
    );
  const start = onlyPlace(current, old, path);
  return {
    text: current.slice(0, start) + replacement + current.slice(start + old.length),
    line: lineAt(current, start + commonStart(old, replacement)),
  };
}

/** An empty file has no passage that could be replaced, so it counts as not yet written. */
function textOfNewFile(current: string | undefined, { path, newText }: Edit): string {
  if (current === undefined || current === "") return newText;
  throw new ToolFailure(
    `edit_file: ${path} exists already, and without "oldText" a new file is created. The file was not changed. Give the passage to replace as "oldText".`,
  );
}

/** Models write \n. In a file whose lines all end with \r\n that is what they mean. */
function withLineEndsOf(current: string, text: string): string {
  const isCrlf = current.includes("\r\n") && !/(?<!\r)\n/.test(current);
  return isCrlf ? text.replace(/\r?\n/g, "\r\n") : text;
}

const LISTED_LINES = 10;

function onlyPlace(current: string, old: string, path: string): number {
  const first = current.indexOf(old);
  if (first < 0)
    throw new ToolFailure(
      `edit_file: "oldText" does not occur in ${path}; it must occur once, with the same spaces and line ends. Read the file again and copy the passage. The file was not changed.`,
    );
  // Passages that overlap count too: which of them is meant is just as unclear.
  if (current.indexOf(old, first + 1) < 0) return first;
  const lines: number[] = [];
  let count = 0;
  for (let at = first; at >= 0; at = current.indexOf(old, at + 1)) {
    if (count++ < LISTED_LINES) lines.push(lineAt(current, at));
  }
  const more = count > LISTED_LINES ? ", …" : "";
  throw new ToolFailure(
    `edit_file: "oldText" occurs ${count} times in ${path} (lines ${lines.join(", ")}${more}); it must occur once. Add a line before or after it. The file was not changed.`,
  );
}

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < index; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

function commonStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
