/** ssh: the command that it runs on the other machine. */
import type { NestedCommands, Reader } from "../program.js";

/** The letters that take a value, behind any number that take none. */
const BEFORE_VALUE = /^-[46AaCfGgKkMNnqsTtVvXxYy]*[BbcDEeFIiJLlmOoPpQRSWw]$/;

export const sshReader: Reader = { nested: remoteCommand };

/** A command over there is judged as if it ran here, its paths apart. */
function remoteCommand(args: readonly string[]): NestedCommands {
  const line = args.slice(hostAt(args) + 1).join(" ");
  const plain = line.split(/&&|\|\||[;|]/).map((part) => part.trim());
  const commands =
    line === "" || line.startsWith("-")
      ? []
      : plain.map((part) =>
          /[$`<>(){}&\n]/.test(part) ? ["sh", "-c", part] : part.replaceAll(/['"]/g, "").split(/\s+/),
        );
  return { words: args, commands, mustOnlyRead: false, elsewhere: true };
}

function hostAt(args: readonly string[]): number {
  let at = 0;
  while (at < args.length) {
    const word = args[at] ?? "";
    if (word === "--") return at + 1;
    if (!word.startsWith("-") || word === "-") return at;
    at += BEFORE_VALUE.test(word) ? 2 : 1;
  }
  return at;
}
