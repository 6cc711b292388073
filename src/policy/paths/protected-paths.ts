/**
 * Paths that an allow rule alone does not open. `isProtected` finds those that need a person's yes, `isForbidden`
 * those that nobody's yes opens; both return a sentence for that person, or undefined.
 *
 * The path is the real one; for a link, check both ends. Deleting or moving a folder includes its contents; only the
 * caller can see on the disk what lies deeper than the names show.
 */
import type { PathAccess } from "../intent.js";
import { foldedSegments, matchSegments, patternSegments, foldPath } from "./match-path.js";
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
  if (isOfProject(segments)) return "This is Toolgate's own data: rules, answers and history.";
  const { all, byName, wild } = places();
  const isMeant = ({ pattern }: Compiled): boolean => matchSegments(pattern, segments);
  const found: Entry[] = [];
  const look = (entry: Entry): void => {
    const counts = entry.isHead ? takesAlong(where) : changes(where) || all[entry.place]?.reading;
    if (counts && isMeant(entry)) found.push(entry);
  };
  const names = [...new Set(segments)];
  for (const name of names) byName.get(name)?.forEach(look);
  for (const entry of wild) if (names.some((name) => mayMatch(entry, name))) look(entry);
  found.sort((one, other) => one.place - other.place || Number(one.isHead) - Number(other.isHead));
  for (const { place, isHead } of found) {
    const { what = "", except = [] } = all[place] ?? {};
    if (!except.some(isMeant)) return isHead ? `This is a folder that may hold ${what}.` : `This is ${what}.`;
  }
  return undefined;
}

/** The same by names alone, for a word of a command before it is known where it runs. */
export function isProtectedName(word: string, access: PathAccess["access"]): boolean {
  const path = word.startsWith("/") ? word : `${SOMEWHERE}/${word}`;
  return isProtected(path, { home: SOMEWHERE, roots: [], own: [], access }) !== undefined;
}

/**
 * Whether a path that ends in this name can be protected while the folder around it is not. A quick look, for walks over
 * many files: most names are no protected one, wherever they are.
 */
export function mayBeProtected(name: string): boolean {
  const segment = foldPath(name);
  const { ends } = places();
  return (
    segment === ".toolgate" || ends.names.has(segment) || ends.wild.some((entry) => mayMatch(entry, segment))
  );
}

/** Deep enough that no `..` leads to the root, where a folder's name would mean something else. */
const SOMEWHERE = "/_".repeat(8);

/**
 * Toolgate's own files cannot be changed, and those of the user not be read either: tokens, keys and grants are no
 * agent's business. Nor can a workspace or a home be taken away with all it holds.
 */
export function isForbidden(path: string, where: Whereabouts): string | undefined {
  return whyForbidden(foldedSegments(path), where);
}

function whyForbidden(segments: readonly string[] | undefined, where: Whereabouts): string | undefined {
  if (!segments) return NO_PATH;
  if (isIn(segments, where.own)) return "This is Toolgate's own data, which no tool may read or change.";
  if (isOfProgram(segments)) return "This is the environment or the memory of a program, where its keys are.";
  if (!changes(where)) return undefined;
  if (isOfProject(segments)) return "This is Toolgate's own data, which no tool may change.";
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

/**
 * Whether the path is of a program's own files, such as its variables: these hold Toolgate's token and the keys of
 * models. Also matches parts that only a shell knows: `/proc/$PPID/environ`, `/proc/[0-9]*\/e*`.
 */
function isOfProgram(segments: readonly string[]): boolean {
  const path = segments.join("/").replace(/^\/*/, "/");
  if (/^\/proc\/.+\/(?:environ|mem)$/.test(path)) return true;
  return /^\/proc\/(?:\d+|self|thread-self|[^/]*[$*?[][^/]*)\/(?:task\/[^/]*\/)?(?:e\w*|m\w*)?[*?[$][^/]*$/.test(
    path,
  );
}

/** The settings that a project brings along: anybody who has the project can read them. */
const isOfProject = (segments: readonly string[]): boolean => segments.includes(".toolgate");

const isIn = (segments: readonly string[], own: readonly string[]): boolean =>
  ownSegments(own).some((one) => startsWith(segments, one));

/** A walk checks thousands of paths against the same list: each list is folded once. */
const foldedOwn = new WeakMap<readonly string[], readonly (readonly string[] | undefined)[]>();

function ownSegments(own: readonly string[]): readonly (readonly string[] | undefined)[] {
  const seen = foldedOwn.get(own);
  if (seen) return seen;
  const folded = own.flatMap((one) => COMPANIONS.map((end) => foldedSegments(one + end)));
  foldedOwn.set(own, folded);
  return folded;
}

/** SQLite writes beside a database. */
const COMPANIONS = ["", "-wal", "-shm", "-journal"];

const holds = (folder: readonly string[], path: string) => startsWith(foldedSegments(path), folder);

/** By whole names, and not as a pattern: a folder may be called "*". */
function startsWith(path: readonly string[] | undefined, start: readonly string[] | undefined): boolean {
  // An unreadable path might be any path.
  if (!path || !start) return true;
  return start.every((name, index) => path[index] === name);
}

type Entry = Compiled & {
  /** The position in the list: the first match gives the sentence. */
  readonly place: number;
  /** A folder on the way to the name. */
  readonly isHead: boolean;
};

function compileAll() {
  const all = PROTECTED_NAMES.map(({ what, reading = false, except = [] }) => ({
    what,
    reading,
    except: except.flatMap(compiled),
  }));
  const entries = PROTECTED_NAMES.flatMap(({ names }, place): readonly Entry[] => [
    ...names.flatMap(compiled).map((one) => ({ ...one, place, isHead: false })),
    ...names
      .flatMap(headsOf)
      .flatMap(compiled)
      .map((one) => ({ ...one, place, isHead: true })),
  ]);
  // A path has few names and the list has hundreds: most entries are never looked at.
  const byName = new Map<string, Entry[]>();
  for (const entry of entries) {
    if (entry.needs === undefined) continue;
    byName.set(entry.needs, [...(byName.get(entry.needs) ?? []), entry]);
  }
  const lasts = entries.flatMap(({ pattern, isHead }) =>
    isHead ? [] : (pattern.findLast((name) => name !== "**") ?? []),
  );
  const ends = {
    names: new Set(lasts.filter((name) => !/[*?]/.test(name))),
    wild: [...new Set(lasts.filter((name) => /[*?]/.test(name)))].map(edgesOf),
  };
  return { all, byName, wild: entries.filter(({ needs }) => needs === undefined), ends };
}

let known: ReturnType<typeof compileAll> | undefined;

/** Made when first asked for: that takes a megabyte on the way, and a process that only waits has nothing to judge. */
const places = () => (known ??= compileAll());

type Compiled = {
  readonly pattern: readonly string[];
  /** A name that a path must have in it to match at all; undefined where all of them have wildcards. */
  readonly needs: string | undefined;
  /** How a name of the path must begin and end then. */
  readonly start: string;
  readonly end: string;
};

const mayMatch = ({ start, end }: Pick<Compiled, "start" | "end">, name: string): boolean =>
  name.startsWith(start) && name.endsWith(end);

function compiled(name: string): readonly Compiled[] {
  const pattern = patternSegments(foldPath(/^(?:\/|\*\*)/.test(name) ? name : `**/${name}`));
  if (!pattern) return [];
  const needs = pattern.find((segment) => !/^\/|[*?]/.test(segment));
  const wild = pattern.find((segment) => segment !== "**" && /[*?]/.test(segment)) ?? "";
  return [{ pattern, needs, ...edgesOf(wild) }];
}

/** The parts of a name before its first and after its last wildcard. */
function edgesOf(name: string): Pick<Compiled, "start" | "end"> {
  const parts = name.split(/[*?]/);
  return { start: parts[0] ?? "", end: parts.at(-1) ?? "" };
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
