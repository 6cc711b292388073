import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** As deep as `dist/cli`, where the package's own paths lead to its files. */
export const CHILD_PROGRAMS = join(root, "node_modules", ".toolgate-children");

/** A program of `test/children`, bundled from the sources by build-child-programs.ts. */
export function childProgram(name: string): string {
  return join(CHILD_PROGRAMS, name);
}
