// Makes a fresh clone ready to run with only Node and npm there: install, then build.
// A step is skipped when its result is newer than its sources.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const at = (...parts) => join(root, ...parts);
const changed = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

const installed = at("node_modules", ".package-lock.json");
if (changed(installed) < changed(at("package-lock.json"))) {
  run("Installing", "npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
}

run("Packing", process.execPath, [at("scripts", "pack-programs.mjs")]);

const stamp = at("dist", ".built");
const sources = [
  "package.json",
  "tsconfig.json",
  "tsconfig.build.json",
  "scripts/bundle.mjs",
  "scripts/build-page.mjs",
].map((path) => at(path));
const newest = Math.max(newestIn(at("src")), newestIn(at("web")), ...[...sources, installed].map(changed));
if (changed(stamp) < newest) {
  // A removed source must not live on as a stale file in the package.
  rmSync(at("dist"), { recursive: true, force: true });
  run("Building", process.execPath, [
    at("node_modules", "typescript", "bin", "tsc"),
    "-p",
    "tsconfig.build.json",
  ]);
  run("Bundling the command", process.execPath, [at("scripts", "bundle.mjs")]);
  run("Bundling the page", process.execPath, [at("scripts", "build-page.mjs")]);
  writeFileSync(stamp, "");
}

function newestIn(folder) {
  // Tests are not built. A folder counts too: its time changes when a file is removed.
  const inside = readdirSync(folder, { withFileTypes: true, recursive: true }).filter(
    ({ name }) => !name.endsWith(".test.ts"),
  );
  return Math.max(...inside.map((entry) => changed(join(entry.parentPath, entry.name))));
}

function run(what, command, args) {
  if (what !== "Packing") process.stderr.write(`toolgate: ${what.toLowerCase()} …\n`);
  // npm is a shell script on Windows, which needs the shell to be found.
  const options = { cwd: root, stdio: ["ignore", 2, 2], shell: process.platform === "win32" };
  const { status, error } = spawnSync(command, args, options);
  if (status === 0) return;
  process.stderr.write(
    `toolgate: ${what} failed${error ? `: ${error.message}` : ""}. See the messages above; nothing was started.\n`,
  );
  process.exit(1);
}
