/**
 * Warns of a valid rule that may not say what its author meant: `allow: "exectue"` allows a tool of that name, and there
 * may be one. So the rule is not an error, but the rules commands show a warning.
 */
import { isToolKind, TOOL_KINDS } from "../call/index.js";
import type { Rule } from "../policy/index.js";

/** `tools`: known tool names, which need no warning. */
export function ruleWarning(rule: Rule, tools: readonly string[] = []): string | undefined {
  const named = "allow" in rule ? rule.allow : "ask" in rule ? rule.ask : rule.deny;
  // A server chooses the names of its tools.
  if (named.includes("*") || rule.server !== undefined || isToolKind(named) || tools.includes(named))
    return undefined;
  const kind = TOOL_KINDS.find((one) => isNear(named.toLowerCase(), one));
  return kind && `"${named}" is no kind, so the rule covers a tool of that name. Is "${kind}" meant?`;
}

/** At most one typo in a short word, two in a longer one. */
function isNear(word: string, kind: string): boolean {
  const most = kind.length < 6 ? 1 : 2;
  return Math.abs(word.length - kind.length) <= most && editDistance(word, kind) <= most;
}

/** The edit distance: letters left out, added, replaced, or swapped with the next one. */
function editDistance(word: string, kind: string): number {
  const rows: number[][] = [Array.from({ length: kind.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= word.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= kind.length; column += 1) {
      const isSame = word[row - 1] === kind[column - 1];
      const isSwapped =
        row > 1 && column > 1 && word[row - 1] === kind[column - 2] && word[row - 2] === kind[column - 1];
      line.push(
        Math.min(
          at(rows, row - 1, column) + 1,
          (line[column - 1] ?? row) + 1,
          at(rows, row - 1, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(rows, row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    rows.push(line);
  }
  return at(rows, word.length, kind.length);
}

const at = (rows: readonly (readonly number[])[], row: number, column: number): number =>
  rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
