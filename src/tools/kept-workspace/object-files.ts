/**
 * The object files of the user's repository, with second names (hard links) in our own folder, so that a command that
 * removes them takes nothing away: neither what we keep nor the user's history. Git never changes an object file.
 * Too many loose ones are left alone; then only their names are known.
 */
import { linkSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../call/error-code.js";

const MAX_LOOSE = 8_192;
const FAN_OUT = /^[0-9a-f]{2}$/;
const OBJECT_FILE = /^(?:[0-9a-f]{38}|[0-9a-f]{62}|pack-[0-9a-f]+\.(?:pack|idx|rev|bitmap|mtimes))$/;

/** The names of the files by folder (`pack`, `00` … `ff`), with the time at which the folder last changed. */
export type ObjectNames = ReadonlyMap<
  string,
  { readonly changedMs: number; readonly names: readonly string[] }
>;

/** `known`: an earlier list, whose unchanged folders are not read again. */
export function listObjects(folder: string, known?: ObjectNames): ObjectNames {
  const found = new Map<string, { readonly changedMs: number; readonly names: readonly string[] }>();
  for (const name of namesIn(folder)) {
    if (name !== "pack" && !FAN_OUT.test(name)) continue;
    const path = join(folder, name);
    const changedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const before = known?.get(name);
    const isSame = before?.changedMs === changedMs;
    found.set(
      name,
      isSame ? before : { changedMs, names: namesIn(path).filter((one) => OBJECT_FILE.test(one)) },
    );
  }
  return found;
}

/** Gives the files of `folder` second names in `ours`. `known`: the list whose files have theirs already. */
export function linkObjects(folder: string, ours: string, list: ObjectNames, known?: ObjectNames): void {
  const loose = [...list].reduce((sum, [name, { names }]) => sum + (name === "pack" ? 0 : names.length), 0);
  for (const [name, { names }] of list) {
    if (name !== "pack" && loose > MAX_LOOSE) continue;
    const before = known?.get(name);
    if (before === list.get(name)) continue;
    const linked = new Set(before?.names);
    mkdirSync(join(ours, name), { recursive: true });
    for (const file of names)
      if (!linked.has(file) && !linkFile(join(folder, name, file), join(ours, name, file))) return;
  }
}

/** False when this disk has no second names across these folders. */
function linkFile(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    return ["EEXIST", "ENOENT"].includes(errorCode(error) ?? "");
  }
}

/** The files of the first list that the second one lacks, as paths below the folder. */
export function missingObjects(before: ObjectNames, after: ObjectNames): readonly string[] {
  return [...before].flatMap(([folder, { names }]) => {
    const now = after.get(folder);
    if (now?.names === names) return [];
    const there = new Set(now?.names);
    return names.filter((name) => !there.has(name)).map((name) => `${folder}/${name}`);
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
