/** Folders of the workspace whose code is the project's own. */
import { matchPath } from "../paths/match-path.js";

/** Code that was installed, or that git keeps, is not the project's own. */
export function isOwnFolder(folder: string | undefined, roots: readonly string[]): folder is string {
  const root = folder === undefined ? undefined : roots.find((one) => matchPath(`${one}/**`, folder));
  if (root === undefined || folder === undefined) return false;
  return !folder
    .slice(root.length)
    .split("/")
    .some((name) => name.startsWith(".") || INSTALLED.has(name));
}

const INSTALLED: ReadonlySet<string> = new Set(["node_modules", "site-packages", "vendor", "third_party"]);
