/**
 * Resolves a path as the kernel does: `..` after a link goes up from the link's target, not from its name.
 *
 * Missing files are resolved too. A dangling link leads to the place where a file written through it would be created;
 * `realpath` fails on it, so `realpath` alone cannot show whether a new file stays inside.
 */
import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../call/error-code.js";

/** As many links as Linux follows. */
const MAX_LINKS = 40;

/**
 * Throws the file system's own error (ENOTDIR, ELOOP, EACCES …) when the path cannot be walked.
 * With `keepLink` the last name is not followed, also not in `link/`; `link/.` and `link/..` are no names.
 */
export async function realPathOf(
  absolutePath: string,
  { keepLink = false }: { readonly keepLink?: boolean } = {},
): Promise<string> {
  if (keepLink) {
    // Both ignore slashes at the end.
    const [folder, name] = [dirname(absolutePath), basename(absolutePath)];
    if (!["", ".", ".."].includes(name)) return keptIn(await realPathOf(folder), name);
  }
  // The kernel's own walk is quicker, and it alone knows how a name is really written on a disk that ignores case.
  return (await realpath(absolutePath).catch(() => undefined)) ?? walk(absolutePath);
}

async function keptIn(folder: string, name: string): Promise<string> {
  const path = join(folder, name);
  // Throws where there can be no such name.
  await look(path);
  return path;
}

async function walk(absolutePath: string): Promise<string> {
  // The parts still to walk, the next one last.
  const ahead = absolutePath.split("/").toReversed();
  // Where the walk is: `here` is real and exists, `missing` is what does not exist below it.
  let here = "/";
  const missing: string[] = [];
  let links = 0;
  for (let part = ahead.pop(); part !== undefined; part = ahead.pop()) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (missing.pop() === undefined) here = dirname(here);
      continue;
    }
    const found = missing.length > 0 ? "missing" : await look(join(here, part));
    if (found === "missing") {
      missing.push(part);
    } else if (found === "real") {
      here = join(here, part);
    } else {
      if (++links > MAX_LINKS) throw Object.assign(new Error("too many links"), { code: "ELOOP" });
      if (found.target.startsWith("/")) here = "/";
      ahead.push(...found.target.split("/").toReversed());
    }
  }
  return join(await realpath(here), ...missing);
}

async function look(path: string): Promise<"missing" | "real" | { readonly target: string }> {
  try {
    if (!(await lstat(path)).isSymbolicLink()) return "real";
    return { target: await readlink(path) };
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "missing";
    throw error;
  }
}
