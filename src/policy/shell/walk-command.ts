/** A simple command of the syntax tree, read into words. */
import type { Command, CommandArgument } from "unbash";
import { decodeWord, type DecodedWord } from "./decode-word.js";
import { readRedirects } from "./read-redirects.js";
import { type Outcome, staying } from "./outcome.js";
import type { ShellContext, WalkText } from "./shell-context.js";
import { excerpt } from "./excerpt.js";
import { readWords } from "./walk-words.js";

export function readSimpleCommand(node: Command, context: ShellContext, walkText: WalkText): Outcome {
  const { draft } = context;
  for (const part of node.prefix) {
    if (part.type === "Assignment") draft.doubt(`it sets the variable ${excerpt(part.name)}`);
  }
  const { writes, reads, fed, doubts } = readRedirects(node.redirects);
  const words = node.name ? [decodeWord(node.name), ...node.args.map(decodeArgument)] : [];
  for (const doubt of [...doubts, ...words.flatMap((word) => word.doubts)]) draft.doubt(doubt);
  if (words.length === 0 && writes.length + reads.length === 0) return staying(context.folders);
  const command = {
    argv: words.map(({ value }) => value),
    globs: words.filter(({ globbed }) => globbed).map(({ value }) => value),
    patterns: words.filter(({ expands }) => expands).map(({ value }) => value),
    writes,
    reads,
  };
  const fedText = fed ?? context.fedText;
  return readWords(command, { ...context, fed: fed ?? context.fed, fedText }, walkText);
}

/** `export A=1`: the parser gives such words as assignments. */
function decodeArgument(argument: CommandArgument): DecodedWord {
  if (argument.type === "Word") return decodeWord(argument);
  const doubt = `it sets the variable ${excerpt(argument.name)}`;
  return { value: argument.text, globbed: false, expands: true, doubts: [doubt] };
}
