/** Prints a long text a screen at a time, so that its beginning can be read too. */
import { grouped } from "../call/amounts.js";

export type PagesTerminal = { write(text: string): unknown; readonly rows?: number };

const HEIGHT = 24;

/** `read` shows a prompt and returns the line that was typed. */
export async function printPages(
  text: string,
  terminal: PagesTerminal,
  read: (prompt: string) => Promise<string>,
): Promise<void> {
  const lines = text.split("\n");
  for (let start = 0; start < lines.length;) {
    const end = start + Math.max(1, (terminal.rows ?? HEIGHT) - 2);
    terminal.write(`${lines.slice(start, end).join("\n")}\n`);
    if (end >= lines.length) return;
    const place = `${grouped(end)} of ${grouped(lines.length)} lines`;
    const key = (await read(`── ${place}. Enter shows more, a all of it, q goes back: `))
      .trim()
      .toLowerCase();
    if (key === "q" || key === "b") return;
    if (key === "a") return void terminal.write(`${lines.slice(end).join("\n")}\n`);
    start = end;
  }
}
