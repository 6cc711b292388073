/** Paths on the wires are absolute. This knows a POSIX, a Windows and a UNC path when it sees one. */

export function isAbsolutePath(path: string): boolean {
  return path.startsWith("/") || path.startsWith("\\\\") || /^[A-Za-z]:[\\/]/.test(path);
}

/** `path` as seen from `cwd`, with `.` and `..` taken out. It asks no disk, so links stay as they are. */
export function absolutePath(cwd: string, path: string): string {
  if (isAbsolutePath(path)) return path;
  // On POSIX a backslash is part of a name.
  if (cwd.startsWith("/")) return `/${walked([...cwd.split("/"), ...path.split("/")]).join("/")}`;
  const [root, rest] = windowsRoot(cwd);
  return root + walked([...rest.split(SEPARATORS), ...path.split(SEPARATORS)]).join("\\");
}

const SEPARATORS = /[\\/]/;

/** The drive or the share that nothing leads out of, and what comes after it. */
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
