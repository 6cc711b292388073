/**
 * Finds the new output of a client's terminal, from the text that the terminal holds now.
 *
 * A client holds the end of the output, and some clients hold what a screen shows: a line that a program drew over
 * differs the next time. Our record only grows, so a changed line is reported again, and a mark shows where more
 * was printed than the client holds.
 */

export const LEFT_OUT = "[… more was printed here than the editor's terminal holds …]\n";

export class EditorOutput {
  /** The reported part of the text that the client held at the last poll. */
  #reported = "";

  /** `isOver`: no output follows, so the last line is reported even without its newline. */
  since(output: string, { isCut, isOver }: { readonly isCut: boolean; readonly isOver: boolean }): string {
    // An unfinished line may still change.
    const shown = isOver ? output : output.slice(0, output.lastIndexOf("\n") + 1);
    const before = this.#reported;
    if (shown.startsWith(before)) {
      this.#reported = shown;
      return shown.slice(before.length);
    }
    // No whole line to report.
    if (shown === "") return "";
    this.#reported = shown;
    const open = before === "" || before.endsWith("\n") ? "" : "\n";
    if (!isCut) return open + shown.slice(startOfLine(shown, commonLength(before, shown)));
    const overlap = overlapLength(before, shown);
    return overlap > 0 ? shown.slice(overlap) : open + LEFT_OUT + shown;
  }
}

const startOfLine = (text: string, at: number): number => text.lastIndexOf("\n", at - 1) + 1;

function commonLength(one: string, other: string): number {
  const max = Math.min(one.length, other.length);
  let length = 0;
  while (length < max && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
}

/** The longest suffix of one text that is a prefix of the other, by the prefix function: one pass for any texts. */
function overlapLength(before: string, now: string): number {
  const tail = before.slice(-now.length);
  const fallback = new Int32Array(now.length);
  let matched = 0;
  for (let at = 1; at < now.length; at += 1) {
    while (matched > 0 && now.charCodeAt(at) !== now.charCodeAt(matched))
      matched = fallback[matched - 1] ?? 0;
    if (now.charCodeAt(at) === now.charCodeAt(matched)) matched += 1;
    fallback[at] = matched;
  }
  matched = 0;
  for (let at = 0; at < tail.length; at += 1) {
    while (matched > 0 && (matched === now.length || tail.charCodeAt(at) !== now.charCodeAt(matched)))
      matched = fallback[matched - 1] ?? 0;
    if (tail.charCodeAt(at) === now.charCodeAt(matched)) matched += 1;
  }
  return matched;
}
