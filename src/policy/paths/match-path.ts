/**
 * Does a pattern cover a path? Two readings, each safe for its purpose: `matchPath` for rules that allow, where a
 * doubt is no match, and `touchesPath` for rules that ask or deny, where a doubt is a match.
 *
 * A pattern is absolute, or starts with a double star: below any root. A double star is any depth, also none, when it
 * is a whole segment; so with one after "/ws/" the pattern means the folder and all in it. A slash at its end says the
 * same. `*` is any part of one name, dotfiles included, `?` one character. All else is literal, also { } [ ] ( ) ! and
 * on POSIX the backslash; there is no escape.
 */
import { absolutePath, isAbsolutePath } from "../../call/index.js";

/** `path` is canonical: from normalisePath, and with links followed. One with "." or ".." never matches. */
export function matchPath(
  pattern: string,
  path: string,
  options: { readonly caseSensitive?: boolean } = {},
): boolean {
  const spell = options.caseSensitive === false ? foldCase : composed;
  const wanted = patternSegments(spell(pattern));
  const segments = pathSegments(spell(path));
  return wanted !== undefined && segments !== undefined && matchSegments(wanted, segments);
}

/** Does the pattern cover everything below the folder, at any depth? The folder itself is another question. */
export function matchesBelow(pattern: string, folder: string): boolean {
  return [1, 3].every((depth) => matchPath(pattern, folder + UNUSED_NAME.repeat(depth)));
}

/** A name that nobody uses, long enough for no row of `?`: a pattern that matches it matches any name. */
const UNUSED_NAME = `/${"\u{E000}".repeat(64)}`;

/** Is the path, in any spelling that a file system may take for it, what the pattern names or inside it? */
export function touchesPath(pattern: string, path: string): boolean {
  const wanted = foldedPattern(pattern);
  const segments = foldedSegments(path);
  return !wanted || !segments || matchSegments([...wanted, ANY_DEPTH], segments);
}

/** May the pattern cover something inside the folder? For deleting and moving, which include its contents. */
export function touchesBelow(pattern: string, folder: string): boolean {
  const wanted = foldedPattern(pattern);
  const segments = foldedSegments(folder);
  if (!wanted || !segments) return true;
  for (const [index, segment] of segments.entries()) {
    const name = wanted[index];
    if (name === undefined || name === ANY_DEPTH) return true;
    if (!matchSegment(name, segment)) return false;
  }
  return true;
}

export function matchSegments(pattern: readonly string[], segments: readonly string[]): boolean {
  return matchWildcards(pattern, segments, { any: ANY_DEPTH, same: matchSegment });
}

/** Undefined when the pattern is not absolute or has "." or ".." in it, since its meaning is unclear. */
export function patternSegments(pattern: string): readonly string[] | undefined {
  const anywhere = pattern === ANY_DEPTH || pattern.startsWith(`${ANY_DEPTH}/`);
  const segments = pathSegments(anywhere ? `/${pattern}` : pattern);
  if (!segments) return undefined;
  const end = windowsRoot(pattern) ? /[\\/]$/ : /\/$/;
  // "/" itself is the root and not the whole disk.
  const isFolder = end.test(pattern) && segments.length > 1;
  return [...segments.slice(anywhere ? 1 : 0), ...(isFolder ? [ANY_DEPTH] : [])];
}

/**
 * Remembers what a function of one text returned. A decision folds the same few paths and patterns again for every rule
 * and protected name. The memory is bounded: it is emptied when it is full, and long texts are never kept.
 */
export function rememberResults<Result>(read: (text: string) => Result): (text: string) => Result {
  const results = new Map<string, Result>();
  return (text) => {
    if (text.length > MAX_CHARACTERS) return read(text);
    const known = results.get(text);
    // `has` is for a stored undefined.
    if (known !== undefined || results.has(text)) return known as Result;
    const result = read(text);
    if (results.size >= MAX_RESULTS) results.clear();
    results.set(text, result);
    return result;
  };
}

const MAX_RESULTS = 2_000;
const MAX_CHARACTERS = 512;

/** The path folded as file systems fold it. Undefined when it is not absolute. */
export const foldedSegments = rememberResults((path): readonly string[] | undefined => {
  const normal = normalisePath(path, path);
  return normal === undefined ? undefined : pathSegments(foldPath(normal));
});

const foldedPattern = rememberResults((pattern) => patternSegments(foldPath(pattern)));

const ANY_DEPTH = "**";

function matchSegment(wanted: string, segment: string): boolean {
  if (wanted === segment) return true;
  // A root is no name: no wildcard stands for it.
  if (segment.startsWith("/") || !/[*?]/.test(wanted)) return false;
  return matchWildcards(Array.from(wanted), Array.from(segment), { any: "*", same: matchCharacter });
}

const matchCharacter = (wanted: string, character: string) => wanted === "?" || wanted === character;
const composed = (text: string) => text.normalize("NFC");

/**
 * Does a row of items follow a pattern in which `any` stands for any number of items, also none?
 *
 * Only the last `any` is ever tried again, and each try starts one item later. So for a pattern whose
 * longest run without `any` is L, `same` is asked at most L times per item: never exponential.
 */
export function matchWildcards(
  pattern: readonly string[],
  items: readonly string[],
  { any, same }: { readonly any: string; readonly same: (wanted: string, item: string) => boolean },
): boolean {
  let at = 0;
  let next = 0;
  let lastAny: { readonly at: number; next: number } | undefined;
  for (let item = items[next]; item !== undefined; item = items[next]) {
    const wanted = pattern[at];
    if (wanted === any) {
      lastAny = { at, next };
      at += 1;
      if (at === pattern.length) return true;
    } else if (wanted !== undefined && same(wanted, item)) {
      at += 1;
      next += 1;
    } else {
      if (!lastAny) return false;
      lastAny.next += 1;
      at = lastAny.at + 1;
      next = lastAny.next;
    }
  }
  while (pattern[at] === any) at += 1;
  return at === pattern.length;
}

/**
 * One spelling for all the names that some file system takes for the same file. For refusing only:
 * here two files that are really different may meet, which costs a question and never lets one through.
 *
 * Folded are: Unicode normalisation, case (macOS, Windows), characters that HFS+ ignores, such as a
 * zero-width joiner, and what Windows drops: dots and spaces at the end of a name, and a `:stream`.
 * Look-alike letters of other scripts stay what they are: no file system takes them for each other.
 */
export function foldPath(path: string): string {
  const windows = windowsRoot(path);
  if (!windows) return path.split("/").map(foldName).join("/");
  const names = windows.rest.split(/[\\/]/).map((name) => foldName(name.replace(/:.*$/s, "")));
  return foldCase(windows.root.slice(1)) + names.join("\\");
}

function foldName(name: string): string {
  const folded = PLAIN.test(name)
    ? name.toLowerCase()
    : foldCase(name.replace(/\p{Default_Ignorable_Code_Point}/gu, ""));
  // Not a regular expression: /[. ]+$/ takes quadratic time on a name full of dots.
  let end = folded.length;
  while (end > 0 && ". ".includes(folded.charAt(end - 1))) end -= 1;
  // A name of dots alone, and above all "..", keeps its meaning.
  return end === 0 ? folded : folded.slice(0, end);
}

/** Printable ASCII: only its case can be folded, and most names are of it. */
const PLAIN = /^[ -~]*$/;

/** Down, up and down again, since some letters meet only there (ſ and s; ẞ, ß and ss). */
function foldCase(text: string): string {
  const lower = text.normalize("NFD").toLowerCase().toUpperCase().toLowerCase();
  // JavaScript writes a last sigma by what stands before it, and a wildcard there would change it.
  return lower.replaceAll("ς", "σ").normalize("NFC");
}

/**
 * `path` as the system will read it from `cwd`, without `.`, `..` and `//`. The disk is not read: the caller follows
 * links. None when it is no path that a tool may use: empty, an address, a path of
 * the other system, a Windows device, stream or drive-relative path, longer than a disk takes, or with a
 * NUL, a line end or half a character in it. Nothing is decoded: "%2e" is three characters of a name.
 */
export function normalisePath(cwd: string, path: string): string | undefined {
  if (path === "" || UNUSABLE.test(path) || UNUSABLE.test(cwd) || ADDRESS.test(path)) return undefined;
  if (path.length > MAX_PATH || path.split(/[\\/]/).some((name) => name.length > MAX_NAME)) return undefined;
  return cwd.startsWith("/") ? posixPath(cwd, path) : windowsPath(cwd, path);
}

/** More than any usual file system takes, and it bounds the work of all that compares paths. */
const MAX_PATH = 32_767;
const MAX_NAME = 255;

const ADDRESS = /^[a-z][a-z0-9+.-]+:\/\//i;

function posixPath(cwd: string, path: string): string | undefined {
  if (path.startsWith("/")) return below("/", path);
  // To POSIX this is the name of a file here; its author meant a place elsewhere.
  if (isAbsolutePath(path)) return undefined;
  return below(cwd, path);
}

function windowsPath(cwd: string, path: string): string | undefined {
  const text = path.replaceAll("/", "\\");
  const own = windowsRoot(text);
  const start = own ?? windowsRoot(cwd);
  if (!start || /^\/\\\\[?.]\\/.test(start.root)) return undefined;
  if (!own && text.startsWith("\\\\")) return undefined;
  const rest = own ? own.rest : text;
  // "C:x" is relative to another drive's folder, "x:y" is a stream of x.
  if (rest.includes(":")) return undefined;
  // Windows drops spaces and dots at an end, so ".. " may be "..".
  if (rest.split("\\").some((name) => /^[. ]+$/.test(name) && name !== "." && name !== ".."))
    return undefined;
  const from = own ? text : cwd;
  const root = `${from.slice(0, from.length - start.rest.length)}\\`;
  return own || text.startsWith("\\") ? below(root, rest) : below(cwd, rest);
}

/** With "./" before it no path counts as absolute, and so none is handed back unresolved. */
function below(root: string, path: string): string {
  return absolutePath(root, `./${path}`);
}

/**
 * A path as its root and the names below it, so that nothing is ever compared across a separator.
 *
 * The root is a segment of its own that starts with "/", which no name can: "/" on POSIX, "/c:" for a
 * drive, "/\\server\share" for a share. A backslash separates only below a drive or a share.
 */
function pathSegments(path: string): readonly string[] | undefined {
  if (UNUSABLE.test(path)) return undefined;
  const windows = windowsRoot(path);
  if (windows) return canonical(windows.root, windows.rest.split(SEPARATORS));
  return path.startsWith("/") ? canonical("/", path.split("/")) : undefined;
}

/** The rest of the path after the drive or the share, and that root in one spelling. */
function windowsRoot(path: string): { readonly root: string; readonly rest: string } | undefined {
  const drive = /^[A-Za-z]:(?=[\\/])/.exec(path)?.[0];
  if (drive !== undefined) return { root: `/${drive.toLowerCase()}`, rest: path.slice(drive.length) };
  const share = /^\\\\[^\\/]+[\\/][^\\/]+/.exec(path)?.[0];
  if (share === undefined) return undefined;
  return { root: `/${share.replaceAll("/", "\\").toLowerCase()}`, rest: path.slice(share.length) };
}

/** No tool gets such a path. Half a character (Cs) is written to disk as another: two names, one file. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const UNUSABLE = /[\0\r\n\p{Cs}]/u;

const SEPARATORS = /[\\/]/;

/** Undefined while "." or ".." is still in the path: such a path leads elsewhere than it says. */
function canonical(root: string, names: readonly string[]): readonly string[] | undefined {
  if (names.includes(".") || names.includes("..")) return undefined;
  return [root, ...names.filter((name) => name !== "")];
}
