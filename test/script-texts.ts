/** Random scripts: pieces of a language put together, then damaged, the same for the same seed. */

export type Language = {
  /** Whole statements, mostly harmless; `%` stands for a smaller piece. */
  readonly pieces: readonly string[];
  /** Statements that any reader must doubt when they stand there whole, so they are rarer. */
  readonly dangerous: readonly string[];
  readonly smaller: readonly string[];
  /** Stands between the pieces. */
  readonly glue: readonly string[];
  /** Single signs that a damaged script gains. */
  readonly noise: readonly string[];
};

const SIGNS = new Map([
  ["⏎", "\n"],
  ["⇥", "\t"],
  ["␍", "\r"],
  ["␋", "\v"],
  ["ˋ", "`"],
  ["␣", " "],
]);

/** The parts of a list that is written with `¦` between them, and with signs for what could not be seen. */
export function parts(text: string): string[] {
  return text
    .split("¦")
    .map((part) => part.trim().replaceAll(/[⏎⇥␍␋ˋ␣]/g, (sign) => SIGNS.get(sign) ?? sign));
}

export function* scriptTexts(language: Language, seed: number): Generator<string, never> {
  const random = mulberry(seed);
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? "";
  const fill = (text: string, depth: number): string =>
    text.replaceAll("%", () => (depth > 3 ? "x" : fill(pick(language.smaller), depth + 1)));
  for (;;) {
    const count = 1 + Math.floor(random() * 4);
    const piece = () => fill(pick(random() < 0.1 ? language.dangerous : language.pieces), 0);
    let text = piece();
    for (let index = 1; index < count; index += 1) text += pick(language.glue) + piece();
    while (random() < 0.35) text = damaged(text, { random, pick, language });
    yield text.replaceAll("\0", "");
  }
}

type Chance = {
  readonly random: () => number;
  readonly pick: (list: readonly string[]) => string;
  readonly language: Language;
};

function damaged(text: string, { random, pick, language }: Chance): string {
  const at = Math.floor(random() * (text.length + 1));
  const end = at + Math.floor(random() * 4);
  const kind = random();
  if (kind < 0.35) return text.slice(0, at) + pick(language.noise) + text.slice(at);
  if (kind < 0.55) return text.slice(0, at) + text.slice(end);
  if (kind < 0.75) return text.slice(0, at) + pick(language.noise) + text.slice(end);
  if (kind < 0.9) return text.slice(0, at) + pick(language.smaller).replaceAll("%", "x") + text.slice(at);
  return text.slice(0, at) + text.slice(at, end) + text.slice(at);
}

function mulberry(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
