/** The first issue of a file against its schema, as a sentence with its line. */
import type { z } from "zod";
import { oneLine } from "../call/index.js";
import type { JsonPath } from "./read-json.js";

/** `12: rule 3: "until": it must be … Correct it.` `at` is the path of the checked value in the file. */
export function firstIssue(error: z.ZodError, lineOf: (path: JsonPath) => number, at: JsonPath = []): string {
  const found = error.issues.map((issue) => {
    const path = [...at, ...issue.path.map((step) => (typeof step === "symbol" ? String(step) : step))];
    const unknown = issue.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
    return { line: lineOf([...path, ...unknown]), text: `${placeOf(path)}${issueText(issue, path)}` };
  });
  const [first = { line: 1, text: "it cannot be read." }] = found.toSorted(
    (one, other) => one.line - other.line,
  );
  return `${first.line}: ${first.text}`;
}

/** "rule 3: " for a value in the third item of the list "rules". */
function placeOf([list, index]: JsonPath): string {
  return typeof index === "number" ? `${String(list).replace(/s$/, "")} ${index + 1}: ` : "";
}

function issueText(issue: z.core.$ZodIssue, path: JsonPath): string {
  const isWholeItem = path.length === 2 && typeof path[1] === "number";
  const field = isWholeItem ? undefined : path.findLast((step) => typeof step === "string");
  const subject = field === undefined ? "" : `"${oneLine(field, 60)}": `;
  switch (issue.code) {
    case "unrecognized_keys":
      return `nobody knows the field "${oneLine(issue.keys[0] ?? "", 60)}". Correct its spelling or remove it.`;
    case "invalid_type":
      return `${subject}it must be ${TYPES.get(issue.expected) ?? issue.expected}. Correct or add it.`;
    case "invalid_value":
      return `${subject}it must be one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}. Correct it.`;
    case "too_small":
      return `${subject}it is empty. Write something, or leave the field out.`;
    default:
      return `${subject}${oneLine(issue.message, 200)}. Correct it.`;
  }
}

const TYPES = new Map([
  ["string", "a text"],
  ["array", "a list"],
  ["boolean", "true or false"],
  ["number", "a number"],
  ["object", "an object in { }"],
]);
