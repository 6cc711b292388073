/**
 * The folders that commands in a sandbox see as `~/.cache`: one for each workspace, and others for agents, which have a
 * network. In a folder that all of them share, a command of one project could read what builds of another left there, and
 * leave code that runs when the other one is built.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, symlinkSync, utimesSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

const UNUSED_MS = 30 * 24 * 3600 * 1000;

export class CacheFolders {
  readonly #place: string;
  readonly #home: string;
  readonly #opened = new Map<string, string>();

  constructor(place: string, home: string) {
    this.#place = place;
    this.#home = home;
    mkdirSync(place, { recursive: true, mode: 0o700 });
  }

  /** The folder for commands in this workspace; made when it is not there. */
  of(roots: readonly string[], isAgent: boolean): string {
    const key = JSON.stringify([isAgent, ...roots]);
    const known = this.#opened.get(key);
    if (known !== undefined && existsSync(known)) return known;
    // Not at the start, which would wait for a look at the cache of every project.
    if (this.#opened.size === 0) void this.#removeUnused().catch(() => undefined);
    const name = createHash("sha256").update(key).digest("hex").slice(0, 32);
    const folder = join(this.#place, name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const now = new Date();
    utimesSync(folder, now, now);
    this.#linkGradle(folder);
    this.#opened.set(key, folder);
    return folder;
  }

  async #removeUnused(): Promise<void> {
    for (const name of await readdir(this.#place)) {
      const path = join(this.#place, name);
      try {
        if (Date.now() - (await stat(path)).mtimeMs > UNUSED_MS)
          await rm(path, { recursive: true, force: true });
      } catch {
        // Another process removed it, or a command closed a folder in it: the next process tries again.
      }
    }
  }

  /** Gradle's wrapper looks for installed versions where Gradle writes: in the cache of the sandbox. */
  #linkGradle(folder: string): void {
    const installed = join(this.#home, ".gradle/wrapper");
    if (!existsSync(installed) || existsSync(join(folder, "gradle/wrapper"))) return;
    mkdirSync(join(folder, "gradle"), { recursive: true });
    symlinkSync(installed, join(folder, "gradle/wrapper"));
  }
}
