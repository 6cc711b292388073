/**
 * A workspace for one call: before a file changes, what it was is kept in the ledger, so that the call
 * can be undone. It is on record before the change; when it cannot be stored, nothing is changed.
 */
import { createHash } from "node:crypto";
import { posix } from "node:path";
import type { FileChange, KeptFile } from "../call/index.js";
import type { CommandOptions, Files, Workspace } from "../tools/index.js";

export type Keep = {
  /** Stores bytes and returns their name. */
  blob(bytes: Uint8Array): Promise<string>;
  /** Puts the change on record, in order and before it is made. */
  record(change: FileChange): Promise<void>;
};

/** More than this is not kept, and the call can then not be undone. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_FILES = 2_000;

export function keptWorkspace(workspace: Workspace, keep: Keep): Workspace {
  return new KeptWorkspace(workspace, keep);
}

class KeptWorkspace implements Workspace {
  readonly #inner: Workspace;
  readonly #keep: Keep;
  #bytesLeft = MOST_BYTES;
  #filesLeft = MOST_FILES;

  constructor(inner: Workspace, keep: Keep) {
    this.#inner = inner;
    this.#keep = keep;
  }

  get root(): string {
    return this.#inner.root;
  }

  get roots(): readonly string[] {
    return this.#inner.roots;
  }

  resolve: Files["resolve"] = (path, options) => this.#inner.resolve(path, options);
  look: Files["look"] = (path) => this.#inner.look(path);
  readLink: Files["readLink"] = (path) => this.#inner.readLink(path);
  readText: Files["readText"] = (path) => this.#inner.readText(path);
  readBytes: Files["readBytes"] = (path, range) => this.#inner.readBytes(path, range);
  list: Files["list"] = (path) => this.#inner.list(path);
  makeLink: Files["makeLink"] = (path, target) => this.#inner.makeLink(path, target);

  /** What a command changes nobody can foresee: it is not kept. */
  runCommand(command: string | readonly string[], options: CommandOptions) {
    return this.#inner.runCommand(command, options);
  }

  async write(path: string, content: string | Uint8Array, options?: { readonly mode?: number }) {
    const before = await this.#kept(path);
    const after = createHash("sha256").update(content).digest("hex");
    await this.#keepMade(posix.dirname(path));
    await this.#keep.record(
      before === "too much" ? notKept(path) : { type: "written", path, ...(before && { before }), after },
    );
    await this.#inner.write(path, content, options);
  }

  async makeFolder(path: string, options?: { readonly mode?: number }): Promise<void> {
    await this.#keepMade(path);
    await this.#inner.makeFolder(path, options);
  }

  /** The folders on the way that are not there yet, the outermost first. */
  async #keepMade(folder: string): Promise<void> {
    if (await this.#inner.look(folder)) return;
    await this.#keepMade(posix.dirname(folder));
    await this.#keep.record({ type: "made", path: folder });
  }

  async remove(path: string): Promise<void> {
    for (const change of await this.#removals(path)) await this.#keep.record(change);
    await this.#inner.remove(path);
  }

  async move(path: string, to: string): Promise<void> {
    await this.#keepMade(posix.dirname(to));
    await this.#keep.record({ type: "moved", path, to });
    await this.#inner.move(path, to);
  }

  /** A folder first, then what is in it: put back in that order, each has its place. */
  async #removals(path: string): Promise<readonly FileChange[]> {
    const before = await this.#kept(path);
    if (before === undefined) return [];
    if (before === "too much") return [notKept(path)];
    const own: FileChange = { type: "removed", path, before };
    if (before.type !== "folder") return [own];
    const changes: FileChange[] = [own];
    for (const { name } of await this.#inner.list(path)) {
      changes.push(...(await this.#removals(`${path}/${name}`)));
      if (changes.at(-1)?.type === "not-kept") break;
    }
    return changes;
  }

  async #kept(path: string): Promise<KeptFile | "too much" | undefined> {
    const info = await this.#inner.look(path);
    if (!info) return undefined;
    if ((this.#filesLeft -= 1) < 0) return "too much";
    if (info.type === "link") return { type: "link", target: await this.#inner.readLink(path) };
    if (info.type === "folder") return { type: "folder", mode: info.mode };
    if (info.type === "other" || (this.#bytesLeft -= info.size) < 0) return "too much";
    const read = await this.#inner.readBytes(path, { length: info.size });
    if (!read) return undefined;
    return { type: "file", blob: await this.#keep.blob(read.bytes), mode: info.mode };
  }
}

function notKept(path: string): FileChange {
  return { type: "not-kept", path, reason: "there was too much of it to keep" };
}
