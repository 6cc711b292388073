/** Splits an awk program into the parts that every awk would find, or gives up. */

export type AwkToken = {
  readonly kind: "name" | "number" | "string" | "pattern" | "sign";
  readonly text: string;
  /** A value ends here: a slash that follows divides, and the end of the line ends the statement. */
  readonly isOperand: boolean;
};

const SPACE = /(?:[ \t]|\\\n|#[^\n]*)+/y;
const TOKEN =
  /(?<string>"(?:[^"\\\n]|\\[^\n])*")|(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|(?<name>[A-Za-z_]\w*)|(?<sign>\*\*=|&&|\|\||\+\+|--|\*\*|>>|[-+*/%^!=<>]=|!~|[-+*/%^!<>=~?:;,$(){}[\]\n|])/y;

/**
 * A slash in brackets ends the pattern for busybox and the original awk, which then refuse the open bracket before
 * anything runs. Awks disagree on everything else that may close brackets, so no other bracket may stand in one.
 */
const PATTERN = /\/(?:[^/\\\n[]|\\[^\n]|\[\^?(?:\[:[a-z]+:\]|\\[^\n\]]|[^\\\n\][])+\])*\//y;

/** A slash after one of these begins a pattern in every awk. */
const BEFORE_PATTERN = /^(?:[{};\n(,!~?:=]|!~|&&|\|\||==|!=|print|return|)$/;

const KEYWORDS =
  /^(?:print|printf|return|in|if|while|do|else|case|default|switch|exit|BEGIN|END|BEGINFILE|ENDFILE|delete|for|function|func)$/;

/** Names that are values with or without `(...)` behind them: awks differ on a slash that follows. */
const FUNCTIONS =
  /^(?:length|next|nextfile|break|continue|substr|index|split|sub|gsub|match|sprintf|sin|cos|atan2|exp|log|sqrt|int|rand|srand|tolower|toupper|close|fflush|gensub|strftime|systime|mktime|and|or|xor|compl|lshift|rshift|asort|asorti|patsplit|strtonum|typeof|isarray)$/;

export function awkTokens(program: string): AwkToken[] | undefined {
  // Awks differ on carriage returns and other control characters.
  if (/[^\P{Cc}\t\n]/u.test(program) || /#[^\n]*\\\n/.test(program)) return undefined;
  const tokens: AwkToken[] = [];
  const parens: boolean[] = [];
  // The token before, over the ends of lines that end nothing.
  let before: AwkToken | undefined;
  for (let at = skipSpace(program, 0); at < program.length; at = skipSpace(program, at)) {
    const token =
      program.charAt(at) === "/" && !before?.isOperand
        ? readPattern(program, at, before)
        : readToken(program, at);
    if (!token || isUncertain(token, before)) return undefined;
    at += token.text.length;
    if (token.text === "(" && token.kind === "sign")
      parens.push(/^(?:if|while|for|switch)$/.test(before?.text ?? ""));
    // After the condition of an if, awks differ on whether a slash divides: neither value nor the beginning of one.
    const isCondition = token.text === ")" && token.kind === "sign" && parens.pop() === true;
    const read = isCondition ? { ...token, isOperand: false } : token;
    tokens.push(read);
    if (token.text !== "\n" || before?.isOperand === true) before = read;
  }
  return tokens;
}

function skipSpace(program: string, at: number): number {
  SPACE.lastIndex = at;
  return at + (SPACE.exec(program)?.[0].length ?? 0);
}

function readPattern(program: string, at: number, before: AwkToken | undefined): AwkToken | undefined {
  if (before && (before.kind === "string" || !BEFORE_PATTERN.test(before.text))) return undefined;
  PATTERN.lastIndex = at;
  const text = PATTERN.exec(program)?.[0];
  return text === undefined ? undefined : { kind: "pattern", text, isOperand: true };
}

function readToken(program: string, at: number): AwkToken | undefined {
  TOKEN.lastIndex = at;
  const match = TOKEN.exec(program);
  const groups = match?.groups;
  if (!match || !groups) return undefined;
  const text = match[0];
  if (groups["string"] !== undefined) return { kind: "string", text, isOperand: true };
  if (groups["number"] !== undefined) return { kind: "number", text, isOperand: true };
  if (groups["name"] !== undefined) return { kind: "name", text, isOperand: !KEYWORDS.test(text) };
  return { kind: "sign", text, isOperand: /^(?:[)\]]|\+\+|--)$/.test(text) };
}

/** A division that an awk could take for the beginning of a pattern. */
function isUncertain({ kind, text }: AwkToken, before: AwkToken | undefined): boolean {
  if (kind !== "sign" || (text !== "/" && text !== "/=")) return false;
  if (before?.kind === "name") return FUNCTIONS.test(before.text);
  return before?.kind === "sign" && before.text !== ")" && before.text !== "]";
}
