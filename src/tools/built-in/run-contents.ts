/**
 * Hashes of the workspace files whose code a command runs: a yes to `./run.sh` is for the script as it was then.
 * System programs are left out: nobody changes them here.
 */
import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { dirname } from "node:path";
import type { Intent } from "../../policy/index.js";
import { plannedCommand, UNBOUND } from "../../policy/intent.js";
import { partsOf } from "../../policy/parts-of.js";
import { ToolFailure } from "../tool.js";
import type { Files, Workspace } from "../workspace.js";
import { isWithinAny } from "../../call/absolute-path.js";

/** A larger file is not read through before each run. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_FILES = 50;

export async function runContents(
  planned: Pick<Intent, "command" | "cwd" | "executor">,
  workspace: Workspace,
): Promise<NonNullable<Intent["contents"]>> {
  const { roots, disk = workspace } = workspace;
  const { parts } = partsOf(plannedCommand(planned), { roots, home: homedir() });
  const files = new Set(parts.flatMap((part) => (part.type === "command" ? part.runsFiles : [])));
  const contents: { [path: string]: string } = {};
  for (const path of [...files].filter((one) => isWithinAny(one, roots))) {
    const isTooMany = Object.keys(contents).length >= MAX_FILES;
    // The file that a pattern matches may change.
    const hash = isTooMany || /[*?[]/.test(path) ? UNBOUND : await contentHash(path, disk);
    if (hash !== undefined) contents[path] = hash;
  }
  return contents;
}

/** Undefined when there is no such file, so that nothing can be run. */
async function contentHash(path: string, files: Files): Promise<string | undefined> {
  try {
    const real = await files.resolve(path);
    const info = await files.look(real);
    // A folder holds code and is none: the files in it that a program looks for have names of their own here.
    if (!info || info.type === "folder") return undefined;
    if (info.type !== "file" || info.size > MAX_BYTES) return UNBOUND;
    const read = await files.readBytes(real, { length: MAX_BYTES });
    if (!read || read.size > read.bytes.length) return UNBOUND;
    return createHash("sha256").update(read.bytes).digest("hex");
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return (await isBelowFile(path, files)) ? undefined : UNBOUND;
  }
}

/** `job.py/__main__.py` is nothing where job.py is a file. */
async function isBelowFile(path: string, files: Files): Promise<boolean> {
  try {
    return (await files.look(await files.resolve(dirname(path))))?.type === "file";
  } catch (error) {
    if (error instanceof ToolFailure) return false;
    throw error;
  }
}
