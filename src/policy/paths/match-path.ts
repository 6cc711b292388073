/**
 * Does a pattern cover a path? Two readings, each safe for its purpose: `matchPath` for rules that allow, where a
 * doubt is no match, and `touchesPath` for rules that ask or deny, where a doubt is a match.
 *
 * A pattern is absolute, or starts with a double star: below any root. A double star is any depth, also none, when it
 * is a whole segment; so with one after "/ws/" the pattern means the folder and all in it. A slash at its end says the
 * same. `*` is any part of one name, dotfiles included, `?` one character. All else is literal, also { } [ ] ( ) ! and
 * on POSIX the backslash; there is no escape.
 */
import { foldCase, foldPath } from "./fold-path.js";
import { matchWildcards } from "./match-wildcards.js";
import { normalisePath } from "./normalise-path.js";
import { pathSegments, windowsRoot } from "./path-segments.js";

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

/** Is the path, in any spelling that a file system may take for it, what the pattern names or inside it? */
export function touchesPath(pattern: string, path: string): boolean {
  const wanted = patternSegments(foldPath(pattern));
  const segments = foldedSegments(path);
  return !wanted || !segments || matchSegments([...wanted, ANY_DEPTH], segments);
}

/** May the pattern cover something inside the folder? For deleting and moving, which include its contents. */
export function touchesBelow(pattern: string, folder: string): boolean {
  const wanted = patternSegments(foldPath(pattern));
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

/** None when the pattern is not absolute or has "." or ".." in it: nobody can say what it means. */
export function patternSegments(pattern: string): readonly string[] | undefined {
  const anywhere = pattern === ANY_DEPTH || pattern.startsWith(`${ANY_DEPTH}/`);
  const segments = pathSegments(anywhere ? `/${pattern}` : pattern);
  if (!segments) return undefined;
  const end = windowsRoot(pattern) ? /[\\/]$/ : /\/$/;
  // "/" itself is the root and not the whole disk.
  const isFolder = end.test(pattern) && segments.length > 1;
  return [...segments.slice(anywhere ? 1 : 0), ...(isFolder ? [ANY_DEPTH] : [])];
}

/** As the file systems fold it. None when it is no absolute path. */
export function foldedSegments(path: string): readonly string[] | undefined {
  const normal = normalisePath(path, path);
  return normal === undefined ? undefined : pathSegments(foldPath(normal));
}

const ANY_DEPTH = "**";

function matchSegment(wanted: string, segment: string): boolean {
  if (wanted === segment) return true;
  // A root is no name: no wildcard stands for it.
  if (segment.startsWith("/") || !/[*?]/.test(wanted)) return false;
  return matchWildcards(Array.from(wanted), Array.from(segment), { any: "*", same: matchCharacter });
}

const matchCharacter = (wanted: string, character: string) => wanted === "?" || wanted === character;
const composed = (text: string) => text.normalize("NFC");
