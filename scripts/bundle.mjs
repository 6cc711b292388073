// Bundles the command into few files. Unbundled, it is hundreds of files and some packages of many more; opening them
// doubles the start-up time of a fresh process (docs/decisions/0017). The library beside it stays as the compiler wrote
// it. Names are kept, so that an error still says where it comes from.
//
// The result is `main.js`, which loads the rest, and chunks for it, whose code V8 can cache (docs/decisions/0031). All of
// them are CommonJS: an ES module that imports a module of Node's makes Node load the lazy parts of that module too.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";
import { rolldown } from "rolldown";

/** Packages that every agent command loads: most of them are many small files. The others are loaded from node_modules. */
const BUNDLED = ["@ai-sdk/provider", "commander", "unbash", "zod"];

/** Packages that have a CommonJS build too and that every session loads: Node's loader of ES modules costs more than they do. */
const REQUIRED = new Set(["@photostructure/sqlite"]);

/**
 * The chunks that `toolgate acp` loads to open a session, each with the imports that no earlier chunk has. Split as
 * finely as the imports allow, these would be forty files, and so many make Node's loader hot: V8 optimizes it, and the
 * compiler's pages stay in memory. No chunk should be much over 300 kB: malloc keeps the memory that parsing it needs.
 */
const CHUNKS = [
  { name: "hello", files: ["cli/acp.js"] },
  { name: "program", files: ["cli/run-command.js"] },
  { name: "programs", files: ["policy/programs/packed-programs.js"] },
  { name: "shell", files: ["policy/shell/read-shell.js"] },
  { name: "policy", files: ["policy/index.js"] },
  {
    name: "schemas",
    files: [
      "settings/rules-schema.js",
      "settings/programs-schema.js",
      "settings/grant-file.js",
      "mcp/mcp-config-from-acp.js",
      "model/script.js",
    ],
  },
  { name: "tools", files: ["tools/index.js"] },
  { name: "session", files: ["cli/open-editor-host.js", "acp/agent/v1-sessions.js"] },
];

const root = fileURLToPath(new URL("..", import.meta.url));
const at = (...parts) => join(root, ...parts);

const isOurs = (id) => id.startsWith(".") || id.startsWith("/") || /^[A-Za-z]:[\\/]/.test(id);
const isBundled = (id) => BUNDLED.some((name) => id === name || id.startsWith(`${name}/`));

/** Earlier chunks have priority: a module that two chunks import is in the earlier one. */
function chunkOf({ name, files }, index) {
  const ids = new Set(files.map((file) => at("dist", ...file.split("/"))));
  return { name, test: (id) => ids.has(id), priority: CHUNKS.length - index };
}

const OUTPUT = {
  // V8 keeps a source in two bytes a character as soon as one of them is not Latin-1: an ellipsis doubles a file.
  charset: "ascii",
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
};

const bundled = (name) =>
  rolldown({
    input: { [name]: at("dist", "cli", `${name}.js`) },
    platform: "node",
    external: (id) => !isOurs(id) && !isBundled(id),
  });

// In place of the files it was made from, where the package's own paths lead as before.
const made = at("dist", "cli.new");
mkdirSync(made, { recursive: true });
const program = await bundled("start");
const { output } = await program.generate({
  ...OUTPUT,
  format: "cjs",
  entryFileNames: "[name].cjs",
  chunkFileNames: "[name]-[hash].cjs",
  codeSplitting: { groups: CHUNKS.map(chunkOf) },
});
await program.close();
const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]));
const packages = new Set();
for (const [name, { code }] of chunks) writeFileSync(join(made, name), asFunction(name, code));

const launcher = await bundled("main");
const { output: main } = await launcher.generate({ ...OUTPUT, format: "cjs" });
await launcher.close();
const imports = [...packages].map((id) => {
  const name = JSON.stringify(id);
  return `${name}:${REQUIRED.has(id) ? `async()=>require(${name})` : `()=>import(${name})`}`;
});
writeFileSync(
  join(made, "main.js"),
  main[0].code.replace(/\bPACKAGES\b/, () => `{${imports.join(",")}}`),
);
writeFileSync(join(made, "package.json"), '{ "type": "commonjs" }\n');
writeFileSync(join(made, "LICENSES.txt"), BUNDLED.map(licence).join("\n"));
rmSync(at("dist", "cli"), { recursive: true });
renameSync(made, at("dist", "cli"));

/** The chunk as a function expression; src/cli/chunk-loader.ts has its parameters. A script has no `import()`. */
function asFunction(name, code) {
  const loads = code.replace(
    /\bPromise\.resolve\(\)\.then\(\(\)=>require\("\.\/([^"]+)"\)\)/g,
    (_, chunk) => `__load("./${chunk}",${JSON.stringify([...packagesOf(chunk)])})`,
  );
  const { module, errors } = parseSync(`${name}.mjs`, loads);
  if (errors.length > 0) throw new Error(`${name}: ${errors[0].message}`);
  let text = loads;
  for (const { start, moduleRequest } of module.dynamicImports.toReversed()) {
    packages.add(loads.slice(moduleRequest.start + 1, moduleRequest.end - 1));
    text = `${text.slice(0, start)}__import${text.slice(start + "import".length)}`;
  }
  for (const id of packagesOf(name)) packages.add(id);
  return `(function(exports,require,module,__filename,__dirname,__import,__load,__late){"use strict";${withLateRequires(name, text)}\n})`;
}

/**
 * A chunk, or a module of Node's, is run when one of its exports is first used. So a session that is only open has
 * neither read a shell command nor checked a file against a schema.
 */
function withLateRequires(name, code) {
  const required = [...code.matchAll(/\b(?:const|let) (\w+)=require\("((?:\.\/|node:)[^"]+)"\);/g)];
  let text = code;
  for (const [declaration, variable, id] of required) {
    const uses = new RegExp(`(?<![\\w$]|[^.]\\.)${variable}(?![\\w$])(.)`, "g");
    const others = text.replace(declaration, "");
    if ([...others.matchAll(uses)].some(([, next]) => next !== ".")) continue;
    text = `const ${variable}=__late(${JSON.stringify(id)});${others.replace(uses, `(${variable}())$1`)}`;
  }
  const { errors } = parseSync(`${name}.cjs`, text);
  if (errors.length > 0) throw new Error(`${name}: ${errors[0].message}`);
  return text;
}

/** The packages that a chunk, and the chunks that it requires, import statically. */
function packagesOf(name, seen = new Set([name])) {
  const found = new Set();
  for (const id of chunks.get(name).imports) {
    if (!chunks.has(id)) {
      if (!isBuiltin(id)) found.add(id);
    } else if (!seen.has(id)) {
      seen.add(id);
      for (const one of packagesOf(id, seen)) found.add(one);
    }
  }
  return found;
}

function licence(name) {
  const text = readFileSync(at("node_modules", name, "LICENSE"), "utf8");
  return `${name}, which parts of these files are:\n\n${text.trim()}\n`;
}
