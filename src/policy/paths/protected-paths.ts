/**
 * Paths that no allow rule opens by itself. `isProtected` says what needs a person's yes, `isForbidden`
 * what no one's yes opens; both answer with a sentence for that person, or with nothing.
 *
 * The path is the real one, and for a link ask for both ends. A folder that is deleted or moved takes
 * along what is in it; what lies deeper than names can tell, only the caller can see on the disk.
 */
import type { PathAccess } from "../intent.js";
import { foldedSegments, matchSegments, patternSegments } from "./match-path.js";
import { foldPath } from "./fold-path.js";
import { PROTECTED_NAMES } from "./protected-names.js";

export type Whereabouts = {
  readonly home: string;
  /** The folders of the workspace. */
  readonly roots: readonly string[];
  readonly access: PathAccess["access"];
  /** Toolgate's own files and folders: configuration, rules, grants, history. */
  readonly own: readonly string[];
};

export function isProtected(path: string, where: Whereabouts): string | undefined {
  const segments = foldedSegments(path);
  const forbidden = whyForbidden(segments, where);
  if (!segments || forbidden !== undefined) return forbidden;
  if (isOwn(segments, where.own)) return "This is Toolgate's own data: rules, answers and history.";
  const inPath = new Set(segments);
  const isMeant = ({ needs, pattern }: Compiled): boolean =>
    (needs === undefined || inPath.has(needs)) && matchSegments(pattern, segments);
  for (const { what, reading, names, heads, except } of places()) {
    if (!changes(where) && !reading) continue;
    if (names.some(isMeant)) {
      if (except.some(isMeant)) continue;
      return `This is ${what}.`;
    }
    if (takesAlong(where) && heads.some(isMeant) && !except.some(isMeant))
      return `This is a folder that may hold ${what}.`;
  }
  return undefined;
}

/** Toolgate's own files cannot be changed, nor can a workspace or a home be taken away with all it holds. */
export function isForbidden(path: string, where: Whereabouts): string | undefined {
  return whyForbidden(foldedSegments(path), where);
}

function whyForbidden(segments: readonly string[] | undefined, where: Whereabouts): string | undefined {
  if (!segments) return NO_PATH;
  if (!changes(where)) return undefined;
  if (isOwn(segments, where.own)) return "This is Toolgate's own data, which no tool may change.";
  if (!takesAlong(where)) return undefined;
  if (where.roots.some((root) => holds(segments, root)))
    return "This is the workspace itself, or a folder that holds it.";
  if (holds(segments, where.home)) return "This is the home folder itself, or a folder that holds it.";
  if (where.own.some((own) => holds(segments, own)))
    return "This is a folder that holds Toolgate's own data.";
  return undefined;
}

const NO_PATH = "This is no absolute path that a tool can use.";

const changes = ({ access }: Whereabouts) => access !== "read" && access !== "search";

const takesAlong = ({ access }: Whereabouts) => access === "delete" || access === "move";

function isOwn(segments: readonly string[], own: readonly string[]): boolean {
  if (segments.includes(".toolgate")) return true;
  return own.some((one) => COMPANIONS.some((end) => startsWith(segments, foldedSegments(one + end))));
}

/** SQLite writes beside a database. */
const COMPANIONS = ["", "-wal", "-shm", "-journal"];

const holds = (folder: readonly string[], path: string) => startsWith(foldedSegments(path), folder);

/** By whole names, and not as a pattern: a folder may be called "*". */
function startsWith(path: readonly string[] | undefined, start: readonly string[] | undefined): boolean {
  // What cannot be read might be anything.
  if (!path || !start) return true;
  return start.every((name, index) => path[index] === name);
}

const compileAll = () =>
  PROTECTED_NAMES.map(({ what, reading = false, names, except = [] }) => ({
    what,
    reading,
    names: names.flatMap(compiled),
    heads: names.flatMap(headsOf).flatMap(compiled),
    except: except.flatMap(compiled),
  }));

let known: ReturnType<typeof compileAll> | undefined;

/** Made when first asked for: that takes a megabyte on the way, and a process that only waits has nothing to judge. */
const places = () => (known ??= compileAll());

type Compiled = {
  readonly pattern: readonly string[];
  /** A name that a path must have in it to match at all: most have not, and are done with quickly. */
  readonly needs: string | undefined;
};

function compiled(name: string): readonly Compiled[] {
  const pattern = patternSegments(foldPath(/^(?:\/|\*\*)/.test(name) ? name : `**/${name}`));
  if (!pattern) return [];
  return [{ pattern, needs: pattern.find((segment) => !/^\/|[*?]/.test(segment)) }];
}

/**
 * The folders on the way to a name: ".config" for ".config/gh". Only dot folders and absolute ones, for
 * "library" may be anybody's.
 */
function headsOf(name: string): readonly string[] {
  if (!/^[./]/.test(name)) return [];
  const parts = name.split("/").filter((part) => part !== "" && part !== "**");
  const root = name.startsWith("/") ? "/" : "";
  return parts.map((_, length) => root + parts.slice(0, length).join("/")).filter((head) => head !== "");
}
