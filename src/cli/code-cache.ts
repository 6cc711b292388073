/**
 * V8's compiled code of the program's chunks, kept between starts.
 *
 * Invariants: a cached file is used only when its hash covers the chunk's current text and the code behind it, so no
 * changed, damaged or truncated file runs (V8 checks its own version and flags, and of the text only the length); folder
 * and file belong to this user and nobody else may write or read them; a cache that cannot be used or written changes
 * nothing but the time that a start takes.
 */
import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import type { Stats } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";

const HASH_BYTES = 32;
/** By then a session is open, so its code is compiled. A process that an editor kills later has saved its code. */
const SAVE_AFTER_MS = 2_000;

type Compiled = { readonly script: Script; readonly source: string };

export class CodeCache {
  readonly #folder: string;
  readonly #userId: number;
  /** Compiled in this process, by the names of their files. */
  readonly #unsaved = new Map<string, Compiled>();
  readonly #saveAll = (): void => this.save();

  private constructor(folder: string, userId: number) {
    this.#folder = folder;
    this.#userId = userId;
  }

  /** Undefined where nothing can be cached. The folder is made, its parent is not. */
  static open(folder: string): CodeCache | undefined {
    // Without user ids nobody can tell whose file it is.
    const userId = process.getuid?.();
    if (userId === undefined || process.env["NODE_DISABLE_COMPILE_CACHE"] !== undefined) return undefined;
    try {
      const stats = lstatSync(folder, { throwIfNoEntry: false }) ?? createdFolder(folder);
      return stats.isDirectory() && isPrivate(stats, userId) ? new CodeCache(folder, userId) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Compiles the chunk, from the cache where it has this very text. */
  script(name: string, source: string, filename: string): Script {
    const cachedData = this.#read(name, source);
    const script = new Script(source, { filename, ...(cachedData && { cachedData }) });
    if (!cachedData || script.cachedDataRejected === true) this.#saveLater(name, { script, source });
    return script;
  }

  /** Saves the code that this process compiled. */
  save(): void {
    process.removeListener("exit", this.#saveAll);
    for (const [name, { script, source }] of this.#unsaved) {
      const file = this.#file(name);
      const written = `${file}.${process.pid}`;
      try {
        const code = script.createCachedData();
        writeFileSync(written, Buffer.concat([hashOf(source, code), code]), { mode: 0o600, flag: "wx" });
        renameSync(written, file);
      } catch {
        rmSync(written, { force: true });
      }
    }
    this.#unsaved.clear();
  }

  #saveLater(name: string, compiled: Compiled): void {
    if (this.#unsaved.size === 0) {
      setTimeout(this.#saveAll, SAVE_AFTER_MS).unref();
      process.once("exit", this.#saveAll);
    }
    this.#unsaved.set(name, compiled);
  }

  #read(name: string, source: string): Buffer | undefined {
    try {
      const file = openSync(this.#file(name), constants.O_RDONLY | constants.O_NOFOLLOW);
      try {
        const stats = fstatSync(file);
        if (!stats.isFile() || !isPrivate(stats, this.#userId)) return undefined;
        const bytes = readFileSync(file);
        const code = bytes.subarray(HASH_BYTES);
        return hashOf(source, code).equals(bytes.subarray(0, HASH_BYTES)) ? code : undefined;
      } finally {
        closeSync(file);
      }
    } catch {
      return undefined;
    }
  }

  /** The one file of all versions of a chunk: a new version replaces the old one's. */
  #file(name: string): string {
    return join(this.#folder, `${name.replace(/-[\w-]{8}\.cjs$/, "")}.code`);
  }
}

function createdFolder(folder: string): Stats {
  mkdirSync(folder, { mode: 0o700 });
  return lstatSync(folder);
}

const isPrivate = ({ uid, mode }: Stats, userId: number): boolean => uid === userId && (mode & 0o077) === 0;

const hashOf = (source: string, code: Buffer): Buffer =>
  createHash("sha256").update(source, "latin1").update(code).digest();
