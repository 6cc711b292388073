/**
 * The rules for a command that only acts on files, as rules on reading and editing: for the folders that it reads
 * outside of the workspace or edits in it, or for the very paths. Deleting and moving get no such rule.
 */
import { visibleText } from "../../call/index.js";
import type { FileAccess } from "../file-accesses.js";
import { isFree, isOurs } from "../places.js";
import type { Rule } from "../rule.js";
import type { NamedRule } from "./exact-rule.js";
import type { GrantWidth } from "./grant.js";
import { readFolder } from "./read-folder.js";
import type { FolderPlaces } from "./read-folder.js";

export type WideRules = { readonly width: GrantWidth; readonly rules: readonly NamedRule[] };

/** Undefined when a path can only be opened by its own name. */
export function wideFileRules(accesses: readonly FileAccess[], places: FolderPlaces): WideRules | undefined {
  const found = needed(accesses, places).map((access) => wideFileRule(access, places));
  if (!found.every((one) => one !== undefined)) return undefined;
  const widths = new Set(found.map(({ width }) => width));
  const [width] = widths;
  if (width === undefined) return undefined;
  return { width: widths.size === 1 ? width : "parts", rules: found.map(({ rule }) => rule) };
}

/** Rules for the very paths; undefined when one is deleted, moved, or cannot be named. */
export function exactFileRules(
  accesses: readonly FileAccess[],
  places: FolderPlaces,
): readonly NamedRule[] | undefined {
  const found = needed(accesses, places).map((access) => exactFileRule(access));
  return found.every((one) => one !== undefined) ? found : undefined;
}

/** Reading inside the workspace is allowed in every mode, and the scratch folder is open. */
const needed = (accesses: readonly FileAccess[], places: FolderPlaces): readonly FileAccess[] =>
  accesses
    .map(withoutPattern)
    .filter((access) => !isFree(access, places) && !(isReading(access) && isOurs(access.path, places)));

/** Names that a list finds below a folder stand there as a pattern. */
const withoutPattern = (access: FileAccess): FileAccess =>
  access.path.endsWith("/**")
    ? { ...access, path: access.path.slice(0, -"/**".length), isDeep: true }
    : access;

const isReading = ({ access }: FileAccess): boolean => access === "read" || access === "search";

function wideFileRule(
  access: FileAccess,
  places: FolderPlaces,
): { readonly width: GrantWidth; readonly rule: NamedRule } | undefined {
  const { path } = access;
  if (isReading(access)) {
    const folder = readFolder(path, places);
    const rule = folder === undefined ? exactFileRule(access) : belowRule("read", folder);
    return rule && { width: folder === undefined ? "exact" : "folder", rule };
  }
  if (access.access !== "write" || !isOurs(path, places)) return undefined;
  const folder = editFolder(path, places);
  const rule = folder === undefined ? exactFileRule(access) : belowRule("edit", folder);
  return rule && { width: folder === undefined ? "exact" : "edits", rule };
}

/** The first folder of the workspace above the file; undefined for a file in the workspace's own folder. */
export function editFolder(path: string, { roots }: Pick<FolderPlaces, "roots">): string | undefined {
  const root = roots.find((one) => path.startsWith(`${one}/`));
  const [first = "", ...rest] = root === undefined ? [] : path.slice(root.length + 1).split("/");
  if (root === undefined || rest.length === 0 || first.startsWith(".") || /[*?]/.test(first))
    return undefined;
  return `${root}/${first}`;
}

function exactFileRule(access: FileAccess): NamedRule | undefined {
  const { path, named, isDeep } = access;
  const kind = isReading(access) ? "read" : access.access === "write" ? "edit" : undefined;
  // A link that leads elsewhere today may lead anywhere tomorrow.
  if (kind === undefined || named !== undefined || /[*?]/.test(path) || path === "/") return undefined;
  return isDeep
    ? belowRule(kind, path)
    : { rule: { allow: kind, path }, name: `${DOES[kind]} ${visibleText(path)}` };
}

export function belowRule(kind: "read" | "edit", folder: string): NamedRule {
  const rule: Rule = { allow: kind, path: `${folder}/**` };
  return { rule, name: `${DOES[kind]} below ${visibleText(folder)}` };
}

const DOES = { read: "reading", edit: "editing" } as const;
