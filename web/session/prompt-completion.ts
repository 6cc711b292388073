/** Completion in a prompt: commands at its beginning, their values, and files after an @. */
export type Wanted = {
  readonly type: "command" | "value" | "file";
  /** For a value: the name of its command. */
  readonly command: string;
  readonly word: string;
  readonly start: number;
  readonly end: number;
};

export type Choice = {
  /** The text that replaces the word. */
  readonly text: string;
  readonly name: string;
  readonly note?: string;
};

export function wantedAt(text: string, cursor: number): Wanted | undefined {
  const before = text.slice(0, cursor);
  const [, command, words] = /^\/([a-z]*)(?: (\S*))?$/.exec(before) ?? [];
  if (command !== undefined)
    return words === undefined
      ? { type: "command", command: "", word: command, start: 0, end: cursor }
      : { type: "value", command, word: words, start: cursor - words.length, end: cursor };
  const word = /(?:^|\s)@([^\s"]*|"[^"\n]*)$/.exec(before)?.[1];
  if (word === undefined) return undefined;
  return {
    type: "file",
    command: "",
    word: word.replace(/^"/, ""),
    start: cursor - word.length - 1,
    end: cursor,
  };
}

/** A path with spaces stands in quotes. */
export const fileChoice = (path: string): Choice => ({
  text: /\s/.test(path) ? `@"${path}" ` : `@${path} `,
  name: path,
});

export function completed(
  text: string,
  { start, end }: Wanted,
  choice: Choice,
): { readonly text: string; readonly cursor: number } {
  return {
    text: text.slice(0, start) + choice.text + text.slice(end).replace(/^ /, ""),
    cursor: start + choice.text.length,
  };
}
