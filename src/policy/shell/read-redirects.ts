/** The files that redirects open, and the input that they give to the command. */
import type { HereDoc, HereString, Redirect, Redirection } from "unbash";
import { decodeWord } from "./decode-word.js";
import { excerpt } from "./excerpt.js";

export type ReadRedirects = {
  readonly writes: readonly string[];
  readonly reads: readonly string[];
  /** The text of a here-document or here-string. */
  readonly fed: string | undefined;
  readonly doubts: readonly string[];
};

export function readRedirects(redirects: readonly Redirection[]): ReadRedirects {
  const found: Found = { writes: [], reads: [], fed: undefined, doubts: [] };
  for (const redirect of redirects) {
    if (redirect.descriptor?.type === "FileDescriptorVariable") {
      found.doubts.push(`a redirect sets the variable ${excerpt(redirect.descriptor.name)}`);
    }
    if (redirect.type === "Redirect") readFile(redirect, found);
    else readHere(redirect, found);
  }
  return found;
}

type Found = { writes: string[]; reads: string[]; fed: string | undefined; doubts: string[] };

const NO_FILE = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin"]);
const DUPLICATION = /^(?:\d+-?|-)$/;

function readFile({ operator, target }: Redirect, found: Found): void {
  if (!target) return void found.doubts.push("a redirect has no file");
  const { value, globbed, doubts } = decodeWord(target);
  found.doubts.push(...doubts);
  if (globbed) found.doubts.push(`which file ${excerpt(target.text)} means is not known`);
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

function readHere(redirect: HereDoc | HereString, found: Found): void {
  if (redirect.type === "HereDoc") {
    found.fed = redirect.body.text;
    if (!redirect.closing) found.doubts.push("a here-document has no end");
    return;
  }
  if (!redirect.target) return void found.doubts.push("a here-string has no text");
  const { value, doubts } = decodeWord(redirect.target);
  found.fed = value;
  found.doubts.push(...doubts);
}
