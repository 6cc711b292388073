/**
 * A folder on this machine.
 *
 * What must stay true here: no path leads out of the folder, whatever its spelling and whatever links
 * lie in it; a file is replaced whole or not at all. Links may change between a check and an act, so files
 * are opened without following and their way is checked again. That narrows the gap and does not close it:
 * against another program that races us on purpose, only a sandbox helps. Commands are not held inside.
 */
import { randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { access, type FileHandle, lstat, mkdir, open, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { commandEnvironment } from "./command-environment.js";
import { errorCode } from "./error-code.js";
import { isInside, realPathOf } from "./real-path.js";
import { runCommand } from "./run-command.js";
import { ToolFailure } from "./tool.js";
import type { CommandExit, Workspace } from "./workspace.js";

const MAX_TEXT_BYTES = 10 * 1024 * 1024;
const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY, W_OK } = constants;

export class LocalWorkspace implements Workspace {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  static async open(root: string): Promise<LocalWorkspace> {
    try {
      const real = await realpath(root);
      if ((await stat(real)).isDirectory()) return new LocalWorkspace(real);
    } catch (error) {
      throw new NotAFolder(resolve(root), errorCode(error) ?? String(error));
    }
    throw new NotAFolder(resolve(root), "it is a file");
  }

  async resolve(path: string): Promise<string> {
    // Node would write a lone surrogate as another character: the path decided on were not the one used.
    if (/[\0\p{Surrogate}]/u.test(path))
      throw new ToolFailure(
        `${JSON.stringify(path)} holds a character that no path can have. Nothing was read or written. Spell the path without it.`,
      );
    const real = await this.#follow(path);
    if (isInside(this.root, real)) return real;
    throw new ToolFailure(
      `"${path}" leads to ${real}, outside of the workspace ${this.root}. Nothing was read or written. Use a path inside the workspace.`,
    );
  }

  async readText(realPath: string): Promise<string | undefined> {
    await this.#mustStillLead(realPath);
    // Without O_NONBLOCK a named pipe would keep us waiting for someone to write to it.
    const file = await openIfThere(realPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (!file) return undefined;
    try {
      await this.#mustStillLead(realPath);
      mustBeFile(realPath, await file.stat(), "Nothing was read.");
      return textOf(realPath, await firstBytes(file));
    } finally {
      await file.close();
    }
  }

  async writeText(realPath: string, text: string): Promise<void> {
    await this.#mustStillLead(realPath);
    const folder = dirname(realPath);
    const temporary = join(folder, `.toolgate-${randomBytes(8).toString("hex")}.tmp`);
    try {
      await mkdir(folder, { recursive: true });
      await this.#mustStillLead(temporary);
      await writeWhole(temporary, text, await modeToKeep(realPath));
      await this.#mustStillLead(realPath);
      await rename(temporary, realPath);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error instanceof ToolFailure ? error : notWritten(realPath, error);
    }
    await syncFolder(folder);
  }

  /** The command gets our environment without what looks like a secret: see command-environment.ts. */
  async runCommand(
    command: string,
    options: { readonly signal: AbortSignal; readonly onOutput: (text: string) => void },
  ): Promise<CommandExit> {
    return runCommand(command, { ...options, cwd: this.root, env: commandEnvironment(process.env) });
  }

  async #follow(path: string): Promise<string> {
    try {
      // Not `join`: it would take `link/..` out by name.
      return await realPathOf(path.startsWith("/") ? path : `${this.root}/${path}`);
    } catch (error) {
      const code = errorCode(error) ?? String(error);
      throw new ToolFailure(
        `"${path}" cannot be followed: ${OBSTACLES.get(code) ?? code}. Nothing was read or written. Check the path.`,
      );
    }
  }

  async #mustStillLead(realPath: string): Promise<void> {
    const now = await this.resolve(realPath);
    if (now === realPath) return;
    throw new ToolFailure(
      `${realPath} leads to ${now} now: a link was put in its way. Nothing was read or written. Resolve the path again.`,
    );
  }
}

export class NotAFolder extends Error {
  readonly code = "NOT_A_FOLDER";

  constructor(path: string, why: string) {
    super(
      `${path} is not a folder (${why}). No workspace was opened. Give the path of a folder that exists.`,
    );
    this.name = "NotAFolder";
  }
}

const OBSTACLES: ReadonlyMap<string, string> = new Map([
  ["ENOTDIR", "a file stands where it needs a folder"],
  ["ELOOP", "its links lead in a circle"],
  ["EACCES", "a folder on its way may not be entered"],
  ["ENAMETOOLONG", "it is too long"],
]);

async function openIfThere(path: string, flags: number): Promise<FileHandle | undefined> {
  try {
    return await open(path, flags);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw new ToolFailure(`${path} cannot be read (${errorCode(error) ?? String(error)}). Nothing was read.`);
  }
}

function mustBeFile(path: string, stats: Stats, didNot: string): void {
  if (stats.isFile()) return;
  const what = stats.isDirectory() ? "a folder" : "a device, pipe or socket";
  throw new ToolFailure(`${path} is ${what}, not a file. ${didNot} Give the path of a file.`);
}

/** At most one byte more than a text may have: the file may grow while it is read. */
async function firstBytes(file: FileHandle): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const stream = file.createReadStream({ autoClose: false, end: MAX_TEXT_BYTES, highWaterMark: 1024 * 1024 });
  for await (const chunk of stream) chunks.push(chunk as Buffer); // no encoding is set, so it is one
  return Buffer.concat(chunks);
}

function textOf(path: string, bytes: Buffer): string {
  const why =
    bytes.length > MAX_TEXT_BYTES
      ? "it is larger than 10 MB"
      : bytes.includes(0)
        ? "it has NUL bytes"
        : undefined;
  if (why !== undefined) throw notText(path, why);
  try {
    // The byte order mark stays: what is written back must be what was there.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw notText(path, "it is not valid UTF-8");
  }
}

function notText(path: string, why: string): ToolFailure {
  return new ToolFailure(
    `${path} cannot be read as text: ${why}. Nothing was read. Look at it with a command made for such files.`,
  );
}

/** The mode of the file that is replaced; undefined for a new one. */
async function modeToKeep(path: string): Promise<number | undefined> {
  try {
    const old = await lstat(path);
    mustBeFile(path, old, "Nothing was written.");
    // A rename asks only the folder, but a file that is read-only was meant to be.
    await access(path, W_OK);
    return old.mode & 0o7777;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function writeWhole(path: string, text: string, mode: number | undefined): Promise<void> {
  // Until it has the mode of the file it replaces, nobody else may read it.
  const file = await open(path, "wx", mode === undefined ? 0o666 : 0o600);
  try {
    if (mode !== undefined) await file.chmod(mode);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** So that the new name outlives a power cut. The file is in place already: what fails here undoes nothing. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, O_RDONLY).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

function notWritten(path: string, error: unknown): ToolFailure {
  const code = errorCode(error) ?? String(error);
  return new ToolFailure(
    `${path} cannot be written (${code}). It was not changed. Check its permissions and the disk.`,
  );
}
