/**
 * A JSON parser that knows the line of every value, so that errors can name it. The parser accepts the same text as
 * `JSON.parse`, with two exceptions that could hide a rule: a duplicate name in an object, whose first value would
 * vanish, and nesting deeper than any settings need.
 */

export type JsonPath = readonly (string | number)[];

export type JsonReading =
  | { readonly ok: true; readonly value: unknown; readonly lineOf: (path: JsonPath) => number }
  | { readonly ok: false; readonly line: number; readonly what: string };

export function readJson(text: string): JsonReading {
  const reader = new JsonReader(text);
  try {
    const root = reader.readAll();
    let lines: readonly number[] | undefined;
    const lineOf = (path: JsonPath): number => lineAt((lines ??= lineStarts(text)), startOf(root, path));
    return { ok: true, value: root.value, lineOf };
  } catch (thrown) {
    if (!(thrown instanceof Misread)) throw thrown;
    return { ok: false, line: lineAt(lineStarts(text), thrown.at), what: thrown.message };
  }
}

type Node = {
  readonly at: number;
  readonly value: unknown;
  readonly inside?: ReadonlyMap<string, Node> | readonly Node[];
};

class Misread extends Error {
  constructor(
    readonly at: number,
    what: string,
  ) {
    super(what);
  }
}

/** The start of the value at a path; for a missing value, the nearest one around it. */
function startOf(root: Node, path: JsonPath): number {
  let node = root;
  for (const step of path) {
    const next = insideOf(node, step);
    if (!next) break;
    node = next;
  }
  return node.at;
}

function insideOf({ inside }: Node, step: string | number): Node | undefined {
  if (inside instanceof Map) return typeof step === "string" ? inside.get(step) : undefined;
  return Array.isArray(inside) && typeof step === "number" ? inside[step] : undefined;
}

function lineStarts(text: string): readonly number[] {
  return [0, ...Array.from(text.matchAll(/\r\n|[\r\n]/g), (end) => end.index + end[0].length)];
}

/** The line number of an offset, by binary search: a file may have a mistake in each of its lines. */
function lineAt(starts: readonly number[], at: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

const MAX_DEPTH = 64;
const WORDS = new Map<string, boolean | null>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

class JsonReader {
  #at = 0;

  constructor(readonly text: string) {}

  readAll(): Node {
    const root = this.#value(0);
    this.#skipSpace();
    if (this.#at < this.text.length) throw this.#misread("there is something after its end");
    return root;
  }

  #value(depth: number): Node {
    this.#skipSpace();
    const at = this.#at;
    if (depth > MAX_DEPTH) throw this.#misread("it is nested too deep");
    const first = this.text[at];
    if (first === "{") return this.#object(depth);
    if (first === "[") return this.#array(depth);
    if (first === '"') return { at, value: this.#string() };
    const found = this.#take(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y);
    if (found === undefined)
      throw this.#misread(
        this.text.startsWith("/", at) ? "comments are not supported" : this.#unexpected("a value"),
      );
    const word = WORDS.get(found);
    return { at, value: word === undefined ? Number(found) : word };
  }

  #object(depth: number): Node {
    const at = this.#at++;
    const inside = new Map<string, Node>();
    for (let isFirst = true; !this.#ends("}", isFirst); isFirst = false) {
      this.#skipSpace();
      const nameAt = this.#at;
      if (this.text[nameAt] !== '"') throw this.#misread(this.#unexpected("a name in double quotes"));
      const name = this.#string();
      if (inside.has(name)) throw new Misread(nameAt, `"${name}" is there twice`);
      this.#skipSpace();
      if (this.text[this.#at] !== ":") throw this.#misread(this.#unexpected(`":"`));
      this.#at++;
      // The line of a field is that of its name.
      inside.set(name, { ...this.#value(depth + 1), at: nameAt });
    }
    // fromEntries makes even "__proto__" a plain field.
    const value = Object.fromEntries([...inside].map(([name, node]) => [name, node.value]));
    return { at, value, inside };
  }

  #array(depth: number): Node {
    const at = this.#at++;
    const items: Node[] = [];
    for (let isFirst = true; !this.#ends("]", isFirst); isFirst = false) items.push(this.#value(depth + 1));
    return { at, value: items.map(({ value }) => value), inside: items };
  }

  /** Takes the closing bracket, or the comma before the next item. */
  #ends(bracket: string, isFirst: boolean): boolean {
    this.#skipSpace();
    if (this.text[this.#at] === bracket) {
      this.#at++;
      return true;
    }
    if (isFirst) return false;
    if (this.text[this.#at] !== ",") throw this.#misread(this.#unexpected(`"," or "${bracket}"`));
    const comma = this.#at++;
    this.#skipSpace();
    if (this.text[this.#at] === bracket) throw new Misread(comma, `there is a comma before "${bracket}"`);
    return false;
  }

  #string(): string {
    // Character by character: one regular expression would run out of stack on a long text.
    const at = this.#at;
    let end = at + 1;
    while (end < this.text.length && this.text[end] !== '"' && this.text[end] !== "\n")
      end += this.text[end] === "\\" ? 2 : 1;
    if (this.text[end] !== '"') throw this.#misread("a text has no closing quote on its line");
    this.#at = end + 1;
    try {
      return JSON.parse(this.text.slice(at, end + 1)) as string;
    } catch {
      throw new Misread(at, "a text has a character or an escape in it that JSON does not know");
    }
  }

  #skipSpace(): void {
    while (/[ \t\r\n]/.test(this.text[this.#at] ?? "")) this.#at++;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #unexpected(wanted: string): string {
    const found = this.text[this.#at];
    return found === undefined
      ? `it ends where ${wanted} should be`
      : `there is ${JSON.stringify(found)} where ${wanted} should be`;
  }

  #misread(what: string): Misread {
    return new Misread(this.#at, what);
  }
}
