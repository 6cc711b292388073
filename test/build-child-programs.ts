/**
 * Vitest's global set-up: bundles the programs that tests start, from the sources, when something changed since. Not
 * bundled, such a program is hundreds of files, and loading them costs more CPU time than most of the programs' work.
 */
import { existsSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { changedAt, pathsIn } from "./changed-files.js";
import { CHILD_PROGRAMS, root } from "./child-programs.js";

/** Packages with parts that cannot be in a bundle. */
const NATIVE = /^(@(photostructure\/sqlite|lydell\/node-pty|vscode\/ripgrep)|pg$)/;

/** Rooms that the tests' inline programs load, and a server that is slow to load. */
const FURTHER = {
  history: "src/history/index.ts",
  settings: "src/settings/index.ts",
  "mcp-everything": "node_modules/@modelcontextprotocol/server-everything/dist/index.js",
};

export default async function buildChildPrograms(): Promise<void> {
  const stamp = join(CHILD_PROGRAMS, ".built");
  const sources = [
    ...pathsIn(join(root, "src")).filter((path) => !path.endsWith(".test.ts")),
    ...pathsIn(join(root, "test", "children")),
    join(root, "node_modules", ".package-lock.json"),
    fileURLToPath(import.meta.url),
  ];
  if (existsSync(stamp) && Math.max(...sources.map(changedAt)) < changedAt(stamp)) return;
  const startedAt = new Date();
  const children = join(root, "test", "children");
  const own = readdirSync(children).filter((name) => name.endsWith(".mjs"));
  const bundle = await rolldown({
    cwd: root,
    input: {
      ...FURTHER,
      ...Object.fromEntries(own.map((name) => [basename(name, ".mjs"), join(children, name)])),
    },
    platform: "node",
    external: NATIVE,
  });
  // Beside the old ones, which another run may be using.
  const made = `${CHILD_PROGRAMS}.${process.pid}`;
  await bundle.write({
    dir: made,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name]-[hash].mjs",
  });
  await bundle.close();
  // A source that changed meanwhile may not be in it.
  const newStamp = join(made, ".built");
  writeFileSync(newStamp, "");
  utimesSync(newStamp, startedAt, startedAt);
  const old = `${made}.old`;
  if (existsSync(CHILD_PROGRAMS)) renameSync(CHILD_PROGRAMS, old);
  renameSync(made, CHILD_PROGRAMS);
  rmSync(old, { recursive: true, force: true });
}
