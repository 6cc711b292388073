/** Recognizes, resolves and compares absolute paths of POSIX, Windows and UNC. Protocols carry absolute paths only. */

export function isAbsolutePath(path: string): boolean {
  return path.startsWith("/") || path.startsWith("\\\\") || /^[A-Za-z]:[\\/]/.test(path);
}

/** `path` resolved against `cwd`, with `.` and `..` removed. The disk is not read, so links are not resolved. */
export function absolutePath(cwd: string, path: string): string {
  if (isAbsolutePath(path)) return path;
  // On POSIX a backslash is part of a name.
  if (cwd.startsWith("/")) return `/${walked([...cwd.split("/"), ...path.split("/")]).join("/")}`;
  const [root, rest] = windowsRoot(cwd);
  return root + walked([...rest.split(SEPARATORS), ...path.split(SEPARATORS)]).join("\\");
}

/** Whether a normalised POSIX path is that folder or lies in it. By whole names, not as a pattern: a folder may be called "*". */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

export function isWithinAny(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isWithin(path, folder));
}

const SEPARATORS = /[\\/]/;

/** The drive or share, which `..` cannot leave, and the rest of the path. */
function windowsRoot(cwd: string): readonly [string, string] {
  const share = /^\\\\[^\\/]+[\\/][^\\/]+/.exec(cwd)?.[0];
  if (share !== undefined) return [`${share.replaceAll("/", "\\")}\\`, cwd.slice(share.length)];
  return [`${cwd.slice(0, 2)}\\`, cwd.slice(2)];
}

function walked(parts: readonly string[]): readonly string[] {
  const walk: string[] = [];
  for (const part of parts) {
    if (part === "..") walk.pop();
    else if (part !== "" && part !== ".") walk.push(part);
  }
  return walk;
}
