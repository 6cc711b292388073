/** Paths on the wires are absolute. This knows a POSIX, a Windows and a UNC path when it sees one. */

export function isAbsolutePath(path: string): boolean {
  return path.startsWith("/") || path.startsWith("\\\\") || /^[A-Za-z]:[\\/]/.test(path);
}

/** `path` as seen from `cwd`, with `.` and `..` taken out. It asks no disk, so links stay as they are. */
export function absolutePath(cwd: string, path: string): string {
  if (isAbsolutePath(path)) return path;
  const separator = cwd.startsWith("/") ? "/" : "\\";
  const parts = cwd.split(separator).filter((part, index) => part !== "" || index === 0);
  for (const part of path.split(/[\\/]/)) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.length > 1) parts.pop();
  }
  return parts.length === 1 ? `${parts[0]}${separator}` : parts.join(separator);
}
