/**
 * Runs the chunks of the bundled program. A chunk is a CommonJS module whose text is one function expression. Chunks
 * import packages as ES modules, as the unbundled files do: `load` imports the packages that a chunk needs, then runs it.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";
import type { CodeCache } from "./code-cache.js";

type ChunkModule = { exports: unknown };

/** The function that a chunk's text evaluates to. The parameters' names are those of scripts/bundle.mjs. */
type Chunk = (
  exports: unknown,
  require: (id: string) => unknown,
  module: ChunkModule,
  __filename: string,
  __dirname: string,
  __import: (id: string) => Promise<unknown>,
  __load: (chunk: string, packages: readonly string[]) => Promise<unknown>,
  __late: (id: string) => () => unknown,
) => void;

/** Imports each package that a chunk uses, by its name. */
export type Packages = { readonly [id: string]: () => Promise<unknown> };

export type ChunkLoaderOptions = {
  readonly folder: string;
  readonly packages: Packages;
  readonly cache: CodeCache | undefined;
};

export class ChunkLoader {
  readonly #folder: string;
  readonly #packages: Packages;
  readonly #cache: CodeCache | undefined;
  readonly #modules = new Map<string, ChunkModule>();
  readonly #imported = new Map<string, unknown>();
  readonly #require: (id: string) => unknown;

  constructor({ folder, packages, cache }: ChunkLoaderOptions) {
    this.#folder = folder;
    this.#packages = packages;
    this.#cache = cache;
    const builtIn = createRequire(import.meta.url);
    this.#require = (id) =>
      id.startsWith("./") ? this.#run(id.slice(2)) : (this.#imported.get(id) ?? builtIn(id));
  }

  /** A module that is run at the first call. */
  readonly #late = (id: string): (() => unknown) => {
    let exports: unknown;
    return () => (exports ??= this.#require(id));
  };

  /** `packages`: those that the chunk, and the chunks that it requires, import statically. */
  async load(chunk: string, packages: readonly string[]): Promise<unknown> {
    for (const id of packages) if (!this.#imported.has(id)) this.#imported.set(id, await this.#import(id));
    return this.#run(chunk);
  }

  async #import(id: string): Promise<unknown> {
    return this.#packages[id]?.();
  }

  #run(name: string): unknown {
    const known = this.#modules.get(name);
    if (known) return known.exports;
    const module: ChunkModule = { exports: {} };
    this.#modules.set(name, module);
    const filename = join(this.#folder, name);
    // The bundler writes ASCII: V8 keeps such a text in one byte a character.
    const source = readFileSync(filename, "latin1");
    const script = this.#cache?.script(name, source, filename) ?? new Script(source, { filename });
    // The bundler made the text of this type.
    const run = script.runInThisContext() as Chunk;
    run(
      module.exports,
      this.#require,
      module,
      filename,
      this.#folder,
      (id) => this.#import(id),
      (chunk, packages) => this.load(chunk.slice(2), packages),
      this.#late,
    );
    return module.exports;
  }
}
