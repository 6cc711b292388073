/** What `echo` or `printf` would say with these words, as far as a reader needs it: `echo ls | sh`. */
import type { CommandNode } from "unbash";

const SPEAKERS = new Set(["echo", "printf"]);

export function spokenWords(node: CommandNode): string | undefined {
  if (node.type !== "Command" || !node.name || !SPEAKERS.has(node.name.value)) return undefined;
  const words = node.args.map((argument) => (argument.type === "Word" ? argument.value : argument.text));
  return words.join(" ").replaceAll(String.raw`\n`, "\n");
}
