/** Which words of two texts differ: the smallest change of words, for marks inside changed lines. */
export type MarkedPiece = { readonly text: string; readonly isMarked: boolean };

const WORD = /[\p{L}\p{N}_$]+|\s+|[^\p{L}\p{N}_$\s]/gu;
/** Above this many comparisons nothing is marked: the cost grows with the product of both lengths. */
const MAX_COMPARISONS = 1_000_000;

export type WordMarks = { readonly before: readonly MarkedPiece[]; readonly after: readonly MarkedPiece[] };

export function wordMarks(before: string, after: string): WordMarks {
  const old = before.match(WORD) ?? [];
  const now = after.match(WORD) ?? [];
  if (old.length * now.length > MAX_COMPARISONS) return { before: unmarked(before), after: unmarked(after) };
  const { inOld, inNow } = commonWords(old, now);
  const kept = inOld.reduce((length, isKept, at) => length + (isKept ? (old[at]?.trim().length ?? 0) : 0), 0);
  // Two lines that share next to nothing are two lines: marks on everything show nothing.
  if (kept * 5 < Math.min(before.trim().length, after.trim().length))
    return { before: unmarked(before), after: unmarked(after) };
  return { before: pieces(old, inOld), after: pieces(now, inNow) };
}

/** How much two lines are alike: the share of common words in both, and more where they begin with the same word. */
export function wordLikeness(one: string, other: string): number {
  const words = solidWords(one);
  const others = solidWords(other);
  const all = words.length + others.length;
  if (all === 0) return 1;
  if (words.length * others.length > MAX_COMPARISONS) return 0;
  const { inOld } = commonWords(words, others);
  const share = (2 * inOld.filter(Boolean).length) / all;
  return words[0] === others[0] ? share + SAME_BEGINNING : share;
}

const SAME_BEGINNING = 0.25;

const solidWords = (text: string): readonly string[] =>
  (text.match(WORD) ?? []).filter((word) => word.trim() !== "");

const unmarked = (text: string): readonly MarkedPiece[] => (text === "" ? [] : [{ text, isMarked: false }]);

/** The longest common subsequence, as a flag for each word. */
function commonWords(old: readonly string[], now: readonly string[]) {
  const width = now.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1)
    for (let column = now.length - 1; column >= 0; column -= 1)
      lengths[row * width + column] =
        old[row] === now[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const inOld = old.map(() => false);
  const inNow = now.map(() => false);
  for (let row = 0, column = 0; row < old.length && column < now.length;) {
    if (old[row] === now[column]) {
      inOld[row] = true;
      inNow[column] = true;
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return { inOld, inNow };
}

/** Common signs and spaces between two marked words are marked too: many small marks are hard to read. */
function pieces(words: readonly string[], isCommon: readonly boolean[]): readonly MarkedPiece[] {
  const runs: MarkedPiece[] = [];
  for (const [index, text] of words.entries()) push(runs, { text, isMarked: isCommon[index] === false });
  const made: MarkedPiece[] = [];
  for (const [index, run] of runs.entries()) {
    const isBetween = index > 0 && index < runs.length - 1 && /^[^\p{L}\p{N}\n]{1,3}$/u.test(run.text);
    push(made, { text: run.text, isMarked: run.isMarked || isBetween });
  }
  return made;
}

function push(made: MarkedPiece[], { text, isMarked }: MarkedPiece): void {
  const last = made.at(-1);
  if (last?.isMarked === isMarked) made[made.length - 1] = { isMarked, text: last.text + text };
  else made.push({ text, isMarked });
}
