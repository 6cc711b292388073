/** One part of an intent, as rules name it: a command with its effects, a path, a host, or the tool alone. */
import type { ToolKind } from "../call/index.js";
import type { Intent, PathAccess } from "./intent.js";
import type { ArgvJudgement } from "./programs/judge-argv.js";
import { baseName } from "./shell/base-name.js";
import type { ReadCommand } from "./shell/read-shell.js";

/** A path that a command touches; with `below`, anything below that folder may be touched. */
export type Touch = PathAccess & {
  readonly below?: true;
  /** The path without normalisation, where that differs: only the disk knows where `..` leads behind a link. */
  readonly written?: string;
};

export type CommandPart = {
  readonly type: "command";
  readonly argv: readonly string[];
  readonly judgement: ArgvJudgement;
  /** The folder in which it runs, after the folder changes before it; undefined when that is unknown. */
  readonly cwd: string | undefined;
  /** The same path without normalisation: only the disk knows where `..` leads behind a link. */
  readonly way: string;
  /** Paths that it is known to touch, absolute. */
  readonly touches: readonly Touch[];
  /** Changes of things that are no files here: on another machine, or among the system's packages. */
  readonly elsewhere: readonly PathAccess["access"][];
  /** Files that its redirects write. */
  readonly redirects: readonly PathAccess[];
  /** Files whose code it runs, absolute. */
  readonly runsFiles: readonly string[];
  /** The program, where a build or an installation of the project puts it there. */
  readonly madeProgram?: string;
  /** Another part of the same text may change one of these files before it is run. */
  readonly isChangedBefore?: true;
  /** Folders below which its patterns, or a list that it reads, name files that are not known here. */
  readonly globs: readonly { readonly folder: string; readonly mayBeHidden: boolean }[];
  /** Absolute paths that its other words may stand for: a guess, good for asking only. */
  readonly mayMean: readonly string[];
  /** The command's input, and which of its words the shell expands. */
  readonly read: Pick<
    ReadCommand,
    "feeds" | "fedText" | "reads" | "writes" | "isBackground" | "judged" | "patterns" | "unknown" | "wrappers"
  >;
};

export type PathPart = { readonly type: "path" } & PathAccess;
export type HostPart = { readonly type: "host"; readonly url: string };
export type Part = CommandPart | PathPart | HostPart | { readonly type: "tool" };

/** Changing the folder does nothing by itself: the parts after it are judged by where they then act. */
export function isFolderChange({ argv, redirects, mayMean }: CommandPart): boolean {
  return argv[0] === "cd" && argv.length === 2 && redirects.length === 0 && mayMean.length > 0;
}

/** git runs programs that a repository's settings name, also when it only shows something. */
export const isGit = ({ argv }: CommandPart): boolean => baseName(argv[0] ?? "") === "git";

/** Programs that look for something in files or among their names. */
const SEARCHES: ReadonlySet<string> = new Set("grep egrep fgrep rg ag ack find fd".split(" "));

/** The access by which rules name what a command reads. */
export const readAccess = ({ argv }: CommandPart): "read" | "search" =>
  SEARCHES.has(baseName(argv[0] ?? "")) ? "search" : "read";

/** The kinds by which an allowing rule may name a part. */
export function kindsOf(part: Part, intent: Intent): readonly ToolKind[] {
  if (part.type === "path") return kindsAllowing(part.access, intent.kind);
  if (part.type === "host") return [intent.kind, "fetch"];
  return part.type === "tool" ? [intent.kind] : [intent.kind, "execute"];
}

/** Whether a command only reads, if its program is the one that its name suggests. */
export function onlyReads(part: CommandPart): boolean {
  return (
    part.judgement.onlyReads &&
    part.judgement.doubts.length === 0 &&
    // A background command still reads after names have changed.
    part.read.isBackground !== true &&
    part.redirects.length === 0 &&
    part.cwd !== undefined
  );
}

/** A kind of tool that changes nothing does not stand for a change, and reading a file is not taking it away. */
function kindsAllowing(access: PathAccess["access"], kind: ToolKind): readonly ToolKind[] {
  const kinds = KINDS_OF_ACCESS[access];
  if (access === "read" || access === "search") return [kind, ...kinds];
  return [kind, ...kinds].filter((one) => !CHANGES_NOTHING.has(one));
}

const CHANGES_NOTHING: ReadonlySet<ToolKind> = new Set(["read", "search", "think", "fetch"]);

export const KINDS_OF_ACCESS: { readonly [Access in PathAccess["access"]]: readonly ToolKind[] } = {
  read: ["read"],
  search: ["read", "search"],
  write: ["edit"],
  delete: ["delete"],
  // Moving a file removes it from its old place, and makes it readable at the new one.
  move: ["move", "read", "edit", "delete"],
};
