/**
 * Finds in an awk program everything beyond printing: commands, files, the environment.
 *
 * A closed grammar: names that reach outside are found as parts of the text, since `1system("id")` and
 * `$0system("id")` are calls too; what is left is split into signs, names, strings and patterns that mawk, gawk,
 * busybox awk and the original awk read alike. Wherever they could differ, the program is doubted.
 */
import { awkTokens } from "./awk-tokens.js";
import type { AwkToken } from "./awk-tokens.js";
import { isTooLong, TOO_LONG } from "./too-long.js";

const REACHES_OUT = new Map([
  ["getline", "reads a file or a command's output"],
  ["ENVIRON", "reads the environment, where secrets are"],
  ["PROCINFO", "reads or changes how files and processes are opened"],
  ["SYMTAB", "reaches every variable by a name that is put together"],
  ["FUNCTAB", "reaches every function by a name that is put together"],
  ["ARGV", "can choose other files to read"],
  ["ARGC", "can choose other files to read"],
  ["ARGIND", "can choose other files to read"],
  ["extension", "loads a library"],
  ["textdomain", "reads a file of translations"],
  ["gettext", "reads a file of translations"],
  ["TEXTDOMAIN", "reads a file of translations"],
]);

const UNCERTAIN = "the program is not read with certainty";

export function awkDoubts(program: string): string[] {
  if (isTooLong(program)) return [TOO_LONG];
  // A line that continues may continue within a name.
  const joined = program.replaceAll("\\\n", "");
  const doubts = [...REACHES_OUT]
    .filter(([name]) => program.includes(name) || joined.includes(name))
    .map(([name, reason]) => `the program uses ${name}, which ${reason}`);
  const tokens = awkTokens(program);
  if (runsCommand(joined, tokens)) doubts.push("the program uses system, which runs a command");
  if (!tokens) return [...doubts, UNCERTAIN];
  return [...doubts, ...new Set(signDoubts(tokens))];
}

/** `system` is a word of everyday logs: in a string or pattern that was surely read, only a call is doubted. */
function runsCommand(joined: string, tokens: readonly AwkToken[] | undefined): boolean {
  if (!joined.includes("system")) return false;
  if (!tokens || /system\s*\(/.test(joined)) return true;
  return tokens.some(({ kind, text }) => kind !== "string" && kind !== "pattern" && text.includes("system"));
}

const HARMLESS_OUTPUT = /^"\/dev\/(?:stderr|stdout|null)"$/;

/** Pipes anywhere, and `>` where it belongs to a print and not to a comparison. */
function signDoubts(tokens: readonly AwkToken[]): string[] {
  const doubts: string[] = [];
  const open: string[] = [];
  let isPrinting = false;
  for (const [index, { kind, text, isOperand }] of tokens.entries()) {
    const before = tokens[index - 1];
    if (kind === "name" && /^printf?$/.test(text)) isPrinting = open.length === 0;
    if (kind === "name" && /^printf?$/.test(text) && open.length > 0) return [UNCERTAIN];
    if (kind !== "sign") continue;
    if (text === "(" || text === "[") open.push(text === "(" ? ")" : "]");
    if ((text === ")" || text === "]") && open.pop() !== text) return [UNCERTAIN];
    if ((text === "{" || text === "}") && open.length > 0) return [UNCERTAIN];
    if (text === "{" || text === "}" || (text === ";" && open.length === 0)) isPrinting = false;
    // A statement ends with its line only after an operand: after a comma or an operator it continues.
    if (text === "\n" && before?.isOperand === true && open.length === 0) isPrinting = false;
    if (text === "|") doubts.push("the program pipes to or from a command");
    if (text === ">>") doubts.push("the program writes a file");
    if (text !== ">") continue;
    if (isPrinting && open.length === 0) {
      if (!writesToStream(tokens, index)) doubts.push("the program writes a file");
    } else if (before?.isOperand !== true || isOperand) doubts.push(UNCERTAIN);
  }
  return open.length > 0 ? [...doubts, UNCERTAIN] : doubts;
}

function writesToStream(tokens: readonly AwkToken[], at: number): boolean {
  const target = tokens[at + 1];
  const after = tokens[at + 2];
  return (
    target?.kind === "string" &&
    HARMLESS_OUTPUT.test(target.text) &&
    (after === undefined || /^[;}\n]$/.test(after.text))
  );
}
