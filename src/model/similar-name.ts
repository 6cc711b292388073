/** The name that somebody most likely meant by a word that is none of them. */
export function similarName(word: string, names: readonly string[]): string | undefined {
  const close = names.map((name) => ({ name, edits: editsBetween(word.toLowerCase(), name) }));
  const [nearest] = close.toSorted((one, other) => one.edits - other.edits);
  return nearest && nearest.edits <= MAX_EDITS && nearest.edits * 2 < word.length ? nearest.name : undefined;
}

const MAX_EDITS = 3;

/** How many characters are to be put in, left out or changed. */
function editsBetween(one: string, other: string): number {
  let before = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [at, character] of one.slice(0, MAX_LENGTH).split("").entries()) {
    const row = [at + 1];
    for (let index = 1; index <= other.length; index += 1) {
      const changed = (before[index - 1] ?? 0) + (other[index - 1] === character ? 0 : 1);
      row.push(Math.min(changed, (before[index] ?? 0) + 1, (row[index - 1] ?? 0) + 1));
    }
    before = row;
  }
  return before.at(-1) ?? 0;
}

/** A longer word is none of ours with a mistake in it. */
const MAX_LENGTH = 40;
