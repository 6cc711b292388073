/** The effects of one SQL statement: harmless when its first word and every function that it calls are known. */
import type { Effects } from "../program.js";
import { BEFORE_PARENTHESIS, SQL_FUNCTIONS, SQLITE_PRAGMAS } from "./sql-names.js";
import type { SqlToken } from "./sql-tokens.js";

export function statementEffects(statement: readonly SqlToken[], verbs: ReadonlySet<string>): Effects {
  const verb = wordAt(statement, 0);
  const doubts = [
    ...(verbs.has(verb)
      ? []
      : [`"${statement[0]?.text ?? ""}" does not begin a statement known to be harmless`]),
    ...firstWordDoubts(statement, verb),
    ...statement.flatMap((_token, at) => [...callDoubts(statement, at, verb), ...tableDoubts(statement, at)]),
  ];
  return { ...namedFiles(statement, verb), doubts };
}

const wordAt = (statement: readonly SqlToken[], at: number) =>
  statement[at]?.kind === "word" ? (statement[at]?.text ?? "") : "";

const isSign = (token: SqlToken | undefined, text: string) => token?.kind === "sign" && token.text === text;

/** After these first words, only one of some others is known to be harmless. */
const FOLLOWING = new Map([
  ["create", /^(?:table|index|view|schema|trigger)$/],
  ["alter", /^(?:table|index|view|sequence)$/],
  ["start", /^transaction$/],
]);

const MODIFIERS = /^(?:or|replace|temp|temporary|unique|materialized)$/;

function firstWordDoubts(statement: readonly SqlToken[], verb: string): string[] {
  const words = statement.slice(1).map(({ kind, text }) => (kind === "word" ? text : ""));
  const next = words.find((word) => !MODIFIERS.test(word)) ?? "";
  if (FOLLOWING.get(verb)?.test(next) === false)
    return [`"${verb} ${next}" does not begin a statement known to be harmless`];
  if (verb !== "pragma") return [];
  const at = isSign(statement[2], ".") ? 3 : 1;
  const name = statement[at]?.text.toLowerCase() ?? "";
  return SQLITE_PRAGMAS.has(name) ? [] : [`"${name}" is not a pragma known to be harmless`];
}

/** A name with a parenthesis behind it is called, unless it is a table that is made or filled. */
function callDoubts(statement: readonly SqlToken[], at: number, verb: string): string[] {
  const token = statement[at];
  if (!token || (token.kind !== "word" && token.kind !== "quoted") || !isSign(statement[at + 1], "("))
    return [];
  if (verb === "pragma") return [];
  if (token.kind === "word" && BEFORE_PARENTHESIS.has(token.text)) return [];
  if (SQL_FUNCTIONS.has(token.text.toLowerCase()) || isTable(statement, at, verb)) return [];
  return [`"${token.text}" is not a function known to be harmless`];
}

function isTable(statement: readonly SqlToken[], at: number, verb: string): boolean {
  // `main.t` is named by its last part.
  const before = wordAt(statement, isSign(statement[at - 1], ".") ? at - 3 : at - 1);
  if (before === "into") return true;
  if (verb === "create" && /^(?:table|view|exists|references)$/.test(before)) return true;
  if (verb === "create" && before === "on") return isIndexed(statement, at);
  if (verb === "alter" && before === "references") return true;
  return isCommonTable(statement, at);
}

/** `with c(x) as (…)`: only names of columns stand in its parentheses. */
function isCommonTable(statement: readonly SqlToken[], at: number): boolean {
  let end = at + 2;
  while (statement[end]?.kind === "word" || statement[end]?.kind === "quoted" || isSign(statement[end], ","))
    end += 1;
  return (
    isSign(statement[end], ")") &&
    wordAt(statement, end + 1) === "as" &&
    /^(?:\(|not|materialized)$/.test(statement[end + 2]?.text ?? "")
  );
}

/** `create index i on t(…)`: the first `on` of such a statement names a table. */
function isIndexed(statement: readonly SqlToken[], at: number): boolean {
  const earlier = statement.slice(0, at).map((_token, index) => wordAt(statement, index));
  return earlier.slice(1, 3).includes("index") && earlier.filter((word) => word === "on").length === 1;
}

/** A string or path in the place of a table is a file to some databases; `select … into` writes one or a table. */
function tableDoubts(statement: readonly SqlToken[], at: number): string[] {
  const word = wordAt(statement, at);
  if (word === "into") {
    const fills = [1, 2, 3].some((back) => /^(?:insert|replace)$/.test(wordAt(statement, at - back)));
    if (!fills) return ["the statement writes its result somewhere else"];
  }
  if (!/^(?:from|join|into|table|update)$/.test(word)) return [];
  const table = statement[at + 1];
  const isFile = table?.kind === "string" || (table?.kind === "quoted" && /[/\\:*]|\.\w+$/.test(table.text));
  return isFile ? [`"${table.text}" may be a file`] : [];
}

/** The files that a statement names, so that rules about paths see them. */
function namedFiles(statement: readonly SqlToken[], verb: string): Effects {
  const reads: string[] = [];
  const writes: string[] = [];
  for (const [at, token] of statement.entries()) {
    const argument = statement[at + 2];
    if (argument?.kind !== "string" || !isSign(statement[at + 1], "(")) continue;
    if (/^(?:readfile|fsdir|lsdir|zipfile|load_extension|pg_read_file|load_file)$/i.test(token.text))
      reads.push(argument.text);
    if (/^writefile$/i.test(token.text)) writes.push(argument.text);
  }
  const named = statement.find(({ kind }) => kind === "string" || kind === "quoted");
  if (named && (verb === "attach" || verb === "vacuum")) writes.push(named.text);
  return { reads, writes };
}
