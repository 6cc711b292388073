// Builds the page: web/ becomes dist/web, which `toolgate serve` serves. Every file but index.html has the hash of its
// content in its name, so a browser may keep it. No script or style stands in the HTML: the page's CSP forbids both.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

/** Packages of which parts are in the built files. */
const BUNDLED = [
  "preact",
  "virtua",
  "marked",
  "@shikijs/core",
  "@shikijs/engine-javascript",
  "@shikijs/langs",
];
/** In this order: later files override earlier ones. */
const STYLES = [
  "tokens",
  "base",
  "controls",
  "shell",
  "inbox",
  "code",
  "session",
  "tables",
  "charts",
  "narrow",
];

const root = fileURLToPath(new URL("..", import.meta.url));
const at = (...parts) => join(root, ...parts);
const made = at("dist", "web");
const assets = join(made, "assets");

rmSync(made, { recursive: true, force: true });
mkdirSync(assets, { recursive: true });

const worker = await bundle("highlight", { input: { highlight: at("web", "code", "highlight-worker.ts") } });
const page = await bundle("page", {
  input: { page: at("web", "main.tsx") },
  transform: { define: { HIGHLIGHT_WORKER: JSON.stringify(`/assets/${worker}`) } },
});
// At the root, because a service worker only serves addresses below its own; so its name must not change.
await bundle("push-worker", {
  input: { "push-worker": at("web", "push-worker.ts") },
  to: made,
  isWorker: true,
});
const style = writeHashed("page", "css", STYLES.map(readStyle).join("\n"));
const icon = writeHashed("icon", "svg", readFileSync(at("web", "icon.svg"), "utf8"));
const html = readFileSync(at("web", "index.html"), "utf8")
  .replace("PAGE_SCRIPT", `/assets/${page}`)
  .replace("PAGE_STYLE", `/assets/${style}`)
  .replace("PAGE_ICON", `/assets/${icon}`);
writeFileSync(join(made, "index.html"), html);
writeFileSync(join(made, "LICENSES.txt"), BUNDLED.map(licence).join("\n"));

/** Writes the bundle's files and returns the name of its entry. */
async function bundle(name, { input, transform = {}, to = assets, isWorker = false }) {
  const build = await rolldown({
    input,
    platform: "browser",
    tsconfig: at("web", "tsconfig.json"),
    resolve: { alias: { react: "preact/compat", "react-dom": "preact/compat" } },
    transform: { define: { "process.env.NODE_ENV": '"production"', ...transform.define } },
    // React's directive for servers, in a package that runs in the browser here.
    onLog: (level, log, report) => void (log.code === "MODULE_LEVEL_DIRECTIVE" || report(level, log)),
  });
  const { output } = await build.write({
    dir: to,
    format: isWorker ? "iife" : "esm",
    minify: true,
    entryFileNames: isWorker ? "[name].js" : "[name]-[hash].js",
    chunkFileNames: "[name]-[hash].js",
  });
  await build.close();
  return output.find((chunk) => chunk.isEntry && chunk.name === Object.keys(input)[0])?.fileName ?? name;
}

function readStyle(name) {
  return readFileSync(at("web", "style", `${name}.css`), "utf8")
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/\s*\n\s*/g, "\n")
    .trim();
}

function writeHashed(name, ending, text) {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 8);
  const file = `${name}-${hash}.${ending}`;
  writeFileSync(join(assets, file), text);
  return file;
}

function licence(name) {
  const folder = at("node_modules", name);
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  return `${name}, which parts of these files are:\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}
