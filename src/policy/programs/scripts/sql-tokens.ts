/** Splits SQL into the parts that the database finds, or gives up. */

export type SqlToken = {
  readonly kind: "word" | "quoted" | "string" | "number" | "sign";
  /** Words in small letters; names without their quotes; strings without theirs. */
  readonly text: string;
};

/** Where the dialects split a text differently. */
export type SqlDialect = "sqlite" | "postgres" | "mysql";

const SPACE = {
  sqlite: /(?:[ \t\n]|--[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/)+/y,
  // Comments of Postgres nest, and those of MySQL may hold code.
  postgres: /(?:[ \t\n]|--[^\n]*|\/\*(?:[^*/]|\*(?!\/)|\/(?!\*))*\*\/)+/y,
  mysql: /(?:[ \t\n]|--(?=[ \t\n])[^\n]*|\/\*(?![!+M])(?:[^*]|\*(?!\/))*\*\/)+/y,
};

const TOKEN =
  /(?<string>'(?:[^']|'')*')|(?<quoted>"(?:[^"]|"")*"|`(?:[^`]|``)*`)|(?<bracketed>\[[^\]]*\])|(?<number>0[xX][0-9a-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)|(?<word>[A-Za-z_\u{80}-\u{10FFFF}][\w$\u{80}-\u{10FFFF}]*)|(?<sign>\|\||<<|>>|->>?|::|[<>!=]=|<>|[-+*/%&|~=<>(),;.?:@$[\]])/uy;

export function sqlTokens(text: string, dialect: SqlDialect): SqlToken[] | undefined {
  // Control characters are blanks to some, and a backslash in a string is an escape to some.
  if (/[^\P{Cc}\t\n]/u.test(text) || (dialect !== "sqlite" && text.includes("\\"))) return undefined;
  const tokens: SqlToken[] = [];
  let at = 0;
  const read = (sticky: RegExp) => {
    sticky.lastIndex = at;
    const match = sticky.exec(text);
    at += match?.[0].length ?? 0;
    return match;
  };
  for (read(SPACE[dialect]); at < text.length; read(SPACE[dialect])) {
    // Databases disagree on a comment that was not read above.
    if (/^(?:--|\/\*|\*\/)/.test(text.slice(at, at + 2))) return undefined;
    const token = readToken(read(TOKEN), dialect);
    if (!token) return undefined;
    // A variable of SQLite may hold quotes, `$a(')`, and a bracket that is not closed is no name.
    if (dialect === "sqlite" && token.kind === "sign" && /^[$@:[\]]$/.test(token.text)) return undefined;
    tokens.push(token);
  }
  return tokens;
}

function readToken(match: RegExpExecArray | null, dialect: SqlDialect): SqlToken | undefined {
  const { string, quoted, bracketed, number, word } = match?.groups ?? {};
  if (!match) return undefined;
  if (string !== undefined) return { kind: "string", text: string.slice(1, -1).replaceAll("''", "'") };
  if (quoted !== undefined) {
    // A name in one database is a string in another.
    const isName = dialect === "sqlite" || (dialect === "mysql") === quoted.startsWith("`");
    const quote = quoted.charAt(0);
    const inner = quoted.slice(1, -1).replaceAll(quote + quote, quote);
    if (isName) return { kind: "quoted", text: inner };
    return dialect === "mysql" ? { kind: "string", text: inner } : undefined;
  }
  if (bracketed !== undefined)
    return dialect === "sqlite" ? { kind: "quoted", text: bracketed.slice(1, -1) } : undefined;
  if (number !== undefined) return { kind: "number", text: number };
  if (word !== undefined) return { kind: "word", text: word.toLowerCase() };
  return { kind: "sign", text: match[0] };
}

/** The statements, each without the semicolon that ends it. */
export function sqlStatements(tokens: readonly SqlToken[]): SqlToken[][] {
  const statements: SqlToken[][] = [[]];
  for (const token of tokens) {
    if (token.kind === "sign" && token.text === ";") statements.push([]);
    else statements.at(-1)?.push(token);
  }
  return statements.filter((statement) => statement.length > 0);
}
