#!/usr/bin/env node
/*
 * The `toolgate` program: runs `start.ts`, which `scripts/bundle.mjs` makes into chunks, with V8's code cache
 * (docs/decisions/0031). Only the built program runs this file.
 */
import { ChunkLoader } from "./chunk-loader.js";
import type { Packages } from "./chunk-loader.js";
import { CodeCache } from "./code-cache.js";
import type { start } from "./start.js";
import { codeCacheFolder } from "../tools/state-folder.js";

/** The bundler writes the packages of its chunks in place of this name. */
declare const PACKAGES: Packages;

const chunks = new ChunkLoader({
  folder: import.meta.dirname,
  packages: PACKAGES,
  cache: CodeCache.open(codeCacheFolder()),
});
// The bundler made the chunk from that file.
type StartModule = { readonly start: typeof start };
void chunks.load("start.cjs", []).then((loaded) => (loaded as StartModule).start());
