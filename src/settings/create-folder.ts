/** Creates a folder of the user's and the folders above it. Only their owner can read them. */
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

export function createFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    // Node reports a read-only file system as a missing folder, unless one folder is created at a time.
    mkdirSync(firstMissing(folder), { mode: 0o700 });
    throw thrown;
  }
}

function firstMissing(folder: string): string {
  const parent = dirname(folder);
  return parent === folder || statSync(parent, { throwIfNoEntry: false }) ? folder : firstMissing(parent);
}
