/**
 * The edits that the inputs of a foreign agent's call carry, each with its file: whole texts, passages with their
 * replacements, lines to insert, patches. In the order in which they stand, since each applies to the result of the
 * one before it.
 */
import { isJsonObject } from "../json.js";
import { foldedName, readingOf } from "./field-readings.js";
import { looksLikePatch, readPatch } from "./read-patch.js";

export type CarriedEdit = {
  /** The paths as the agent wrote them; a patch may have several. */
  readonly paths: readonly string[];
} & (
  | { readonly type: "whole"; readonly text: string }
  | {
      readonly type: "passage";
      readonly oldText: string;
      readonly newText: string;
      readonly replaceAll: boolean;
    }
  | { readonly type: "insert"; readonly afterLine: number; readonly newText: string }
  | { readonly type: "patch"; readonly patch: string }
);

const MAX_DEPTH = 6;
const MAX_EDITS = 100;

export function carriedEdits(rawInputs: readonly unknown[]): readonly CarriedEdit[] {
  const edits: CarriedEdit[] = [];
  for (const rawInput of rawInputs) readValue(rawInput, [], 0, edits);
  const unique = new Map(edits.map((edit) => [JSON.stringify(edit), edit]));
  return [...unique.values()].slice(0, MAX_EDITS);
}

function readValue(value: unknown, owners: readonly string[], depth: number, edits: CarriedEdit[]): void {
  if (depth > MAX_DEPTH || edits.length > MAX_EDITS) return;
  if (typeof value === "string") {
    if (looksLikePatch(value)) addPatch(value, owners, edits);
  } else if (Array.isArray(value)) for (const item of value) readValue(item, owners, depth + 1, edits);
  else if (isJsonObject(value)) readFields(fieldsOf(value), owners, depth, edits);
}

type Fields = readonly (readonly [name: string, field: unknown])[];

const fieldsOf = (value: object): Fields =>
  Object.entries(value).map(([name, field]) => [foldedName(name), field]);

function readFields(fields: Fields, outer: readonly string[], depth: number, edits: CarriedEdit[]): void {
  const own = fields.flatMap(([name, field]) =>
    readingOf(name) === "path" && typeof field === "string" ? [field] : [],
  );
  const owners = own.length > 0 ? own : outer;
  const [path] = owners;
  if (path !== undefined) edits.push(...editOf(path, fields));
  for (const [name, field] of fields) {
    const reading = readingOf(name);
    if (reading === "patch" && typeof field === "string") addPatch(field, owners, edits);
    else if (reading === "changes" && isJsonObject(field))
      for (const [key, change] of Object.entries(field)) readValue(change, [key], depth + 1, edits);
    else if (typeof field === "object" || reading === undefined) readValue(field, owners, depth + 1, edits);
  }
}

function editOf(path: string, fields: Fields): readonly CarriedEdit[] {
  const text = (isMeant: (name: string) => boolean): string | undefined => {
    const found = fields.find(([name, field]) => isMeant(name) && typeof field === "string");
    return typeof found?.[1] === "string" ? found[1] : undefined;
  };
  const whole = text((name) => readingOf(name) === "whole-text");
  const newText = text((name) => readingOf(name) === "written-text");
  const oldText = text((name) => readingOf(name) === "other-text" || name === "search");
  const paths = [path];
  if (newText === undefined) return whole === undefined ? [] : [{ type: "whole", paths, text: whole }];
  const line = fields.find(([name]) => name === "insertline")?.[1];
  if (typeof line === "number") return [{ type: "insert", paths, afterLine: line, newText }];
  const replaceAll = fields.some(([name, field]) => name === "replaceall" && field === true);
  return [{ type: "passage", paths, oldText: oldText ?? "", newText, replaceAll }];
}

function addPatch(patch: string, owners: readonly string[], edits: CarriedEdit[]): void {
  const { written, deleted } = readPatch(patch);
  const named = [...written, ...deleted];
  const paths = named.length > 0 ? named : owners;
  if (paths.length > 0) edits.push({ type: "patch", paths, patch });
}
