// Bundles the command into few files. Unbundled, it is hundreds of files and some packages of many more; opening them
// doubles the start-up time of a fresh process (docs/decisions/0017). The library beside it stays as the compiler wrote
// it. Names are kept, so that an error still says where it comes from.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

/** Packages of many small files that every command loads. The others are loaded from node_modules. */
const BUNDLED = ["commander", "unbash", "zod"];

/**
 * The chunks that `toolgate acp` loads to open a session, each with the imports that no earlier chunk has. Split as
 * finely as the imports allow, these would be forty files, and so many make Node's loader hot: V8 optimizes it, and the
 * compiler's pages stay in memory. No chunk should be much over 300 kB: malloc keeps the memory that parsing it needs.
 */
const CHUNKS = [
  { name: "hello", files: ["cli/acp.js"] },
  { name: "program", files: ["cli/run-command.js"] },
  { name: "shell", files: ["policy/shell/read-shell.js"] },
  { name: "policy", files: ["policy/index.js"] },
  { name: "tools", files: ["tools/index.js"] },
  { name: "session", files: ["cli/editor-host.js", "acp/agent/v1-door.js"] },
];

const root = fileURLToPath(new URL("..", import.meta.url));
const at = (...parts) => join(root, ...parts);

/** Large texts that the library has as well: the command loads the library's own file. */
const isShared = (id) => id.endsWith("/packed-programs.js");

const isOurs = (id) => id.startsWith(".") || id.startsWith("/") || /^[A-Za-z]:[\\/]/.test(id);
const isBundled = (id) => BUNDLED.some((name) => id === name || id.startsWith(`${name}/`));

/** Earlier chunks have priority: a module that two chunks import is in the earlier one. */
function chunkOf({ name, files }, index) {
  const ids = new Set(files.map((file) => at("dist", ...file.split("/"))));
  return { name, test: (id) => ids.has(id), priority: CHUNKS.length - index };
}

const bundle = await rolldown({
  input: { main: at("dist", "cli", "main.js") },
  platform: "node",
  external: (id) => isShared(id) || (!isOurs(id) && !isBundled(id)),
});
// In place of the files it was made from, where the package's own paths lead as before.
const made = at("dist", "cli.new");
await bundle.write({
  dir: made,
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "[name]-[hash].js",
  // V8 keeps a source in two bytes a character as soon as one of them is not Latin-1: an ellipsis doubles a file.
  charset: "ascii",
  codeSplitting: { groups: CHUNKS.map(chunkOf) },
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
});
await bundle.close();
writeFileSync(join(made, "LICENSES.txt"), BUNDLED.map(licence).join("\n"));
rmSync(at("dist", "cli"), { recursive: true });
renameSync(made, at("dist", "cli"));

function licence(name) {
  const text = readFileSync(at("node_modules", name, "LICENSE"), "utf8");
  return `${name}, which parts of these files are:\n\n${text.trim()}\n`;
}
