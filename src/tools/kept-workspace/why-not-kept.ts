/** Folders that are never kept: keeping them would fill the disk with everything that a person has. */
import { homedir } from "node:os";

/** Undefined when the folder may be kept. `own`: where we keep things ourselves. */
export function whyNotKept(root: string, own?: string): string | undefined {
  if (root === "/") return "it is the root of the file system";
  const home = homedir();
  if (root === home) return "it is your home folder";
  if (isWithin(home, root)) return "your home folder lies in it";
  if (own !== undefined && (isWithin(own, root) || isWithin(root, own)))
    return "Toolgate's own files lie in it";
  return undefined;
}

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
