/**
 * A workspace that holds a tool to its word: where the intent names paths, the tool reads and changes those
 * and nothing else. Links may be swapped between the decision and the act, and a path that then leads
 * elsewhere is not what anyone said yes to. A tool that named no paths was allowed as a whole; a command runs in
 * the folder that was decided on, by the shell that was. A contained command runs in the sandbox or not at all.
 */
import { posix } from "node:path";
import { isWithin } from "../call/absolute-path.js";
import { visibleText } from "../call/index.js";
import type { Containment, Intent, PathAccess } from "../policy/index.js";
import { executorOf } from "../tools/git/executor-for.js";
import { ToolFailure } from "../tools/index.js";
import type { Workspace } from "../tools/index.js";
import type { KeptFile } from "../call/index.js";
import { contentHash } from "./undoable-workspace.js";

export function confinedWorkspace(workspace: Workspace, intent: Intent, contained?: Containment): Workspace {
  const { paths, command } = intent;
  const runCommand: Workspace["runCommand"] = async (words, options) => {
    if (command !== undefined && (options.cwd ?? workspace.root) !== intent.cwd)
      throw new ToolFailure(
        `${visibleText(options.cwd ?? workspace.root)} is not the folder that this command was allowed for: something has changed on the way there. Nothing was run. Make the call again.`,
      );
    const { executor, temporary } = intent;
    return workspace.runCommand(words, {
      ...options,
      ...(executor && { executor }),
      ...(temporary && { temporary }),
      ...(contained && { contained }),
    });
  };
  const isFree = paths.length === 0 || command !== undefined;
  const mustBe = (isNamed: (named: PathAccess, path: string) => boolean, path: string): string => {
    if (isFree || paths.some((named) => isNamed(named, path))) return path;
    throw new ToolFailure(
      `${visibleText(path)} is not among the paths that this call was allowed for: something has changed on the way there. Nothing was read or written there. Make the call again.`,
    );
  };
  return {
    root: workspace.root,
    roots: workspace.roots,
    own: workspace.own ?? [],
    resolve: (path, options) => workspace.resolve(path, options),
    look: (path) => workspace.look(path),
    readLink: async (path) => workspace.readLink(mustBe(reads, path)),
    readText: async (path) => workspace.readText(mustBe(reads, path)),
    readBytes: async (path, range) => workspace.readBytes(mustBe(reads, path), range),
    list: async (path) => workspace.list(mustBe(reads, path)),
    write: async (path, content, options) => workspace.write(mustBe(writes, path), content, options),
    makeFolder: async (path, options) => workspace.makeFolder(mustBe(makes, path), options),
    makeLink: async (path, target) => workspace.makeLink(mustBe(writes, path), target),
    remove: async (path) => workspace.remove(mustBe(removes, path)),
    move: async (path, to) => workspace.move(mustBe(removes, path), mustBe(writes, to)),
    runCommand,
    executor: () => executorOf(workspace),
  };
}

/** A call that may change a path may read it, and a folder with its content. A tool may pass a path with `..` in it. */
const reads = (named: PathAccess, path: string): boolean => isWithin(posix.resolve(path), named.path);

const writes = ({ path: named, access }: PathAccess, path: string): boolean =>
  access === "write" && path === named;

/** The folders that a file needs above it. */
const makes = ({ path: named, access }: PathAccess, path: string): boolean =>
  access === "write" && isWithin(named, posix.resolve(path));

const removes = ({ path: named, access }: PathAccess, path: string): boolean =>
  (access === "delete" || access === "move") && path === named;

/** The changes of files up to some moment: those that had started, and the writes that had ended. */
export type OwnChangesMark = { readonly started: number; readonly written: number };

/** The last writes of a session's calls, by path: a call expects these and no other changes since it was shown. */
export class OwnWrites {
  #started = 0;
  #written = 0;
  readonly #last = new Map<string, { readonly after: string; readonly number: number }>();

  mark(): OwnChangesMark {
    return { started: this.#started, written: this.#written };
  }

  /** Called before a file or folder is changed: a command may see the change before the change is known to be done. */
  begin(): void {
    this.#started += 1;
  }

  add(path: string, after: string): void {
    this.#written += 1;
    this.#last.set(path, { after, number: this.#written });
  }

  /** The last write to this path after the mark; an intent made then has seen the earlier ones. */
  since({ written }: OwnChangesMark, path: string): string | undefined {
    const last = this.#last.get(path);
    return last && last.number > written ? last.after : undefined;
  }

  hasChangedSince({ started, written }: OwnChangesMark): boolean {
    return this.#started !== started || this.#written !== written;
  }
}

/**
 * A yes is for the diff that was shown, so for a file as it was then. Between the last look and the write someone
 * else may have changed it; only the writes of this session's own calls are expected. `own`: what a call of this session
 * has written to the path since the intent was made.
 */
export function checkBase(
  { baseHashes }: Intent,
  path: string,
  before: KeptFile | undefined,
  own: string | undefined,
): void {
  const base = baseHashes[path];
  const now = before === undefined ? "nothing" : (contentHash(before) ?? before.type);
  if (base === undefined || base === now || own === now) return;
  throw new ToolFailure(
    `${visibleText(path)} was changed by someone else in the meantime. The file was not written. Read it again, then make the call again.`,
  );
}
