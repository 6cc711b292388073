/** Installs peers with their registries' ordinary clients, each into a folder of its own, once per version. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "./peer-home.js";
import { progress } from "./verdict.js";

/** A peer that could not be installed: why. */
export class NotInstalled extends Error {}

type Step = { readonly words: readonly [string, ...string[]]; readonly cwd?: string };

const INSTALL_MS = 15 * 60_000;

/** Installs once: a folder with the mark is complete, any other is made again. */
async function installed(name: string, steps: (folder: string) => readonly Step[]): Promise<string> {
  const folder = join(cacheFolder(), name.replaceAll(/[^\w.-]/g, "_"));
  const mark = join(folder, ".installed");
  if (existsSync(mark)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { words, cwd } of steps(folder)) {
    progress(`  installing ${name}: ${words.slice(0, 4).join(" ").replaceAll(folder, ".")} …`);
    await finished(words, cwd ?? folder);
  }
  writeFileSync(mark, "");
  return folder;
}

async function finished(words: readonly [string, ...string[]], cwd: string): Promise<string> {
  const [program, ...args] = words;
  const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"], timeout: INSTALL_MS });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const code = await new Promise<number | string>((resolve) => {
    child.once("error", ({ message }) => resolve(message));
    child.once("close", (status, signal) => resolve(status ?? signal ?? "no status"));
  });
  if (code === 0) return output;
  const last = (errors.trim() === "" ? output : errors).trim().split("\n").slice(-2).join(" ");
  throw new NotInstalled(`${words.slice(0, 3).join(" ")}: ${code}; ${last.slice(0, 300)}`);
}

/** An npm package, with its install script where it has one. Returns the folder of its package. */
export async function npmPackage(name: string, version: string): Promise<string> {
  const folder = await installed(`npm-${name}-${version}`, (at) => [
    { words: ["npm", "init", "-y"] },
    { words: ["npm", "install", "--prefix", at, "--save-exact", `${name}@${version}`] },
  ]);
  return join(folder, "node_modules", name);
}

/** Several peers need a newer Node than Toolgate: the folder with its program. */
export async function newerNode(): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  return join(await npmPackage(name, "24.21.0"), "bin");
}

/** A PyPI package in a virtual environment of its own. Returns the folder of its programs. */
export async function pythonPackage(name: string, version: string): Promise<string> {
  const python = await newestPython();
  const folder = await installed(`pypi-${name}-${version}`, (at) => [
    { words: [python, "-m", "venv", at] },
    { words: [join(at, "bin", "pip"), "install", "--quiet", `${name}==${version}`] },
  ]);
  return join(folder, "bin");
}

/** On the path, or among the versions of pyenv, whose commands on the path only work for the chosen version. */
async function newestPython(): Promise<string> {
  for (const name of ["python3.14", "python3.13", "python3.12", "python3.11", "python3"]) {
    const found = await finished(["pyenv", "whence", "--path", name], "/").catch(() => "");
    const program = found.split("\n")[0] || name;
    const version = await finished([program, "--version"], "/").catch(() => undefined);
    if (version !== undefined) return program;
  }
  throw new NotInstalled("There is no Python.");
}

/** A program of a Go module. Returns the program. */
export async function goProgram(module: string, version: string, path: string): Promise<string> {
  const folder = await installed(`go-${module}-${version}`, (at) => [
    { words: ["go", "mod", "init", "peer"] },
    { words: ["go", "get", `${module}@${version}`] },
    { words: ["go", "build", "-o", join(at, "program"), `${module}/${path}`] },
  ]);
  return join(folder, "program");
}

/** An example that a crate comes with. Returns the program. */
export async function crateExample(
  crate: string,
  version: string,
  example: string,
  features: string,
): Promise<string> {
  const target = await installed(`crate-${crate}-${version}`, () => [
    { words: ["cargo", "init", "--quiet", "--name", "peer"] },
    { words: ["cargo", "add", "--quiet", `${crate}@=${version}`] },
    { words: ["cargo", "fetch"] },
  ]);
  const metadata: unknown = JSON.parse(
    await finished(["cargo", "metadata", "--format-version", "1"], target),
  );
  const manifest = manifestOf(metadata, crate);
  const program = join(target, "target", "debug", "examples", example);
  if (!existsSync(program)) {
    progress(`  building ${crate} ${version}: ${example} …`);
    const words = ["cargo", "build", "--features", features, "--example", example] as const;
    await finished([...words, "--manifest-path", manifest, "--target-dir", join(target, "target")], target);
  }
  return program;
}

function manifestOf(metadata: unknown, crate: string): string {
  // Cargo's documented format.
  const { packages } = metadata as { packages: readonly { name: string; manifest_path: string }[] };
  const found = packages.find(({ name }) => name === crate);
  if (!found) throw new NotInstalled(`cargo metadata does not list ${crate}.`);
  return found.manifest_path;
}
