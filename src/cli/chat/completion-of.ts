/** Completion of a message: commands at its beginning, and files after an @. */
import { chatCommands } from "./chat-commands.js";
import type { FileNames } from "../../tools/search/file-names.js";
import type { Completion } from "./message-layer.js";
import type { TextInput } from "./text-input.js";

export function completionOf(
  { text, cursor }: TextInput,
  files: Pick<FileNames, "find">,
  commands: readonly { readonly name: string; readonly description: string }[] = chatCommands,
): Completion | undefined {
  const before = text.slice(0, cursor);
  if (/^\/[a-z]*$/.test(before)) {
    const found = commands.filter(({ name }) => `/${name} `.startsWith(before));
    return {
      start: 0,
      texts: found.map(({ name }) => `/${name} `),
      notes: found.map(({ description }) => description),
    };
  }
  const mention = /(?:^|\s)@(\S*)$/.exec(before);
  if (!mention) return undefined;
  const word = mention[1] ?? "";
  const texts = files.find(word).map((name) => (/\s/.test(name) ? `@"${name}" ` : `@${name} `));
  return { start: cursor - word.length - 1, texts };
}
