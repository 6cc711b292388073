/** Finds the paths of a call in the system's temporary folder that are the session's own. */
import { homedir } from "node:os";
import type { Intent, PathAccess } from "../../policy/index.js";
import type { CommandPart } from "../../policy/part.js";
import { partsOf } from "../../policy/parts-of.js";
import { isWithinAny } from "../../call/absolute-path.js";
import type { Workspace } from "../workspace.js";
import { SHARED_FOLDER } from "./own-temporary.js";

/** The names directly in the shared folder, sorted. Nothing is disclosed about the others: they are left out. */
export async function temporaryPaths(intent: Intent, workspace: Workspace): Promise<readonly string[]> {
  if (!workspace.ownTemporary || !mentionsTemporary(intent)) return [];
  const made = new Map<string, boolean>();
  for (const { path, access } of accessesOf(intent, workspace)) {
    const name = isWithinAny(path, workspace.roots) ? undefined : topName(path);
    if (name !== undefined) made.set(name, made.get(name) === true || access === "write");
  }
  const found = await Promise.all(
    [...made].map(async ([name, isMade]) => (await workspace.ownTemporary?.(name, isMade)) ?? []),
  );
  return [...new Set(found.flat())].sort();
}

/** Whether the call names a path in the shared folder. Most calls do not, and need no second reading. */
const mentionsTemporary = ({ command, paths }: Intent): boolean =>
  (command !== undefined || paths.length > 0) && JSON.stringify([command, paths]).includes(SHARED_FOLDER);

function accessesOf(intent: Intent, { roots }: Workspace): readonly PathAccess[] {
  const { parts } = partsOf(intent, { roots, home: homedir() });
  return parts.flatMap((part) => {
    if (part.type === "command") return [...part.touches, ...part.redirects, ...codeAccesses(part)];
    return part.type === "path" ? [part] : [];
  });
}

/** Code that gets a name as an argument most likely makes the file, or reads one that it made earlier. */
function codeAccesses({ judgement, mayMean }: CommandPart): readonly PathAccess[] {
  return judgement.runs || !judgement.isKnown ? mayMean.map((path) => ({ path, access: "write" })) : [];
}

function topName(path: string): string | undefined {
  const name = path.startsWith(`${SHARED_FOLDER}/`)
    ? path.slice(SHARED_FOLDER.length + 1).split("/", 1)[0]
    : "";
  // Which files other patterns match, only the shell knows.
  return name === undefined || name === "" || /[[{]/.test(name) ? undefined : `${SHARED_FOLDER}/${name}`;
}
