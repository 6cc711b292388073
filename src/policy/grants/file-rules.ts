/**
 * The rules for a command that only acts on files, as rules on reading and editing: for the folders that it reads
 * outside of the workspace or edits in it, or for the very paths. Deleting and moving get no such rule.
 */
import { visibleText } from "../../call/index.js";
import type { FileAccess } from "../file-accesses.js";
import type { CommandPart } from "../part.js";
import { isFree, isInside, isOurs, isReadable } from "../places.js";
import type { Rule } from "../rule.js";
import type { NamedRule } from "./exact-rule.js";
import type { GrantWidth } from "./grant.js";
import { mayBeOpened, readFolder } from "./read-folder.js";
import type { FolderPlaces } from "./read-folder.js";

export type WideRules = { readonly width: GrantWidth; readonly rules: readonly NamedRule[] };

/** Undefined when a path can only be opened by its own name. */
export function wideFileRules(accesses: readonly FileAccess[], places: FolderPlaces): WideRules | undefined {
  const found = needed(accesses, places).map((access) => wideFileRule(access, places));
  if (!found.every((one) => one !== undefined)) return undefined;
  const widths = new Set(found.map(({ width }) => width));
  const [width] = widths;
  if (width === undefined) return undefined;
  return { width: widths.size === 1 ? width : "parts", rules: found.flatMap(({ rules }) => rules) };
}

/** Rules that open the places which a command that does more uses: where its output goes, and paths outside. */
export function placeRules(
  part: CommandPart,
  places: FolderPlaces,
  isExact: boolean,
): readonly NamedRule[] | undefined {
  const outside = part.touches
    .filter(({ path }) => !isInside(path, places))
    .map(({ below, ...touch }): FileAccess => ({ ...touch, isDeep: below === true }));
  const written = part.redirects.map((access): FileAccess => ({ ...access, isDeep: false }));
  const found = needed([...outside, ...written], places).map(
    (access) => (isExact ? undefined : wideFileRule(access, places)?.rules) ?? oneRule(access, places),
  );
  return found.every((one) => one !== undefined) ? found.flat() : undefined;
}

function oneRule(access: FileAccess, places: FolderPlaces): readonly NamedRule[] | undefined {
  const rule = exactFileRule(access, places);
  return rule && [rule];
}

/** Rules for the very paths; undefined when one is deleted, moved, or cannot be named. */
export function exactFileRules(
  accesses: readonly FileAccess[],
  places: FolderPlaces,
): readonly NamedRule[] | undefined {
  const found = needed(accesses, places).map((access) => exactFileRule(access, places));
  return found.every((one) => one !== undefined) ? found : undefined;
}

/**
 * Rules for the very places that a command looks at, beside one for its words: for folders below which nothing is opened,
 * such as the home folder. Undefined when it does more than look.
 */
export function lookedAtRules(
  accesses: readonly FileAccess[],
  places: FolderPlaces,
): readonly NamedRule[] | undefined {
  const looked = needed(accesses, places);
  if (!looked.every(isReading)) return undefined;
  const found = looked.map((access) => exactFileRule({ ...access, isDeep: false }, places));
  return found.every((one) => one !== undefined) ? found : undefined;
}

/** Reading inside the workspace and in open places is allowed in every mode, and the scratch folder is open. */
const needed = (accesses: readonly FileAccess[], places: FolderPlaces): readonly FileAccess[] =>
  accesses
    .map(withoutPattern)
    .filter((access) => !isFree(access, places) && !(isReading(access) && isReadable(access.path, places)));

/** Names that a list finds below a folder stand there as a pattern. */
const withoutPattern = (access: FileAccess): FileAccess =>
  access.path.endsWith("/**")
    ? { ...access, path: access.path.slice(0, -"/**".length), isDeep: true }
    : access;

const isReading = ({ access }: FileAccess): boolean => access === "read" || access === "search";

type WideFileRule = { readonly width: GrantWidth; readonly rules: readonly NamedRule[] };

function wideFileRule(access: FileAccess, places: FolderPlaces): WideFileRule | undefined {
  const { path } = access;
  if (isTemporaryPath(path) && !isOurs(path, places)) return temporaryRule(access);
  if (isReading(access)) {
    const folder = readFolder(path, places);
    const rule = folder === undefined ? exactFileRule(access, places) : belowRule("read", folder);
    return rule && { width: folder === undefined ? "exact" : "folder", rules: [rule] };
  }
  if (access.access !== "write" || !isOurs(path, places)) return undefined;
  const folder = editFolder(path, places);
  const rule = folder === undefined ? exactFileRule(access, places) : belowRule("edit", folder);
  return rule && { width: folder === undefined ? "exact" : "edits", rules: [rule] };
}

/** A name in the system's temporary folder, which agents use out of habit. */
const isTemporaryPath = (path: string): boolean => TEMPORARY.test(path);

const TEMPORARY = /^(?<place>\/(?:private\/)?tmp)\/(?<name>[\w][\w.+-]*)(?<below>\/.*)?$/;

/** Kinds of files that people write for themselves; sockets, tickets and keys have other names or none. */
const TEMPORARY_KIND = /^[^.].*\.(?<kind>log|txt|out|err|json|jsonl|csv|tsv|md|html|diff|patch|sql|svg|png)$/;

/**
 * Files of one kind directly in the temporary folder, or all below a folder in it. A file that is written is also read
 * later; one that is read is not meant to be written.
 */
function temporaryRule(access: FileAccess): WideFileRule | undefined {
  const { place = "", name = "", below } = TEMPORARY.exec(access.path)?.groups ?? {};
  const kind = below === undefined ? TEMPORARY_KIND.exec(name)?.groups?.["kind"] : undefined;
  const isRead = isReading(access);
  if (!isRead && access.access !== "write") return undefined;
  if (access.named !== undefined || /[*?[]/.test(access.path)) return undefined;
  const kinds = isRead ? (["read"] as const) : (["edit", "read"] as const);
  const isFolder = below !== undefined || access.isDeep || !name.includes(".");
  const path = kind === undefined ? `${place}/${name}` : `${place}/*.${kind}`;
  return {
    width: "folder",
    rules: kinds.map((one) =>
      kind === undefined && isFolder
        ? belowRule(one, path)
        : { rule: { allow: one, path }, name: `${DOES[one]} ${visibleText(path)}` },
    ),
  };
}

/** The first folder of the workspace above the file; undefined for a file in the workspace's own folder. */
export function editFolder(path: string, { roots }: Pick<FolderPlaces, "roots">): string | undefined {
  const root = roots.find((one) => path.startsWith(`${one}/`));
  const [first = "", ...rest] = root === undefined ? [] : path.slice(root.length + 1).split("/");
  if (root === undefined || rest.length === 0 || first.startsWith(".") || /[*?]/.test(first))
    return undefined;
  return `${root}/${first}`;
}

function exactFileRule(access: FileAccess, places: FolderPlaces): NamedRule | undefined {
  const { path, named, isDeep } = access;
  const kind = isReading(access) ? "read" : access.access === "write" ? "edit" : undefined;
  // A link that leads elsewhere today may lead anywhere tomorrow.
  if (kind === undefined || named !== undefined || /[*?]/.test(path) || path === "/") return undefined;
  // `ls ~` and `find ~ -maxdepth 1` look at one folder, and a rule for all below it would open the whole home folder.
  if (isDeep && !isOurs(path, places) && !mayBeOpened(path, path, places)) return undefined;
  return isDeep
    ? belowRule(kind, path)
    : { rule: { allow: kind, path }, name: `${DOES[kind]} ${visibleText(path)}` };
}

export function belowRule(kind: "read" | "edit", folder: string): NamedRule {
  const rule: Rule = { allow: kind, path: `${folder}/**` };
  return { rule, name: `${DOES[kind]} below ${visibleText(folder)}` };
}

const DOES = { read: "reading", edit: "editing" } as const;
