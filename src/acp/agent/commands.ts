/** Commands that a person types as `/name …`. Editors list them; an unknown name goes to the model as text. */
import type { ContentBlock } from "../../call/index.js";
import type { Command } from "./acp-host.js";

export function v1Commands(commands: readonly Command[]): readonly object[] {
  return commands.map(({ name, description, hint }) => ({
    name,
    description,
    ...(hint !== undefined && { input: { hint } }),
  }));
}

export function v2Commands(commands: readonly Command[]): readonly object[] {
  return commands.map(({ name, description, hint }) => ({
    type: "command",
    name,
    description,
    ...(hint !== undefined && { input: { type: "text", hint } }),
  }));
}

/** The command that a prompt is, and the words after its name. */
export function commandIn(
  blocks: readonly ContentBlock[],
  commands: readonly Command[],
): { readonly command: Command; readonly words: string } | undefined {
  const [block, ...others] = blocks;
  if (block?.type !== "text" || others.length > 0) return undefined;
  const [, name, words = ""] = /^\/(\S+)(?:\s+([^]*))?$/.exec(block.text.trim()) ?? [];
  const command = commands.find((known) => known.name === name);
  return command && { command, words: words.trim() };
}
