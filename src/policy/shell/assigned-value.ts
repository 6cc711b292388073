/** The value that an assignment gives a variable: no splitting and no patterns, but a `~` at its beginning is the home. */
import type { Assignment, Word, WordPart } from "unbash";
import { excerpt } from "./excerpt.js";
import { expansionValue, isExpansion, partsIn, type Scope, STRANGE_PARTS } from "./parameter-value.js";
import { UNKNOWN, type Value } from "./variables.js";

export type Assigned = { readonly value: Value; readonly doubts: readonly string[] };

export function assignedValue({ name, value, append, index }: Assignment, scope: Scope): Assigned {
  if (index || value.type === "ArrayValue")
    return { value: UNKNOWN, doubts: [`it sets the variable ${excerpt(name)}`] };
  const given = wordValue(value, scope);
  if (append !== true) return given;
  const old = scope.variables.get(name);
  const isKnown = old?.type === "text" && given.value.type === "text";
  return {
    value: isKnown ? { type: "text", text: joined(old, given.value) } : UNKNOWN,
    // The beginning is inherited; and to dash `x+=a` is the name of a program.
    doubts:
      old && scope.language === "bash"
        ? given.doubts
        : [...given.doubts, `the value of ${excerpt(name)} is not known`],
  };
}

const joined = (one: Value, other: Value): string =>
  [one, other].map((value) => (value.type === "text" ? value.text : "")).join("");

/** The text of a word whose expansions are not split, and why it may be another. */
export function wordValue(word: Word, scope: Scope): Assigned {
  const parts = partsIn(
    word.parts ?? [{ type: "Literal", value: word.value, text: word.text, pos: 0, end: 0 }],
  );
  const doubts: string[] = [];
  const values = parts.map((part): Value => {
    if (!isExpansion(part)) {
      if (STRANGE_PARTS.has(part.type) && part.type !== "BraceExpansion")
        doubts.push(`what the shell makes of ${excerpt(part.text)} is not known`);
      // Bytes that the parser and the shell may read differently.
      if (part.type === "AnsiCQuoted" && !/^\$'[^\\']*'$/.test(part.text)) return UNKNOWN;
      return { type: "text", text: "value" in part ? part.value : part.text };
    }
    const found = expansionValue(part, scope);
    if (found.type !== "doubt") return found;
    doubts.push(found.reason);
    return UNKNOWN;
  });
  const home = scope.inherited["HOME"];
  const isAtHome = /^~(?:\/|$)/.test(word.text) && home !== undefined;
  // In quotes a `~` is a letter, also behind a colon.
  const unquoted = (word.parts ?? [word]).map((part) => (isQuoted(part) ? "q" : part.text)).join("");
  if (/(?:^|:)~/.test(isAtHome ? unquoted.slice(1) : unquoted))
    doubts.push(`which folder ${excerpt(word.text)} means is not known`);
  const [only, ...others] = values;
  if (only && others.length === 0 && only.type !== "text") return { value: only, doubts };
  if (!values.every((value) => value.type === "text")) return { value: UNKNOWN, doubts };
  const text = values.reduce((all, value) => all + value.text, "");
  return { value: { type: "text", text: isAtHome ? home + text.slice(1) : text }, doubts };
}

const isQuoted = (part: Word | WordPart): boolean => "type" in part && part.type.endsWith("Quoted");
