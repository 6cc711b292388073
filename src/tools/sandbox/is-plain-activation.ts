/**
 * Whether a new `activate` of a Python environment is exactly what `python -m venv` makes of the template that came with
 * an installed Python. People source the file, so it is protected; this one only puts its own folder on the search path.
 */
import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileText } from "../file-text.js";
import { pathInfo } from "../path-info.js";

/** Folders that no command can write; a star is any name. */
const PYTHONS = [
  "/usr/lib",
  "/usr/local/lib",
  ...[
    ".pyenv/versions/*/lib",
    ".local/share/uv/python/*/lib",
    ".asdf/installs/python/*/lib",
    ".local/share/mise/installs/python/*/lib",
  ].map((folder) => `~/${folder}`),
].map((folder) => `${folder}/python3*/venv/scripts/*`);

const NAMES = new Set(["activate", "activate.csh", "activate.fish", "Activate.ps1"]);
const MAX_BYTES = 1 << 16;

export function isPlainActivation(path: string): boolean {
  const [name, folder] = [basename(path), dirname(path)];
  const environment = dirname(folder);
  // Names without a meaning to any shell.
  if (!NAMES.has(name) || basename(folder) !== "bin" || !/^[\w./@+-]+$/.test(environment)) return false;
  const info = pathInfo(path);
  if (info?.isFile() !== true || info.nlink > 1) return false;
  const text = fileText(path, { maxBytes: MAX_BYTES });
  return (
    text !== undefined && [...templates(name)].some((template) => isMadeFrom(template, text, environment))
  );
}

function* templates(name: string): Generator<string> {
  for (const pattern of PYTHONS)
    for (const folder of foldersOf(pattern)) {
      const text = fileText(join(folder, name), { maxBytes: MAX_BYTES });
      if (text !== undefined) yield text;
    }
}

function foldersOf(pattern: string): readonly string[] {
  let found = [pattern.startsWith("~") ? homedir() : "/"];
  for (const part of pattern.split("/").slice(1)) {
    const isMeant = (name: string): boolean =>
      part.endsWith("*") ? name.startsWith(part.slice(0, -1)) : name === part;
    found = found.flatMap((folder) =>
      part.includes("*")
        ? namesIn(folder)
            .filter(isMeant)
            .map((name) => join(folder, name))
        : [join(folder, part)],
    );
  }
  return found;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The words that stand for something, and what may stand there. */
const PLACEHOLDER = /(__VENV_(?:DIR|NAME|BIN_NAME|PROMPT|PYTHON)__)/;

function isMadeFrom(template: string, text: string, environment: string): boolean {
  const values: { readonly [word: string]: string } = {
    __VENV_DIR__: escaped(environment),
    __VENV_PYTHON__: escaped(`${environment}/bin/`) + String.raw`python[\d.]*`,
    __VENV_BIN_NAME__: "bin",
    __VENV_NAME__: String.raw`[\w.-]+`,
    __VENV_PROMPT__: String.raw`[\w.-]+|\([\w.-]+\) `,
  };
  const pattern = template
    .split(PLACEHOLDER)
    .map((part) => {
      const value = values[part];
      return value === undefined ? escaped(part) : `(?:'(?:${value})'|${value})`;
    })
    .join("");
  return new RegExp(`^${pattern}$`).test(text);
}

const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}/-]/g, String.raw`\$&`);
