/**
 * Reads a short Python program that only looks at data: it prints what it calculates from its input and from files that
 * stand in it as literals. Undefined for any other program.
 *
 * Fails closed by names. Modules, attributes and the functions that open files are closed lists, so that no name leads
 * to code that writes, sends, starts a program or opens a file whose path is calculated. Python's own functions are a
 * fixed set; those that evaluate text or reach other names are left out. Modules may still be files of the folder
 * (`json.py`): the program runs code of the project, and needs a rule as such.
 */
import { isSecretFile, SECRET_NAMES } from "../path-effects.js";
import { ATTRIBUTES, MODULES } from "./python-names.js";
import { type PythonToken, pythonTokens } from "./python-tokens.js";
import { isTooLong } from "./too-long.js";

/** The paths that it opens to read. */
export function readPython(code: string): { readonly reads: readonly string[] } | undefined {
  const tokens = isTooLong(code) ? undefined : pythonTokens(code);
  if (!tokens || tokens.length === 0) return undefined;
  const reads: string[] = [];
  let isImporting = false;
  for (const [at, { type, text }] of tokens.entries()) {
    const before = tokens[at - 1];
    if (type === "end") isImporting = false;
    if (type === "other" && text === "@") return undefined;
    if (type !== "name") continue;
    if (OWNERS.test(text) && !isImporting && tokens[at + 1]?.text !== ".") return undefined;
    if (OWNERS.test(text) && before?.text === "as") return undefined;
    if (text === "import" && !isImporting) {
      isImporting = true;
      if (!isKnownImport(tokens, at)) return undefined;
    } else if (text === "from" && startsStatement(before)) {
      isImporting = true;
      if (!isKnownFrom(tokens, at)) return undefined;
    } else if (OPENS.test(text)) {
      const path = openedPath(tokens, at);
      if (path === undefined) return undefined;
      reads.push(path);
    } else if (isImporting) continue;
    else if (before?.text === "." ? !isKnownAttribute(text, tokens[at - 2]) : isHarmful(text))
      return undefined;
  }
  return reads.every(isPlainPath) ? { reads } : undefined;
}

/** Modules whose names must not come to mean something else. */
const OWNERS = /^(?:json|ast)$/;

const startsStatement = (before: PythonToken | undefined): boolean =>
  before === undefined || before.type === "end";

/** `import a, b as c`, with every name of the list. */
function isKnownImport(tokens: readonly PythonToken[], at: number): boolean {
  const names = lineFrom(tokens, at + 1);
  return /^[a-z]\w*(?: as [a-z]\w*)?(?: , [a-z]\w*(?: as [a-z]\w*)?)*$/.test(names)
    ? names.split(" , ").every((one) => MODULES.has(one.split(" ")[0] ?? ""))
    : false;
}

/** `from collections import Counter as C`: the names are those of the module, in the list of attributes. */
function isKnownFrom(tokens: readonly PythonToken[], at: number): boolean {
  const { module = "", names = "" } =
    /^(?<module>[a-z]\w*) import (?<names>\w+(?: as \w+)?(?: , \w+(?: as \w+)?)*)$/.exec(
      lineFrom(tokens, at + 1),
    )?.groups ?? {};
  return MODULES.has(module) && names.split(" , ").every((one) => isImportable(one.split(" ")[0] ?? ""));
}

const isImportable = (name: string): boolean =>
  ATTRIBUTES.has(name) && !/^(?:load|dump)$/.test(name) && !OPENS.test(name);

function lineFrom(tokens: readonly PythonToken[], start: number): string {
  const end = tokens.findIndex(({ type }, index) => index >= start && type === "end");
  return tokens
    .slice(start, end === -1 ? undefined : end)
    .map(({ text }) => text)
    .join(" ");
}

/** Functions that open the file of their first word. */
const OPENS = /^(?:open|read_(?:csv|table|json|excel|parquet))$/;

/** The path, when it is a literal and the file is opened to read. */
function openedPath(tokens: readonly PythonToken[], at: number): string | undefined {
  const [paren, path, after] = tokens.slice(at + 1, at + 4);
  const isMethod = tokens[at - 1]?.text === ".";
  if (tokens[at]?.text === "open" ? isMethod : !isMethod) return undefined;
  if (paren?.text !== "(" || path?.type !== "string" || !/^[,)]$/.test(after?.text ?? "")) return undefined;
  if (tokens[at]?.text !== "open" || after?.text === ")") return path.text;
  const rest = tokens.slice(at + 4, at + 9).map(({ type, text }) => (type === "string" ? `'${text}'` : text));
  return /^(?:'(?:rb?|rt)' )?(?:(?<=' ), )?(?:encoding = '[\w-]+' )?\)/.test(rest.join(" "))
    ? path.text
    : undefined;
}

/** A path below the folder without a hidden name or that of a secret in it. */
const isPlainPath = (path: string): boolean =>
  /^[\w-][\w -]*(?:[./][\w -]+)*$/.test(path) && !SECRET_NAMES.test(path) && !isSecretFile(path);

const isKnownAttribute = (name: string, owner: PythonToken | undefined): boolean =>
  name === "load" || name === "dump"
    ? /^(?:json|ast)$/.test(owner?.text ?? "")
    : ATTRIBUTES.has(name) || PRINTED.test(name);

const PRINTED = /^__(?:version|file|name|doc)__$/;

/** Names of Python's own that evaluate text, or lead to other names, and keywords that define other kinds of code. */
const HARMFUL =
  /^(?:eval|exec|compile|getattr|setattr|delattr|globals|locals|vars|input|breakpoint|help|license|credits|copyright|exit|quit|memoryview|class|case|async|await|global|nonlocal|super|object|import|from|__\w*|_\w+)$/;

const isHarmful = (name: string): boolean => HARMFUL.test(name) && !/^__(?:name|file|doc)__$/.test(name);
