/**
 * What a client's terminal has printed since we last looked, from what it holds now.
 *
 * A client holds the end of the output, and some hold what a screen shows: lines that a program drew over
 * are other lines the next time. Our record only grows, so a line that changed is told again, and where more
 * was printed than the client holds, that is told.
 */

export const LEFT_OUT = "[… more was printed here than the editor's terminal holds …]\n";

export class EditorOutput {
  /** What the client held when we last looked, as far as it was told. */
  #told = "";

  /** `isOver`: nothing more will be printed, so that the last line is told too, though it does not end. */
  since(output: string, { isCut, isOver }: { readonly isCut: boolean; readonly isOver: boolean }): string {
    // A line that is not over may be drawn anew.
    const shown = isOver ? output : output.slice(0, output.lastIndexOf("\n") + 1);
    const before = this.#told;
    if (shown.startsWith(before)) {
      this.#told = shown;
      return shown.slice(before.length);
    }
    // Nothing whole to tell: what was told stays the measure.
    if (shown === "") return "";
    this.#told = shown;
    const open = before === "" || before.endsWith("\n") ? "" : "\n";
    if (!isCut) return open + shown.slice(startOfLine(shown, commonLength(before, shown)));
    const overlap = overlapLength(before, shown);
    return overlap > 0 ? shown.slice(overlap) : open + LEFT_OUT + shown;
  }
}

const startOfLine = (text: string, at: number): number => text.lastIndexOf("\n", at - 1) + 1;

function commonLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
}

/** The longest end of one text that the other begins with, by the prefix function: one pass, whatever the texts. */
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
