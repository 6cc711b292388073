/**
 * The sources as plain JavaScript, for a whole run of the tests. Node loads them by itself: Vitest would transform each of
 * the 1,100 modules, and every worker would compile it with its source map, which took a quarter of a run's CPU time.
 *
 * Only modules whose source changed are written again, before the tests. A run that watches its files does not use them.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { transformSync } from "rolldown/utils";
import type { Plugin } from "vitest/config";
import { changedAt, pathsIn } from "./changed-files.js";
import { root } from "./child-programs.js";

const SOURCES = join(root, "src");

/** As deep as `src`, so that the paths in the modules lead to the same files. */
const PLAIN = join(root, ".plain-sources");

/** Files that only tests import: Vitest loads them itself. */
const OF_TESTS = /\.(?:test|samples|contract)\.ts$/;

/** Resolves an import of a source to its plain module. */
export const plainSources: Plugin = {
  name: "plain-sources",
  enforce: "pre",
  resolveId(name, importer) {
    const path = importer !== undefined && name.startsWith(".") ? resolve(dirname(importer), name) : name;
    const source = path.replace(/\.js$/, ".ts");
    if (!source.startsWith(`${SOURCES}/`) || OF_TESTS.test(source) || !existsSync(source)) return undefined;
    return { id: plainPath(source), external: true };
  },
};

/** Vitest must not transform these. */
export const PLAIN_MODULES = /\/\.plain-sources\/.*\.js$/;

/** Vitest's global set-up. */
export default function writePlainSources(): void {
  const sources = pathsIn(SOURCES).filter((path) => path.endsWith(".ts") && !OF_TESTS.test(path));
  const current = new Set(sources.map(plainPath));
  for (const path of pathsIn(PLAIN)) if (path.endsWith(".js") && !current.has(path)) rmSync(path);
  for (const source of sources) {
    const plain = plainPath(source);
    if (changedAt(plain) > changedAt(source)) continue;
    mkdirSync(dirname(plain), { recursive: true });
    writeFileSync(plain, plainText(source));
  }
}

function plainText(source: string): string {
  const { code, errors } = transformSync(source, readFileSync(source, "utf8"), {
    typescript: { onlyRemoveTypeImports: true },
  });
  const [error] = errors;
  if (error) throw new Error(`${source} cannot be read: ${error.message}. No test was run.`);
  return code;
}

const plainPath = (source: string): string => join(PLAIN, relative(SOURCES, source)).replace(/\.ts$/, ".js");
