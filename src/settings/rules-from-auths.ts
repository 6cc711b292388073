/**
 * Imports rules from fast-agent's `auths.md`, a table of server, tool and `allow_always` or `reject_always`. Tools may
 * write to this file, so the user sees the imported rules.
 */
import { oneLine } from "../call/index.js";
import type { Rule } from "../policy/index.js";

export type AuthsReading = {
  readonly rules: readonly Rule[];
  /** The skipped rows, each with its line and the reason. */
  readonly skipped: readonly string[];
};

export function rulesFromAuths(markdown: string): AuthsReading {
  const rules = new Map<string, Rule>();
  const skipped: string[] = [];
  for (const [index, line] of markdown.split(/\r\n|[\r\n]/).entries()) {
    const cells = cellsOf(line);
    if (!cells || isHeading(cells)) continue;
    const row = ruleFrom(cells);
    if ("why" in row) skipped.push(`line ${index + 1}: ${row.why}; skipped: ${oneLine(line, 120)}`);
    else rules.set(JSON.stringify(row.rule), row.rule);
  }
  return { rules: [...rules.values()], skipped };
}

/** Undefined for a line that is not a table row. A backslash escapes the next `|` or backslash. */
function cellsOf(line: string): readonly string[] | undefined {
  const trimmed = line.trim();
  if (!trimmed.startsWith("|")) return undefined;
  const cells = [""];
  for (const [piece] of trimmed.slice(1).matchAll(/\\[|\\]|[^]/g)) {
    if (piece === "|") cells.push("");
    else
      cells.push(
        (cells.pop() ?? "") + (piece.length === 2 && piece.startsWith("\\") ? piece.slice(1) : piece),
      );
  }
  return cells.map((cell) => cell.trim());
}

function isHeading(cells: readonly string[]): boolean {
  const isRuler = cells.every((cell) => /^:?-*:?$/.test(cell)) && cells.some((cell) => cell.includes("-"));
  return isRuler || cells.slice(0, 3).join(" ").toLowerCase() === "server tool permission";
}

function ruleFrom([server = "", tool = "", permission = ""]: readonly string[]):
  | { readonly rule: Rule }
  | { readonly why: string } {
  if (server === "" || tool === "") return { why: "it names no server or no tool" };
  if (permission === "reject_always") return { rule: { deny: tool, server } };
  if (permission !== "allow_always")
    return { why: `"${oneLine(permission, 40)}" is neither allow_always nor reject_always` };
  // With its server, a rule that allows names one tool, also where the tool is called like a kind.
  if (`${server}${tool}`.includes("*")) return { why: "its * would allow every tool of such a name" };
  return { rule: { allow: tool, server } };
}
