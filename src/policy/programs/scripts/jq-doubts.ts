/**
 * A jq filter writes and runs nothing, but it can show the environment and load other filters.
 *
 * A closed grammar: every name in the filter, also within `"\(…)"`, is a function known to reach nothing but its
 * input, or one that the filter itself defines. jq 1.5 to 1.8 must split the text alike.
 */
import { JQ_FORMATS, JQ_NAMES } from "./jq-functions.js";
import { isTooLong, TOO_LONG } from "./too-long.js";

type JqToken = { readonly kind: "name" | "variable" | "format" | "sign" | "other"; readonly text: string };

export function jqDoubts(filter: string): string[] {
  if (isTooLong(filter)) return [TOO_LONG];
  const tokens = jqTokens(filter);
  if (!tokens) return ["the filter is not read with certainty"];
  const own = definedNames(tokens);
  const braces: string[] = [];
  const doubts = new Set<string>();
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind === "sign" && /^[([{]$/.test(text)) braces.push(text);
    if (kind === "sign" && /^[)\]}]$/.test(text)) braces.pop();
    if (kind === "variable" && (text === "$ENV" || (text.startsWith("$__") && text !== "$__loc__")))
      doubts.add("the filter reads the environment, where secrets are");
    if (kind === "format" && !JQ_FORMATS.has(text))
      doubts.add(`"${text}" is not a format known to be harmless`);
    if (kind !== "name" || isKey(tokens, index, braces.at(-1))) continue;
    if (text === "env") doubts.add("the filter reads the environment, where secrets are");
    else if (text === "import" || text === "include") doubts.add("the filter loads another filter");
    else if (!JQ_NAMES.has(text) && !own.has(text))
      doubts.add(`"${text}" is not a function known to be harmless`);
  }
  return [...doubts];
}

/** `{env: 1}` and `{env}` name a field. */
function isKey(tokens: readonly JqToken[], at: number, brace: string | undefined): boolean {
  return (
    brace === "{" && /^[{,]$/.test(tokens[at - 1]?.text ?? "") && /^[:,}]$/.test(tokens[at + 1]?.text ?? "")
  );
}

/** Names that follow `def`, and those of the parameters in the parentheses behind them. */
function definedNames(tokens: readonly JqToken[]): Set<string> {
  const names = new Set<string>();
  for (const [index, { text }] of tokens.entries()) {
    if (text !== "def") continue;
    names.add(tokens[index + 1]?.text ?? "");
    if (tokens[index + 2]?.text !== "(") continue;
    for (
      let at = index + 3;
      at < tokens.length && /^(?:;|\$?[A-Za-z_]\w*)$/.test(tokens[at]?.text ?? "");
      at += 1
    )
      names.add(tokens[at]?.text.replace("$", "") ?? "");
  }
  return names;
}

const SPACE = /(?:[ \t\n]|#[^\n]*)+/y;
const TOKEN =
  /(?<other>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|\.[A-Za-z_]\w*)|(?<variable>\$[ \t\n]*[A-Za-z_]\w*)|(?<format>@[A-Za-z0-9_]+)|(?<name>[A-Za-z_]\w*)|(?<sign>\.\.|\?\/\/=?|\/\/=?|[-+*/%|=!<>]=|[-+*/%|=<>?.,:;()[\]{}])/y;
const TEXT = /(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*(?<end>"|\\\()/y;

function jqTokens(filter: string): JqToken[] | undefined {
  // Since 1.7 a backslash continues a comment on the next line; control characters are blanks in some versions.
  if (/#[^\n]*\\\n/.test(filter) || /[^\P{Cc}\t\n]/u.test(filter)) return undefined;
  const tokens: JqToken[] = [];
  // Each open parenthesis is part of the filter, or the beginning of `\(…)` within a string.
  const open: ("(" | "\\(")[] = [];
  let at = 0;
  const read = (sticky: RegExp) => {
    sticky.lastIndex = at;
    const match = sticky.exec(filter);
    at += match?.[0].length ?? 0;
    return match;
  };
  /** From within a string to its end, or to code inside. */
  const readText = () => {
    const end = read(TEXT)?.groups?.["end"];
    if (end === "\\(") open.push("\\(");
    tokens.push(end === '"' ? { kind: "other", text: '"' } : { kind: "sign", text: "(" });
    return end !== undefined;
  };
  for (read(SPACE); at < filter.length; read(SPACE)) {
    if (filter.charAt(at) === '"') {
      at += 1;
      if (!readText()) return undefined;
      continue;
    }
    const match = read(TOKEN);
    if (!match) return undefined;
    const [kind = "sign"] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? [];
    // The groups of TOKEN are named after the kinds.
    tokens.push({ kind: kind as JqToken["kind"], text: match[0].replaceAll(/[ \t\n]/g, "") });
    if (match[0] === "(") open.push("(");
    if (match[0] === ")" && open.pop() === "\\(" && !readText()) return undefined;
  }
  return open.length === 0 ? tokens : undefined;
}
