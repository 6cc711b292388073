/** Where peers are installed and where their journeys run, and the environment that a peer gets: nothing of the person's. */
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";

export const cacheFolder = (): string => {
  const cache = process.env["XDG_CACHE_HOME"];
  return join(cache === undefined || cache === "" ? join(homedir(), ".cache") : cache, "toolgate-peers");
};

/** A folder for one journey: a project with a file to read and to edit, and a home beside it. */
export type Place = { readonly root: string; readonly project: string; readonly home: string };

export const NOTES = "milk\nbread\n";

export function makePlace(name: string): Place {
  // Not among temporary files: Codex refuses to install its sandbox there.
  const journeys = join(cacheFolder(), "journeys");
  mkdirSync(journeys, { recursive: true });
  const root = mkdtempSync(join(journeys, `${name}-`));
  const place = { root, project: join(root, "project"), home: join(root, "home") };
  mkdirSync(place.project);
  mkdirSync(place.home);
  writeFileSync(join(place.project, "notes.txt"), NOTES);
  return place;
}

/** `programs`: folders that come first on the path, such as that of a newer Node. */
export function peerEnv(
  { home }: Place,
  programs: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const path = [...programs, dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
  return { PATH: path, HOME: home, LANG: "C.UTF-8", TERM: "xterm-256color", ...more };
}

export const isThere = (place: Place, name: string): boolean => existsSync(join(place.project, name));
