/**
 * The files that a patch touches: Codex's format, and unified diffs as git and diff write them. A line that belongs to
 * neither may name a file to whoever applies the patch, so such a patch counts as not read whole.
 */

export type PatchFiles = {
  readonly written: readonly string[];
  readonly deleted: readonly string[];
  readonly moved: readonly string[];
  readonly isWhole: boolean;
};

type Found = {
  readonly written: Set<string>;
  readonly deleted: Set<string>;
  readonly moved: Set<string>;
  isWhole: boolean;
  /** The file of Codex's format that the lines belong to. */
  file: string | undefined;
  /** The file of the last `---`. */
  old: readonly string[];
  isInHunk: boolean;
};

export function readPatch(patch: string): PatchFiles {
  const found: Found = {
    written: new Set(),
    deleted: new Set(),
    moved: new Set(),
    isWhole: true,
    file: undefined,
    old: [],
    isInHunk: false,
  };
  const lines = patch.split(/\r\n|\r|\n/);
  for (const [at, line] of lines.entries()) readLine(line, lines[at + 1] ?? "", found);
  return {
    written: [...found.written],
    deleted: [...found.deleted],
    moved: [...found.moved],
    isWhole: found.isWhole,
  };
}

/** Whether a text of no known meaning is one. */
export const looksLikePatch = (text: string): boolean =>
  /^\s*\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File:)|^(?:\+\+\+ |diff --git |rename to )/m.test(text);

function readLine(line: string, next: string, found: Found): void {
  if (readMarker(line, found) || readHeader(line, next, found)) return;
  if (line.startsWith("@@")) found.isInHunk = true;
  // The lines of a new file in Codex's format come without a hunk.
  else if (/^[ +\-\\]/.test(line) && (found.isInHunk || found.file !== undefined)) return;
  else if (line.trim() !== "" && !HARMLESS.test(line)) found.isWhole = false;
}

const HARMLESS =
  /^(?:index [\da-f]+\.\.[\da-f]+(?: \d+)?|(?:old|new|new file) mode \d+|(?:dis)?similarity index \d+%|=+)$/;

/** `*** Add File: x` of Codex's format, which its reader takes with blanks before it too. */
function readMarker(line: string, found: Found): boolean {
  const [, marker = "", path = ""] = /^\s*\*\*\* ([A-Za-z ]+?)(?:: *(.*))?$/.exec(line) ?? [];
  if (marker === "") return false;
  const file = path.trim();
  if (/^(?:Begin Patch|End Patch|End of File)$/.test(marker) && file === "") return true;
  found.isInHunk = false;
  if (file === "") found.isWhole = false;
  else if (/^(?:Add|Update) File$/.test(marker)) found.written.add((found.file = file));
  else if (marker === "Delete File") found.deleted.add((found.file = file));
  else if (marker === "Move to") {
    found.written.add(file);
    if (found.file === undefined) found.isWhole = false;
    else found.moved.add(found.file);
  } else found.isWhole = false;
  return true;
}

/** The lines of a unified diff that name files. */
function readHeader(line: string, next: string, found: Found): boolean {
  const [, key = "", value = ""] =
    /^(diff --git|Index:|---|\+\+\+|(?:rename|copy) (?:from|to)|deleted file mode) +(.*)$/.exec(line) ?? [];
  if (key === "") return false;
  // In a hunk these are a line that goes or comes, unless both stand together.
  if (found.isInHunk && key === "---" && !next.startsWith("+++ ")) return false;
  if (found.isInHunk && key === "+++") return false;
  found.isInHunk = false;
  if (key === "diff --git") {
    readPair(value, found);
    return true;
  }
  if (key === "deleted file mode") {
    for (const path of found.old) found.deleted.add(path);
    return true;
  }
  const names = namesIn(value, key, found);
  if (key === "---") found.old = names;
  else if (key === "+++" && names.length === 0) for (const path of found.old) found.deleted.add(path);
  if (key === "rename from") for (const path of names) found.moved.add(path);
  else if (key !== "copy from") for (const path of names) found.written.add(path);
  if (key === "---" && next.startsWith("+++ ")) readNext(next, found);
  return true;
}

/** The `+++` that stands right after a `---` is its other half, in a hunk or not. */
function readNext(next: string, found: Found): void {
  const names = namesIn(next.slice(4), "+++", found);
  for (const path of names.length === 0 ? found.old : names)
    (names.length === 0 ? found.deleted : found.written).add(path);
}

function readPair(value: string, found: Found): void {
  const [, one, other] = /^"?a\/(.+?)"? "?b\/(.+?)"?$/.exec(value) ?? [];
  if (one === undefined || other === undefined) found.isWhole = false;
  for (const path of [one, other]) if (path !== undefined) found.written.add(path);
  found.old = one === undefined ? [] : [one];
}

/** Without the date behind it, quotes, and the prefix that git puts before a name; none for `/dev/null`. */
function namesIn(value: string, key: string, found: Found): readonly string[] {
  const [bare = ""] = value.split("\t");
  const plain = /^"(.*)"$/.exec(bare.trim())?.[1] ?? bare.trim();
  // Quoted names hold escapes that need not be understood here.
  if (plain === "" || plain.includes("\\")) found.isWhole = false;
  if (plain === "/dev/null" || plain === "") return [];
  const usual = key === "---" ? "a/" : "b/";
  if (!/^(?:---|\+\+\+)$/.test(key) || !/^[ab]\//.test(plain)) return [plain];
  return plain.startsWith(usual) ? [plain.slice(2)] : [plain, plain.slice(2)];
}
