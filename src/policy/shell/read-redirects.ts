/** The files that redirects open, and the input that they give to the command. */
import type { HereDoc, HereString, Redirect, Redirection, Word } from "unbash";
import { wordValue } from "./assigned-value.js";
import { excerpt } from "./excerpt.js";
import { expandWord } from "./expand-word.js";
import type { Scope } from "./parameter-value.js";

export type ReadRedirects = {
  readonly writes: readonly string[];
  readonly reads: readonly string[];
  /** The text of a here-document or here-string. */
  readonly fed: string | undefined;
  /** A part of that text is not known. */
  readonly isFedUnknown: boolean;
  /** The process substitution whose output is the input. */
  readonly process: string | undefined;
  readonly doubts: readonly string[];
};

export function readRedirects(redirects: readonly Redirection[], scope: Scope): ReadRedirects {
  const found: Found = {
    writes: [],
    reads: [],
    fed: undefined,
    isFedUnknown: false,
    process: undefined,
    doubts: [],
    scope,
  };
  for (const redirect of redirects) {
    if (redirect.descriptor?.type === "FileDescriptorVariable") {
      found.doubts.push(`a redirect sets the variable ${excerpt(redirect.descriptor.name)}`);
    }
    if (redirect.type === "Redirect") readFile(redirect, found);
    else readHere(redirect, found);
  }
  const { scope: _, ...read } = found;
  return read;
}

type Found = {
  writes: string[];
  reads: string[];
  fed: string | undefined;
  isFedUnknown: boolean;
  process: string | undefined;
  doubts: string[];
  readonly scope: Scope;
};

const NO_FILE = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin"]);
const DUPLICATION = /^(?:\d+-?|-)$/;

function readFile({ operator, target }: Redirect, found: Found): void {
  if (!target) return void found.doubts.push("a redirect has no file");
  const [file, ...more] = expandWord(target, found.scope);
  if (!file || more.length > 0) found.doubts.push(`which file ${excerpt(target.text)} means is not known`);
  const { value, globbed, pieces, process, doubts } = file ?? {
    value: target.value,
    globbed: false,
    doubts: [],
  };
  found.doubts.push(...doubts);
  if (process !== undefined) return readProcess(process, operator, found);
  if (globbed || pieces) found.doubts.push(`which file ${excerpt(target.text)} means is not known`);
  if ((operator === ">&" || operator === "<&") && DUPLICATION.test(value)) return;
  // Behind these bash expands the word again after it took the quotes off: `>&'$(date)'` runs date.
  if ((operator === ">&" || operator === "<&") && !/^[\w./@%+,:-]+$/.test(target.text))
    found.doubts.push(`the shell may read ${excerpt(target.text)} twice`);
  if (/^\/+dev\/+(?:tcp|udp)\b/.test(value))
    found.doubts.push(`${excerpt(value)} opens a network connection`);
  if (NO_FILE.has(value)) return;
  if (operator !== "<" && operator !== "<&") found.writes.push(value);
  if (operator === "<" || operator === "<>" || operator === "<&") found.reads.push(value);
}

/** `< <(sort a)`: the output of a command of the text is the input. */
function readProcess(process: string, operator: string, found: Found): void {
  if (operator !== "<") found.doubts.push(`${process} runs a command beside it`);
  found.fed = "";
  found.isFedUnknown = true;
  found.process = process;
}

function readHere(redirect: HereDoc | HereString, found: Found): void {
  if (redirect.type === "HereDoc") {
    const { parts, text } = redirect.body;
    setFed(parts ? { type: "Word", text: "", value: text, parts, pos: 0, end: 0 } : undefined, text, found);
    if (!redirect.closing) found.doubts.push("a here-document has no end");
    return;
  }
  if (!redirect.target) return void found.doubts.push("a here-string has no text");
  setFed(redirect.target, redirect.target.value, found);
}

/** `word` has the expansions of the text. */
function setFed(word: Word | undefined, text: string, found: Found): void {
  const given = word && wordValue(word, found.scope);
  found.fed = given?.value.type === "text" ? given.value.text : text;
  found.isFedUnknown = given !== undefined && given.value.type !== "text";
  found.doubts.push(...(given?.doubts ?? []));
}
