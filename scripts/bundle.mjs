// The command in few files. It is made of hundreds, and of a few packages made of many more; to open each of them takes
// a fresh process as long again as all else it does before it can be worked with (docs/decisions/0017). The library
// beside it stays as the compiler wrote it. Names are kept, so that an error still says where it comes from.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

/** Packages of many small files that every command loads. The others are found where npm has put them. */
const BUNDLED = ["commander", "unbash", "zod"];

const root = fileURLToPath(new URL("..", import.meta.url));
const at = (...parts) => join(root, ...parts);

const isOurs = (id) => id.startsWith(".") || id.startsWith("/") || /^[A-Za-z]:[\\/]/.test(id);
const isBundled = (id) => BUNDLED.some((name) => id === name || id.startsWith(`${name}/`));

const bundle = await rolldown({
  input: { main: at("dist", "cli", "main.js") },
  platform: "node",
  external: (id) => !isOurs(id) && !isBundled(id),
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
