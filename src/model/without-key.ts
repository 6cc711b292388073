/**
 * A provider's words without the key. A provider may repeat the key of a request in its error: whole, cut short, escaped
 * for JSON, HTML or an address, or with invisible characters between.
 */

/** A part of the key that is as long as this is replaced. Providers name a key by a few of its characters. */
const MIN_PART = 12;
/** Both ends of a longer text are kept. */
const MAX_LENGTH = 20_000;

/** One character, as it may be written; or characters that show nothing, or only space. */
const CHARACTER =
  /%(?<hex>[\dA-F]{2})|\\{1,8}u(?<unicode>[\dA-F]{4})|&#(?<decimal>\d{1,5});|&(?<entity>quot|amp|apos|lt|gt);|\\{1,8}(?<escaped>["'/])|(?<noise>\\{1,8}[bfnrt]|\p{Cc}\[[0-9;?]*[A-Za-z]|[\s\p{C}])|(?<plain>[^])/giu;
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["quot", '"'],
  ["amp", "&"],
  ["apos", "'"],
  ["lt", "<"],
  ["gt", ">"],
]);

type Read = { readonly character: string; readonly start: number; readonly end: number };

export function withoutKey(text: string, key: string): string {
  if (key === "") return text;
  const short =
    text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH / 2)}…${text.slice(-MAX_LENGTH / 2)}`;
  const plain = short.replaceAll(key, "[key]");
  const read = charactersOf(plain);
  const minPart = Math.min(MIN_PART, key.length);
  let [shown, done] = ["", 0];
  for (let index = 0; index < read.length;) {
    const length = longestPart(read, index, key);
    const [first, last] = [read[index], read[index + length - 1]];
    index += length >= minPart ? length : 1;
    if (length < minPart || !first || !last) continue;
    shown += `${plain.slice(done, first.start)}[key]`;
    done = last.end;
  }
  return shown + plain.slice(done);
}

/** How many characters from here on are a part of the key. */
function longestPart(read: readonly Read[], from: number, key: string): number {
  let longest = 0;
  for (let at = 0; at < key.length - longest; at += 1) {
    let length = 0;
    while (at + length < key.length && read[from + length]?.character === key[at + length]) length += 1;
    longest = Math.max(longest, length);
  }
  return longest;
}

function charactersOf(text: string): readonly Read[] {
  const read: Read[] = [];
  for (const { 0: written, index: start, groups = {} } of text.matchAll(CHARACTER)) {
    const { hex, unicode, decimal, entity, escaped, plain } = groups;
    const code = hex ?? unicode;
    const character =
      plain ??
      escaped ??
      (code === undefined ? undefined : String.fromCharCode(Number.parseInt(code, 16))) ??
      (decimal === undefined
        ? ENTITIES.get(entity?.toLowerCase() ?? "")
        : String.fromCharCode(Number(decimal)));
    if (character !== undefined) read.push({ character, start, end: start + written.length });
  }
  return read;
}
