/**
 * Folders that get their owner's rights while an undo changes names in them, and lose them when it is done: a command may
 * have made a folder read-only, and a person too.
 */
import { posix } from "node:path";
import { OWNER_MAY_ALL } from "../tools/kept-workspace/object-files.js";
import type { Workspace } from "../tools/index.js";

export class OpenedFolders {
  readonly #workspace: Workspace;
  /** The permission bits that each gets in the end. */
  readonly #modes = new Map<string, number>();
  readonly #seen = new Set<string>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Does nothing for a link, whose target is another place, nor where no folder is. */
  async open(path: string): Promise<void> {
    if (this.#seen.has(path)) return;
    this.#seen.add(path);
    const info = await this.#workspace.look(path);
    if (info?.type !== "folder" || (info.mode & OWNER_MAY_ALL) === OWNER_MAY_ALL) return;
    await this.#workspace.makeFolder(path, { mode: info.mode | OWNER_MAY_ALL });
    this.#modes.set(path, info.mode);
  }

  /** The folder that holds a path, or will hold it: the innermost one that is there. */
  async openAround(path: string): Promise<void> {
    for (let folder = posix.dirname(path); !this.#seen.has(folder); folder = posix.dirname(folder)) {
      await this.open(folder);
      if (await this.#workspace.look(folder)) return;
    }
  }

  async openAll(folder: string): Promise<void> {
    await this.open(folder);
    for (const { name, type } of await this.#workspace.list(folder))
      if (type === "folder") await this.openAll(posix.join(folder, name));
  }

  /** Instead of the permission bits that it had. */
  willHave(path: string, mode: number): void {
    this.#modes.set(path, mode);
  }

  /** The innermost first: a folder above may be closed to its owner. */
  async close(): Promise<void> {
    const inwards = [...this.#modes].toSorted(([one], [other]) => (one < other ? -1 : 1));
    let failure: { readonly error: unknown } | undefined;
    for (const [path, mode] of inwards.toReversed())
      try {
        const isFolder = (await this.#workspace.look(path))?.type === "folder";
        if (isFolder) await this.#workspace.makeFolder(path, { mode });
      } catch (error) {
        failure ??= { error };
      }
    this.#modes.clear();
    if (failure) throw failure.error;
  }
}
