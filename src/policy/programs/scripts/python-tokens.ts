/** Splits Python code into tokens. Undefined where it cannot be split with certainty. */

export type PythonToken = {
  readonly type: "name" | "string" | "number" | "other" | "end";
  /** The value of a string without escapes, else the letters. */
  readonly text: string;
};

const PIECES =
  /(?<blank>[ \t]+|\\\n|#(?![^\n]*coding)[^\n]*)|(?<end>[\n;])|(?<prefix>[A-Za-z]{0,2})(?<quote>"""|'''|"|')|(?<name>[A-Za-z_]\w*)|(?<number>0[xob][\da-fA-F]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|(?<other>[-+*/%=<>!&|^~()[\]{},:.@])/y;

/**
 * Letters beyond ASCII are fine in strings and comments only: Python folds names that look alike. A comment may name
 * the encoding in which Python reads the rest.
 */
export function pythonTokens(code: string): readonly PythonToken[] | undefined {
  const tokens: PythonToken[] = [];
  let at = 0;
  while (at < code.length) {
    PIECES.lastIndex = at;
    const groups = PIECES.exec(code)?.groups;
    if (!groups) return undefined;
    const { quote, prefix = "", end, name, number, other } = groups;
    at = PIECES.lastIndex;
    if (quote !== undefined) {
      const string = readString(code, at, quote, prefix);
      if (!string) return undefined;
      tokens.push(...string.tokens);
      at = string.end;
    } else if (end !== undefined) tokens.push({ type: "end", text: end });
    else if (name !== undefined) tokens.push({ type: "name", text: name });
    else if (number !== undefined) tokens.push({ type: "number", text: number });
    else if (other !== undefined) tokens.push({ type: "other", text: other });
  }
  return tokens;
}

type ReadString = { readonly tokens: readonly PythonToken[]; readonly end: number };

function readString(code: string, start: number, quote: string, prefix: string): ReadString | undefined {
  if (!/^(?:|[rRbBuUfF]|[rR][bBfF]|[bBfF][rR])$/.test(prefix)) return undefined;
  let at = start;
  while (!code.startsWith(quote, at)) {
    if (at >= code.length || (quote.length === 1 && code[at] === "\n")) return undefined;
    at += code[at] === "\\" ? 2 : 1;
  }
  const text = code.slice(start, at);
  const end = at + quote.length;
  if (/f/i.test(prefix)) {
    const inner = formattedTokens(text);
    return inner && { tokens: [{ type: "other", text: "f" }, ...inner], end };
  }
  // With an escape in it, the value is another text than the letters.
  const token: PythonToken = text.includes("\\") ? { type: "other", text: "s" } : { type: "string", text };
  // Two strings side by side are one.
  return { tokens: [token, ...(/^\s*["'A-Za-z]{1,2}["']/.test(code.slice(end)) ? [JOINED] : [])], end };
}

const JOINED: PythonToken = { type: "other", text: "joined" };

/** The code between the braces of an f-string; undefined for anything but plain expressions. */
function formattedTokens(text: string): readonly PythonToken[] | undefined {
  const rest = text.replaceAll("{{", "").replaceAll("}}", "");
  const tokens: PythonToken[] = [];
  for (const piece of rest.split("{").slice(1)) {
    const close = piece.indexOf("}");
    const code = piece.slice(0, close).replace(/(?:![rsa])?(?::[\w.,%<>^+ -]*)?=?$/, "");
    const inner = close === -1 || /[\\{]/.test(code) ? undefined : pythonTokens(code);
    if (!inner) return undefined;
    tokens.push({ type: "other", text: "(" }, ...inner, { type: "other", text: ")" });
  }
  return rest.split("{").length === rest.split("}").length ? tokens : undefined;
}
