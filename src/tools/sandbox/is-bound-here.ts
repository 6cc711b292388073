/**
 * Distinguishes sockets of programs outside from those that a command left: a process inside has a network of its own, so that
 * the list of sockets outside never names what was bound there.
 */
import { readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Whether a program outside has bound this file. `path`: a real path. */
export function isBoundHere(path: string): boolean {
  return boundNames().some((bound) => {
    if (basename(bound) !== basename(path)) return false;
    // Relative to a folder that nobody knows: a path may be at most 107 bytes long there.
    if (!bound.startsWith("/") || bound.startsWith("/proc/")) return true;
    return bound === path || join(realFolder(bound), basename(bound)) === path;
  });
}

function boundNames(): readonly string[] {
  try {
    const lines = readFileSync("/proc/net/unix", "utf8").split("\n");
    // Seven columns, and then the name as it was given.
    return lines.flatMap((line) => /^(?:\S+ +){6}\d+ (?<name>[^@].*)$/.exec(line)?.groups?.["name"] ?? []);
  } catch {
    return [];
  }
}

function realFolder(path: string): string {
  try {
    return realpathSync(dirname(path));
  } catch {
    return dirname(path);
  }
}
