/**
 * Reads the options before a wrapper's command. An option that is not in the list is a doubt, and then the command may
 * start at more than one word: all of these readings are returned.
 *
 * The list: `-v` alone, `-u=` with a value, `-i?` with a value only when it is attached, `-#` a number.
 */
import { excerpt } from "./excerpt.js";

export type ReadOptions = {
  readonly options: readonly (readonly [name: string, value: string | undefined])[];
  /** The words after the options. The first is the likeliest; more only with a doubt. */
  readonly rests: readonly (readonly string[])[];
  readonly doubts: readonly string[];
};

type Form = "alone" | "value" | "attached";

const MAX_GUESSES = 4;

export function readOptions(words: readonly string[], list: string): ReadOptions {
  const forms = formsOf(list);
  const options: [string, string | undefined][] = [];
  const doubts: string[] = [];
  let index = 0;
  let strangeAt: number | undefined;
  const note = (word: string) => {
    doubts.push(`the option ${excerpt(word)} is not known`);
    strangeAt ??= index;
  };
  for (; index < words.length; index++) {
    const word = words[index] ?? "";
    if (word === "--") {
      index++;
      break;
    }
    if (!word.startsWith("-") || (word === "-" && !forms.has("-"))) break;
    if (forms.has("-#") && /^-[-+]?\d+$/.test(word)) continue;
    if (word.startsWith("--")) {
      const [name = "", ...values] = word.split("=");
      const form = forms.get(name);
      if (form === undefined || (form === "alone" && values.length > 0)) note(word);
      else if (form === "value" && values.length === 0) options.push([name, words[++index]]);
      else options.push([name, values.length > 0 ? values.join("=") : undefined]);
      continue;
    }
    if (word === "-") continue;
    for (let at = 1; at < word.length; at++) {
      const name = `-${word[at]}`;
      const form = forms.get(name);
      const attached = at + 1 < word.length ? word.slice(at + 1) : undefined;
      if (form === undefined) {
        note(word);
        break;
      }
      options.push([
        name,
        form === "alone" ? undefined : (attached ?? (form === "value" ? words[++index] : undefined)),
      ]);
      if (form !== "alone") break;
    }
  }
  const rest = words.slice(index);
  return {
    options,
    rests: strangeAt === undefined ? [rest] : [rest, ...guesses(words, strangeAt + 1)],
    doubts,
  };
}

/** Every place, from this word on, where a command could start. */
export function guesses(words: readonly string[], from: number): readonly (readonly string[])[] {
  const starts = words.flatMap((word, at) => (at >= from && !word.startsWith("-") ? [at] : []));
  return starts.slice(0, MAX_GUESSES).map((at) => words.slice(at));
}

const FORMS = new Map<string, ReadonlyMap<string, Form>>();

function formsOf(list: string): ReadonlyMap<string, Form> {
  const known = FORMS.get(list);
  if (known) return known;
  const entries = list
    .split(" ")
    .filter(Boolean)
    .map((entry): [string, Form] => {
      if (entry.endsWith("=")) return [entry.slice(0, -1), "value"];
      return entry.endsWith("?") ? [entry.slice(0, -1), "attached"] : [entry, "alone"];
    });
  const forms = new Map(entries);
  FORMS.set(list, forms);
  return forms;
}
