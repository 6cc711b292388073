/** The command inside a wrapper of the table. */
import { guesses, readOptions } from "./read-options.js";
import type { InnerCommand, InnerCommands } from "./inner-command.js";
import { excerpt } from "./excerpt.js";
import { isHarmlessVariable } from "./variable-names.js";
import { STRANGER_LOOKS, WRAPPERS, type Wrapper } from "./wrappers.js";

const ASSIGNMENT = /^[A-Za-z_]\w*=/;
const MAX_TEXTS = 4;

export function insideWrapper(name: string, words: readonly string[]): InnerCommands | undefined {
  const longer = `${name} ${words[0] ?? ""}`;
  const isLonger = WRAPPERS.has(longer);
  const wrapper = WRAPPERS.get(isLonger ? longer : name);
  if (!wrapper || STRANGER_LOOKS.get(name)?.test(words.join(" ")) === true) return undefined;
  if (wrapper.guess) return insideStranger(name, words, wrapper.doubt ?? "");
  const { options, rests, doubts } = readOptions(isLonger ? words.slice(1) : words, wrapper.options);
  const insides: InnerCommand[] = [];
  const also: string[] = [];
  if (wrapper.doubt !== undefined) also.push(`${name} ${wrapper.doubt}`);
  let only = false;
  let folder: string | undefined;
  for (const [option, value] of options) {
    if (wrapper.shows?.includes(option)) only = true;
    if (wrapper.doubtful?.includes(option)) also.push(`${name} ${option} changes more than the command`);
    if (wrapper.folder?.includes(option)) folder = value;
    if (!wrapper.texts?.includes(option) || value === undefined) continue;
    const added = wrapper.addsWords ? (rests[0] ?? []).map((word) => ` ${quoted(word)}`) : [];
    insides.push({ wrapper: name, text: value + added.join("") });
  }
  if (only) return { insides: [], doubts: [], known: true };
  for (const rest of rests) {
    const start = commandStart(rest, wrapper);
    for (const word of rest.slice(wrapper.operands ?? 0, start))
      if (!wrapper.assignments || !isHarmlessAssignment(word)) also.push(`${name} sets ${excerpt(word)}`);
    insides.push(...commandInside(name, wrapper, { words: rest.slice(start), options }));
  }
  const sameShell = wrapper.sameShell === true;
  const isBackground = isLeft(wrapper, options);
  return {
    insides: insides.map((inside) => ({ ...inside, folder, sameShell, isBackground })),
    doubts: [...doubts, ...also],
    known: true,
    ...(wrapper.passesOn && { passesOn: true }),
  };
}

/** Whether the wrapper may end before its command does. */
function isLeft({ leaves, waits }: Wrapper, options: Found["options"]): boolean {
  if (waits && !options.some(([option]) => waits.includes(option))) return true;
  return options.some(([option]) => leaves?.includes(option));
}

const quoted = (word: string) => `'${word.replaceAll("'", String.raw`'\''`)}'`;

function insideStranger(name: string, words: readonly string[], doubt: string): InnerCommands {
  const starts = guesses(words, 0).map((argv) => ({ wrapper: name, argv }));
  const texts = words.filter((word) => /\s/.test(word)).slice(0, MAX_TEXTS);
  const insides = [...starts, ...texts.map((text) => ({ wrapper: name, text }))];
  return { insides, doubts: [`${name} ${doubt}`], known: true };
}

function isHarmlessAssignment(word: string): boolean {
  const equals = word.indexOf("=");
  return equals > 0 && isHarmlessVariable(word.slice(0, equals), word.slice(equals + 1));
}

function commandStart(rest: readonly string[], wrapper: Wrapper): number {
  let start = wrapper.operands ?? 0;
  if (wrapper.assignments) while (ASSIGNMENT.test(rest[start] ?? "")) start++;
  return start;
}

type Found = { words: readonly string[]; options: readonly (readonly [string, unknown])[] };

function commandInside(name: string, wrapper: Wrapper, { words, options }: Found): readonly InnerCommand[] {
  const [first, second] = words;
  if (first === undefined) return [];
  // `flock file -c TEXT`: the option stands behind the operand.
  if (wrapper.texts?.includes(first) && second !== undefined) return [{ wrapper: name, text: second }];
  const joins = wrapper.joins === true && !options.some(([option]) => wrapper.unlessOption?.includes(option));
  return [joins ? { wrapper: name, text: words.join(" ") } : { wrapper: name, argv: words }];
}
