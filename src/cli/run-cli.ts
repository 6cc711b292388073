/** The command line: which command is meant, and the exit code it ends with. Nothing starts before all of it is understood. */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { visibleText } from "../call/index.js";
import { runDemo } from "./demo.js";

export type Output = {
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
};

const HELP = `Usage: toolgate [command]

Toolgate is the tool-call layer for AI agents: every action an agent takes is
announced, checked, run, reported and remembered by one state machine.

Commands:
  demo            show the life of two tool calls, from a script (default);
                  nothing is run and no file is touched

Options:
  -h, --help      show this text
      --version   show the version

Examples:
  toolgate                  the demo
  toolgate demo | less      the same, page by page
`;

export function runCli(args: readonly string[], output: Output): number {
  const { tokens } = parseArgs({
    args: [...args],
    options: { help: { type: "boolean", short: "h" }, version: { type: "boolean" } },
    allowPositionals: true,
    // Not strict: the message about what was not understood is ours.
    strict: false,
    tokens: true,
  });
  const asksFor = (name: string): boolean =>
    tokens.some((token) => token.kind === "option" && token.name === name);
  if (asksFor("help")) {
    output.write(HELP);
    return 0;
  }
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    if (token.name !== "version") return notUnderstood(`the option ${quoted(token.rawName)}`, output);
    if (token.value !== undefined) return notUnderstood(`a value for ${quoted(token.rawName)}`, output);
  }
  const [command = "demo", ...others] = words;
  if (command !== "demo") return notUnderstood(`the command ${quoted(command)}`, output);
  const [other] = others;
  if (other !== undefined) return notUnderstood(`${quoted(other)} after ${quoted(command)}`, output);

  if (asksFor("version")) output.write(`${packageVersion()}\n`);
  else runDemo(output.write);
  return 0;
}

function notUnderstood(what: string, { writeError }: Output): number {
  writeError(`toolgate: ${what} was not understood. Nothing was done. Try: toolgate --help\n`);
  return 2;
}

/** An argument may come from a file name or a web page: it goes to the terminal only when nothing in it hides. */
function quoted(argument: string): string {
  return `"${visibleText(argument)}"`;
}

/** Read, not imported: package.json lies outside src/, at the same distance from src/cli and from dist/cli. */
function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  if (typeof manifest !== "object" || manifest === null || !("version" in manifest)) return "unknown";
  return String(manifest.version);
}
