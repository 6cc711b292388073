/**
 * A path as its root and the names below it, so that nothing is ever compared across a separator.
 *
 * The root is a segment of its own that starts with "/", which no name can: "/" on POSIX, "/c:" for a
 * drive, "/\\server\share" for a share. A backslash separates only below a drive or a share.
 */
export function pathSegments(path: string): readonly string[] | undefined {
  if (UNUSABLE.test(path)) return undefined;
  const windows = windowsRoot(path);
  if (windows) return canonical(windows.root, windows.rest.split(SEPARATORS));
  return path.startsWith("/") ? canonical("/", path.split("/")) : undefined;
}

/** The rest of the path after the drive or the share, and that root in one spelling. */
export function windowsRoot(path: string): { readonly root: string; readonly rest: string } | undefined {
  const drive = /^[A-Za-z]:(?=[\\/])/.exec(path)?.[0];
  if (drive !== undefined) return { root: `/${drive.toLowerCase()}`, rest: path.slice(drive.length) };
  const share = /^\\\\[^\\/]+[\\/][^\\/]+/.exec(path)?.[0];
  if (share === undefined) return undefined;
  return { root: `/${share.replaceAll("/", "\\").toLowerCase()}`, rest: path.slice(share.length) };
}

/** No tool gets such a path. Half a character (Cs) is written to disk as another: two names, one file. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
export const UNUSABLE = /[\0\r\n\p{Cs}]/u;

const SEPARATORS = /[\\/]/;

/** Undefined while "." or ".." is still in the path: such a path leads elsewhere than it says. */
function canonical(root: string, names: readonly string[]): readonly string[] | undefined {
  if (names.includes(".") || names.includes("..")) return undefined;
  return [root, ...names.filter((name) => name !== "")];
}
