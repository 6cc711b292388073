/** Finds losses that cannot be taken back: whole tables, rows chosen by nothing, and who may do what. */
import type { SqlToken } from "./sql-tokens.js";

export function sqlLosses(statements: readonly (readonly SqlToken[])[]): string[] {
  const words = statements.map((statement) =>
    statement.map(({ kind, text }) => (kind === "word" ? text : "")),
  );
  if (words.some(changesRights)) return ["the statement shows or changes who may do what"];
  return words.some(losesAll) ? ["the statement deletes or overwrites everything of its kind"] : [];
}

function losesAll(words: readonly string[]): boolean {
  const [verb] = words;
  // Postgres runs what it explains when it is to analyze it.
  if (verb === "explain" && words.includes("analyze"))
    return losesAll(words.slice(words.indexOf("analyze") + 1));
  if (verb === "drop" || verb === "truncate") return true;
  if (verb === "alter") return words.includes("drop");
  const changes = verb === "delete" || verb === "update" || (verb === "with" && deletesInside(words));
  return changes && !words.includes("where");
}

const deletesInside = (words: readonly string[]) =>
  words.some(
    (word, at) =>
      (word === "delete" && words[at + 1] === "from") || (word === "update" && words[at + 2] === "set"),
  );

function changesRights(words: readonly string[]): boolean {
  return words.some(
    (word, at) =>
      word === "grant" ||
      word === "revoke" ||
      (/^(?:create|alter|drop)$/.test(word) && /^(?:user|role|system|database)$/.test(words[at + 1] ?? "")),
  );
}
