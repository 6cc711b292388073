/**
 * A workspace for one call that keeps the earlier content of each changed file in the ledger, so that the call can be
 * undone. The earlier content is recorded before the change; when it cannot be stored, nothing is changed.
 */
import { createHash } from "node:crypto";
import { posix } from "node:path";
import type { CallProcess, FileChange, KeptFile, SandboxRefusal } from "../call/index.js";
import { ForwardingWorkspace } from "../tools/forwarding-workspace.js";
import type { CommandOptions, Files, Workspace, FileInfo } from "../tools/index.js";

type Keep = {
  /** Stores bytes and returns their name. */
  blob(bytes: Uint8Array): Promise<string>;
  /** Throws when the file is not the one that the call was allowed to replace. */
  mayReplace(path: string, before: KeptFile | undefined): void;
  /** Called after a write, with the SHA-256 of the new content. */
  wrote(path: string, after: string): void;
  /** Records what a command changed, where the workspace was kept before it. */
  commandEnded(): Promise<void>;
  /** Puts a process that a command of the call runs in on record. */
  started(process: CallProcess): void;
  /** Puts what the sandbox refused to a command on record. */
  refused(refusals: readonly SandboxRefusal[]): void;
  /** Puts the change on record, in order and before it is made. */
  record(change: FileChange): Promise<void>;
};

export function undoableWorkspace(workspace: Workspace, keep: Keep): Workspace {
  return new UndoableWorkspace(workspace, keep);
}

class UndoableWorkspace extends ForwardingWorkspace {
  readonly #keep: Keep;
  // More is not kept, and the call can then not be undone.
  #bytesLeft = MAX_BYTES;
  #filesLeft = MAX_FILES;

  constructor(inner: Workspace, keep: Keep) {
    super(inner);
    this.#keep = keep;
  }

  /** The changes of a command cannot be predicted: the whole workspace is kept before it, or nothing. */
  override async runCommand(command: string | readonly string[], options: CommandOptions) {
    const onStart = (process: CallProcess) => {
      this.#keep.started(process);
      options.onStart?.(process);
    };
    const onRefused = (refusals: readonly SandboxRefusal[]) => {
      this.#keep.refused(refusals);
      options.onRefused?.(refusals);
    };
    try {
      return await this.inner.runCommand(command, { ...options, onStart, onRefused });
    } finally {
      await this.#keep.commandEnded();
    }
  }

  override async write(path: string, content: string | Uint8Array, options?: { readonly mode?: number }) {
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    const before = await this.#kept(path, bytes);
    if (before !== "too much") this.#keep.mayReplace(path, before);
    const after = sha256(bytes);
    await this.#keepMade(posix.dirname(path));
    await this.#keep.record(
      before === "too much"
        ? notKept(path, TOO_MUCH)
        : { type: "written", path, ...(before && { before }), after },
    );
    await this.inner.write(path, content, options);
    this.#keep.wrote(path, after);
  }

  override async makeFolder(path: string, options?: { readonly mode?: number }): Promise<void> {
    await this.#keepMade(path);
    await this.inner.makeFolder(path, options);
  }

  /** The folders on the way that are not there yet, the outermost first. */
  async #keepMade(folder: string): Promise<void> {
    if (await this.inner.look(folder)) return;
    await this.#keepMade(posix.dirname(folder));
    await this.#keep.record({ type: "made", path: folder });
  }

  override async remove(path: string): Promise<void> {
    for (const change of await this.#removals(path)) await this.#keep.record(change);
    await this.inner.remove(path);
  }

  override async move(path: string, to: string): Promise<void> {
    const whole = await wholeFingerprint(this.inner, path);
    await this.#keepMade(posix.dirname(to));
    await this.#keep.record({ type: "moved", path, to, ...(whole !== undefined && { fingerprint: whole }) });
    await this.inner.move(path, to);
  }

  /** A folder first, then what is in it: put back in that order, each has its place. */
  async #removals(path: string): Promise<readonly FileChange[]> {
    const before = await this.#kept(path);
    if (before === undefined) return [];
    if (before === "too much") return [notKept(path, TOO_MUCH)];
    const own: FileChange = { type: "removed", path, before };
    if (before.type !== "folder") return [own];
    const changes: FileChange[] = [own];
    const seen = new Set<string>();
    for (const { name } of await this.inner.list(path)) {
      const inner = `${path}/${name}`;
      // A name that is not valid UTF-8 is listed as one that nothing has, or that another entry has.
      const found = seen.has(name) ? [] : await this.#removals(inner);
      changes.push(...(found.length > 0 ? found : [notKept(inner, NO_NAME)]));
      if (changes.at(-1)?.type === "not-kept") break;
      seen.add(name);
    }
    return changes;
  }

  /** `after`: the bytes that a write puts there. */
  async #kept(path: string, after?: Uint8Array): Promise<KeptFile | "too much" | undefined> {
    const info = await this.inner.look(path);
    if (!info) return undefined;
    if ((this.#filesLeft -= 1) < 0) return "too much";
    if (info.type === "link") return { type: "link", target: await this.inner.readLink(path) };
    if (info.type === "folder") return { type: "folder", mode: info.mode };
    if (info.type === "other" || (this.#bytesLeft -= info.size) < 0) return "too much";
    const bytes = await wholeFile(this.inner, path, info.size);
    return bytes && this.#keptFile(bytes, info.mode, after);
  }

  async #keptFile(bytes: Uint8Array, mode: number, after: Uint8Array | undefined): Promise<KeptFile> {
    const range = after && replacedRange(bytes, after);
    if (!range) return { type: "file", blob: await this.#keep.blob(bytes), mode };
    const blob = await this.#keep.blob(bytes.subarray(range.head, bytes.length - range.tail));
    return { type: "part", hash: sha256(bytes), blob, ...range, mode };
  }
}

const TOO_MUCH = "it has too many files or too much data to keep";
const NO_NAME = "it could not be found by its name, which may not be valid UTF-8";

function notKept(path: string, reason: string): FileChange {
  return { type: "not-kept", path, reason };
}

/** More than this is not read through. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_FILES = 2_000;
const MAX_ENTRIES = 10_000;

/**
 * Fingerprints a path, to detect later whether someone has changed it: a file's SHA-256, the target of a link, or the
 * type of the entry. A file that is too large to read is identified by its size and time. A folder's contents do not
 * count. Undefined when nothing is there.
 */
export async function fingerprint(files: Files, path: string): Promise<string | undefined> {
  const info = await files.look(path);
  return info && entryFingerprint(files, path, info, info.size <= MAX_BYTES);
}

/** With all that is in a folder. Undefined when nothing is there, or too much. */
export async function wholeFingerprint(files: Files, path: string): Promise<string | undefined> {
  const own = await fingerprint(files, path);
  if (own !== "folder") return own;
  const lines: string[] = [];
  let bytesLeft = MAX_BYTES;
  const folders = [path];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const { name } of await files.list(folder)) {
      if (lines.length >= MAX_ENTRIES) return undefined;
      const inner = `${folder}/${name}`;
      const info = await files.look(inner);
      if (info?.type === "folder") folders.push(inner);
      if (info?.type === "file") bytesLeft -= info.size;
      const isSmall = bytesLeft >= 0 && lines.length < MAX_FILES;
      const what = info && (await entryFingerprint(files, inner, info, isSmall));
      lines.push(JSON.stringify([inner.slice(path.length), what ?? "nothing found"]));
    }
  }
  return `folder ${sha256(lines.join("\n"))}`;
}

async function entryFingerprint(
  files: Files,
  path: string,
  { type, size, modified }: FileInfo,
  isSmall: boolean,
): Promise<string | undefined> {
  if (type === "link") return `link to ${await files.readLink(path)}`;
  if (type !== "file") return type;
  if (!isSmall) return `file of ${size} bytes, written at ${modified}`;
  const bytes = await wholeFile(files, path, size);
  return bytes && sha256(bytes);
}

/** The file may have grown since `look`, and an editor's buffer may be longer than the file on disk. */
export async function wholeFile(files: Files, path: string, size: number): Promise<Uint8Array | undefined> {
  const read = await files.readBytes(path, { length: size });
  if (!read || read.size <= read.bytes.length) return read?.bytes;
  return (await files.readBytes(path, { length: read.size }))?.bytes;
}

/**
 * The earlier content of a large file, kept as the bytes that a write replaces: the bytes before and after them are in
 * the written file. The hash of the whole proves that the earlier content comes back to the byte.
 */
export type KeptPart = Extract<KeptFile, { readonly type: "part" }>;

/** A smaller file is kept whole. */
const MIN_FILE_BYTES = 64 * 1024;

/** Where `before` differs from `after`; undefined when it is better kept whole. */
export function replacedRange(
  before: Uint8Array,
  after: Uint8Array,
): Pick<KeptPart, "head" | "tail"> | undefined {
  if (before.length < MIN_FILE_BYTES) return undefined;
  const shorter = Math.min(before.length, after.length);
  const head = sharedBytes(shorter, (from, to) =>
    isEqual(before.subarray(from, to), after.subarray(from, to)),
  );
  const tail = sharedBytes(shorter - head, (from, to) =>
    isEqual(
      before.subarray(before.length - to, before.length - from),
      after.subarray(after.length - to, after.length - from),
    ),
  );
  return head + tail < before.length / 2 ? undefined : { head, tail };
}

/** The earlier content, from the current one; undefined when that is neither the written nor the earlier one. */
export function wholeAgain(
  { hash, head, tail }: KeptPart,
  replaced: Uint8Array,
  current: Uint8Array,
): Buffer | undefined {
  if (sha256(current) === hash) return Buffer.from(current);
  const whole = Buffer.concat([
    current.subarray(0, head),
    replaced,
    current.subarray(Math.max(head, current.length - tail)),
  ]);
  return sha256(whole) === hash ? whole : undefined;
}

/** The SHA-256 of a file's earlier content. Blobs are named by theirs. */
export function contentHash(before: KeptFile): string | undefined {
  return before.type === "file" ? before.blob : before.type === "part" ? before.hash : undefined;
}

export const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");

const isEqual = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

/** The number of bytes from 0 on that are equal, found in large pieces first. */
function sharedBytes(most: number, isShared: (from: number, to: number) => boolean): number {
  let shared = 0;
  for (let piece = 2 ** 20; piece >= 1; piece /= 2)
    while (shared + piece <= most && isShared(shared, shared + piece)) shared += piece;
  return shared;
}
