/** A command's words and its input as texts. Equal commands give equal texts. */
import { visibleText } from "../call/index.js";
import type { ReadCommand } from "./shell/read-shell.js";

export type Input = Pick<ReadCommand, "feeds" | "fedText" | "reads">;

function quotedWords(argv: readonly string[]): string {
  return argv
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(" ");
}

/** The source of the input; "" when nothing feeds the command. */
export function inputText({ feeds, fedText, reads }: Input): string {
  return [
    ...feeds.map((feed) => {
      const before = inputText(feed);
      const folders = feed.after.map((folder) => `cd ${quotedWords([folder])}; `).join("");
      return `${before === "" ? "" : `${before} | `}${folders}${quotedWords(feed.argv)} |`;
    }),
    ...reads.map((file) => `< ${quotedWords([file])}`),
    ...(fedText === undefined ? [] : [`<<< ${quotedWords([fedText])}`]),
  ].join(" ");
}

export const shownWords = (argv: readonly string[]): string => visibleText(quotedWords(argv));
