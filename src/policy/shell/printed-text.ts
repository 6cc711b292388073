/** The text that `echo` or `printf` prints, as far as the program behind the pipe needs it: `echo ls | sh`. */
import type { CommandNode } from "unbash";

const PRINTERS = new Set(["echo", "printf"]);

export function printedText(node: CommandNode): string | undefined {
  if (node.type !== "Command" || !node.name || !PRINTERS.has(node.name.value)) return undefined;
  const words = node.args.map((argument) => (argument.type === "Word" ? argument.value : argument.text));
  return words.join(" ").replaceAll(String.raw`\n`, "\n");
}
