/** All of a folder as text, to compare: names, types, permission bits and contents; git's index by its entries. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** The objects of repositories are left out: their names come from their content, and an undo leaves new ones. */
export function wholeTree(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (path: Buffer): void => {
    for (const name of readdirSync(path, { encoding: "buffer" })) {
      const inner = Buffer.concat([path, Buffer.from("/"), name]);
      const info = lstatSync(inner);
      const key = inner.subarray(root.length + 1).toString("latin1");
      const mode = (info.mode & 0o7777).toString(8);
      if (/(?:^|\/)\.git(?:\/modules\/[^/]+)?\/objects$/.test(key)) continue;
      if (info.isSymbolicLink()) found[key] = `link ${readlinkSync(inner)}`;
      else if (info.isDirectory()) {
        found[key] = `folder ${mode}`;
        visit(inner);
      } else if (/(?:^|\/)\.git\/index$/.test(key)) found[key] = entriesOf(join(root, key, "../.."));
      else if (info.isFile()) found[key] = `file ${mode} ${hashOf(readFileSync(inner))}`;
      else found[key] = "other";
    }
  };
  found[""] = `folder ${(lstatSync(root).mode & 0o7777).toString(8)}`;
  visit(Buffer.from(root));
  return found;
}

const hashOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex").slice(0, 12);

/** The entries of the repository's index; its bytes when git cannot read it. */
function entriesOf(folder: string): string {
  try {
    const words = ["-c", "core.fsmonitor=false", "ls-files", "--stage", "-v"];
    return execFileSync("git", words, { cwd: folder, encoding: "utf8", stdio: "pipe" });
  } catch {
    return hashOf(readFileSync(join(folder, ".git/index")));
  }
}
