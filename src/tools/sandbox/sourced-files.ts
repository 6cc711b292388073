/**
 * Files that `.envrc` reads or starts. A person allows an `.envrc` by its content; then direnv runs it at every change into
 * the folder, with all that it names, also after these were changed.
 */
import { dirname, resolve } from "node:path";
import { isWithin } from "../../call/absolute-path.js";
import { fileText } from "../file-text.js";
import { moduleFiles } from "./module-files.js";
import { pathInfo } from "../path-info.js";

const MAX_FILES = 20;
const MAX_BYTES = 1 << 16;
/** Commands within commands. */
const MAX_DEPTH = 5;

/** Whether they are there or not. Folders are left out: an `.envrc` in one is protected by its name. */
export function sourcedFiles(file: string, roots: readonly string[]): readonly string[] {
  const found = new Set<string>([file]);
  for (const one of found) {
    if (found.size > MAX_FILES) break;
    for (const word of sourcedWords(fileText(one, { maxBytes: MAX_BYTES }) ?? ""))
      for (const folder of new Set([dirname(file), dirname(one)])) {
        const path = resolve(folder, word);
        const isInside = roots.some((root) => path !== root && isWithin(path, root));
        if (isInside && !roots.some((root) => isWithin(root, path)) && !pathInfo(path)?.isDirectory())
          found.add(path);
      }
  }
  found.delete(file);
  return [...found];
}

/** The folders that it puts on the search path. */
export function addedToSearchPath(file: string): readonly string[] {
  const text = fileText(file, { maxBytes: MAX_BYTES }) ?? "";
  return commandsIn(text).flatMap((command) => {
    const [name = "", ...rest] = command.split(/\s+/).filter((word) => word !== "");
    if (/^(?:PATH_add|path_add)$/.test(name)) return rest.flatMap(pathsIn);
    if (name === "load_prefix") return rest.flatMap(pathsIn).map((folder) => `${folder}/bin`);
    const layout = /^layout(?:_(?<kind>\w+))?$/.exec(name)?.groups;
    if (layout) return LAYOUTS.get(layout["kind"] ?? rest[0] ?? "") ?? [];
    const values = [name, ...rest].flatMap(
      (word) => /^PATH\+?=(?<value>.+)$/.exec(word)?.groups?.["value"] ?? [],
    );
    return values.flatMap((value) => value.split(":")).flatMap(pathsIn);
  });
}

/** The folders of the project that direnv's own layouts put on the search path. */
const LAYOUTS = new Map([
  ["go", ["bin"]],
  ["php", ["vendor/bin"]],
]);

/** A rough reading: a word too many is a file that commands cannot write. */
function sourcedWords(text: string): readonly string[] {
  const commands = commandsIn(text).flatMap((command) => {
    const words = command.split(/\s+/).filter((word) => word !== "");
    const first = words.findIndex((word) => !BEFORE.test(word));
    const [name = "", ...rest] = words.slice(Math.max(first, 0));
    if (name === "use") return EVALUATED.get(rest[0] ?? "") ?? [];
    if (EVALUATED.has(name)) return EVALUATED.get(name) ?? [];
    const named = SOURCING.test(name) ? rest : STARTING.test(name) ? startedBy(name, rest) : [];
    return [...named, ...[name].filter(hasSlash)].flatMap(pathsIn);
  });
  return [...commands, ...evaluatedWords(text)];
}

/** The first word that is no option is the program's script, also a plain name; `make` has a file of its own. */
function startedBy(name: string, rest: readonly string[]): readonly string[] {
  const script = rest.find((word) => !/^[-$]/.test(word));
  const files = name === "make" ? MAKEFILES : script === undefined ? [] : [script];
  return [...files, ...rest.filter(hasSlash), ...moduleFiles([name, ...rest].join(" "))];
}

const MAKEFILES = ["Makefile", "makefile", "GNUmakefile"];

/** The output of a command becomes commands or variables there: all that it reads counts. */
function evaluatedWords(text: string): readonly string[] {
  const outputs = text.matchAll(
    /\b(?:eval|export|declare|typeset)[^\S\n]+(?:-\w+[^\S\n]+)*["']?(?:\$\((?<command>[^()]*)\)|`(?<old>[^`]*)`)/g,
  );
  return [...outputs].flatMap(({ groups }) =>
    (groups?.["command"] ?? groups?.["old"] ?? "")
      .split(/[\s;&|<>"'{}]+/)
      .filter((word) => word !== "")
      .flatMap(pathsIn),
  );
}

/** Commands within words come first, and stand as a variable in the word around them. */
function commandsIn(text: string): readonly string[] {
  const inner: string[] = [];
  let rest = text
    .replaceAll(/\\\n|(?:^|\s)#.*$/gm, " ")
    .replaceAll(/["']/g, "")
    .replaceAll(/\$\{[^{}]*\}/g, "$X")
    .replaceAll(/\$\((?:expand_path|realpath|readlink -\w+) (?<path>[^\s()]+)\)/g, "$<path>");
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    rest = rest.replaceAll(
      /\$\((?<command>[^()]*)\)|`(?<old>[^`]*)`/g,
      (_, command?: string, old?: string) => {
        inner.push(command ?? old ?? "");
        return "$X";
      },
    );
  }
  return [...inner, rest].flatMap((part) => part.split(/[\n;&|(){}<>]+/));
}

const BEFORE =
  /^(?:if|then|else|elif|do|while|until|!|exec|eval|env|command|builtin|time|export|local|[A-Za-z_]\w*=.*)$/;
const SOURCING = /^(?:\.|source|source_env|source_env_if_exists|dotenv|dotenv_if_exists|load_prefix)$/;
const STARTING = /^(?:(?:ba|z|da)?sh|python[\d.]*|node|ruby|perl|make|nix-shell)$/;
/** Such a program evaluates these, and direnv the shell hook in them. */
const EVALUATED = new Map([
  ["flake", ["flake.nix", "flake.lock"]],
  ["nix", ["shell.nix", "default.nix"]],
  ["devenv", ["devenv.nix", "devenv.yaml", "devenv.lock"]],
  ["devbox", ["devbox.json", "devbox.lock"]],
  ["guix", ["guix.scm", "manifest.scm"]],
  ["flox", [".flox/env/manifest.toml", ".flox/env/manifest.lock"]],
]);

const hasSlash = (word: string): boolean => word.includes("/") && !word.includes("://");

/** A variable or the output of a command most often names the folder. */
function pathsIn(word: string): readonly string[] {
  if (word.startsWith("-")) return [];
  const slash = word.indexOf("/");
  const isExpanded = slash >= 0 && (slash === 0 || word.slice(0, slash).includes("$"));
  return isExpanded ? [word, word.slice(slash + 1)] : [word];
}
