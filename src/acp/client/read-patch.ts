/**
 * The files that a patch touches: Codex's format, and unified diffs as git and diff write them. A line that belongs to
 * neither may name a file to the program that applies the patch, so such a patch counts as only partly read.
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
  /** How many lines of each side are still to come, as the hunk counts them. */
  hunk: { readonly old: number; readonly new: number } | undefined;
};

export function readPatch(patch: string): PatchFiles {
  const found: Found = {
    written: new Set(),
    deleted: new Set(),
    moved: new Set(),
    isWhole: !OTHER_LINE_BREAK.test(patch),
    file: undefined,
    old: [],
    hunk: undefined,
  };
  const lines = ["", ...patch.split(/\r\n|\r|\n/)];
  for (const [at, line] of lines.entries())
    if (found.hunk) readInHunk(line, found.hunk, found);
    else readLine(line, lines.slice(at - 1, at + 3), found);
  if (found.hunk) found.isWhole = false;
  return {
    written: [...found.written],
    deleted: [...found.deleted],
    moved: [...found.moved],
    isWhole: found.isWhole,
  };
}

/** Some readers break lines here, others do not. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const OTHER_LINE_BREAK = /\r(?!\n)|[\0\v\f\u001c-\u001e\u0085\u2028\u2029]/;

/** Whether a text of no known meaning is one. */
export const looksLikePatch = (text: string): boolean =>
  /^\s*\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File:)|^(?:\+\+\+ |diff --git |rename to )/m.test(text);

function readLine(line: string, around: Around, found: Found): void {
  if (readMarker(line, found)) return;
  if (found.file !== undefined) readCodexLine(line, around, found);
  else if (line.startsWith("@@")) beginHunk(line, found);
  else if (!readHeader(line, around, found) && line.trim() !== "" && !HARMLESS.test(line))
    found.isWhole = false;
}

/** The lines of a file in Codex's format are not counted, so none of them may begin a hunk for other readers. */
function readCodexLine(line: string, around: Around, found: Found): void {
  if (HUNK_OF_OTHERS.test(line)) found.isWhole = false;
  if (line.trim() === "" || /^(?:[ +\-\\]|@@)/.test(line)) return;
  found.isWhole = false;
  readHeader(line, around, found);
}

/** `patch` takes hunks that are indented, or quoted in a mail. */
const HUNK_OF_OTHERS = /^(?:[\sX]|- )*@@ -\d/;

function beginHunk(line: string, found: Found): void {
  const counts = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
  if (!counts) found.isWhole = false;
  else setHunk({ old: Number(counts[1] ?? 1), new: Number(counts[2] ?? 1) }, found);
}

function setHunk(left: NonNullable<Found["hunk"]>, found: Found): void {
  if (left.old < 0 || left.new < 0) found.isWhole = false;
  found.hunk = left.old > 0 || left.new > 0 ? left : undefined;
}

function readInHunk(line: string, left: NonNullable<Found["hunk"]>, found: Found): void {
  // A reader of Codex's format takes it for a file.
  if (readMarker(line, found)) found.isWhole = false;
  const [sign = " "] = line;
  if (sign === "\\") return;
  if (!/[ +-]/.test(sign)) {
    found.isWhole = false;
    found.hunk = undefined;
  } else setHunk({ old: left.old - (sign === "+" ? 0 : 1), new: left.new - (sign === "-" ? 0 : 1) }, found);
}

const HARMLESS =
  /^(?:index [\da-f]+\.\.[\da-f]+(?: 100(?:644|755))?|(?:old|new|new file) mode 100(?:644|755)|(?:dis)?similarity index \d+%|=+|\\ No newline at end of file)$/;

/** The line before a line, the line itself, and the two after it. */
type Around = readonly string[];

/** `*** Add File: x` of Codex's format, which its reader takes with blanks before it too. */
function readMarker(line: string, found: Found): boolean {
  const [, marker = "", path = ""] = /^\s*\*\*\* ([A-Za-z ]+?)(?:: *(.*))?$/.exec(line) ?? [];
  if (marker === "") return false;
  const file = path.trim();
  if (/^(?:Begin Patch|End Patch|End of File)$/.test(marker) && file === "") return true;
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
function readHeader(line: string, around: Around, found: Found): boolean {
  const [, key = "", value = ""] =
    /^(diff --git|Index:|---|\+\+\+|(?:rename|copy) (?:from|to)|deleted file mode) +(.*)$/.exec(line) ?? [];
  if (key === "") return false;
  if (!standsRight(key, around)) found.isWhole = false;
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
  return true;
}

/** `---`, `+++` and a hunk stand together. Where they do not, readers differ in which name counts. */
function standsRight(key: string, [before = "", , next = "", afterNext = ""]: Around): boolean {
  if (key === "---") return next.startsWith("+++ ") && afterNext.startsWith("@@ -");
  return key !== "+++" || before.startsWith("--- ");
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
  if (/^$|[\\\s]/.test(plain)) found.isWhole = false;
  if (plain === "/dev/null" || plain === "") return [];
  const usual = key === "---" ? "a/" : "b/";
  if (!/^(?:---|\+\+\+)$/.test(key) || !/^[ab]\//.test(plain)) return [plain];
  return plain.startsWith(usual) ? [plain.slice(2)] : [plain, plain.slice(2)];
}
