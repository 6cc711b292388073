/** `bash -c TEXT`, `eval TEXT`, `trap TEXT SIGNAL`. */
import type { InnerCommand, InnerCommands } from "./inner-command.js";
import { isLikeBash, isShell, readShellOptions } from "./shell-options.js";

export function insideShell(name: string, words: readonly string[]): InnerCommands | undefined {
  if (name === "eval") {
    const command = words[0] === "--" ? words.slice(1) : words;
    const inside: InnerCommand = {
      wrapper: name,
      text: command.join(" "),
      sameShell: true,
      language: "same",
    };
    return { insides: [inside], doubts: [], known: true };
  }
  if (name === "trap") {
    const text = words.find((word) => !word.startsWith("-"));
    const insides: readonly InnerCommand[] =
      text === undefined ? [] : [{ wrapper: name, text, language: "same" }];
    return { insides, doubts: [], known: true };
  }
  if (!isShell(name)) return undefined;
  // With -n alone before a file, the shell checks the text and runs nothing. A bare name would be sought in PATH.
  if (
    isLikeBash(name) &&
    words[0] === "-n" &&
    words.length > 1 &&
    words.slice(1).every((word) => /^[\w./].*(?:\/|\.(?:sh|bash|bats)$)/.test(word))
  )
    return { insides: [], doubts: [], known: true };
  const { texts, operands, doubts } = readShellOptions(words);
  const also: string[] = [];
  if (texts.length > 0 && !isLikeBash(name)) also.push(`${name} reads some texts differently from bash`);
  if (texts.length > 0 && operands.length > 0) also.push(`${name} gets further words as its variables`);
  const language = name === "bash" ? "bash" : "sh";
  const insides = texts.map((text): InnerCommand => ({ wrapper: name, text, language }));
  const passesOn = texts.length === 1 && words.length === 2 && /^-[eux]*c$/.test(words[0] ?? "");
  return { insides, doubts: [...doubts, ...also], known: true, passesOn };
}
