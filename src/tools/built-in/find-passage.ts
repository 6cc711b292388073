/** Where a passage stands in a text. */

/** Passages that overlap count too: which of them is meant is just as unclear. `places` holds the first few. */
export function placesOf(
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

export function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < index; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/** The line where the passage would stand if no spaces and line ends counted; undefined when it does not even then. */
export function nearMatch(text: string, passage: string): number | undefined {
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
