/** Python's own command line: a file of this project is ordinary, code on the command line is not. */
import type { Effects, NestedCommands, Reader, Seen } from "../program.js";
import { moduleFiles } from "./script-files.js";
import { UNPACKS } from "./tar.js";

export const STDIN = "without a file, it runs whatever comes on standard input";

/** Modules that are judged as the program of that name. */
const PROGRAM_MODULES = new Map<string, string>([
  ["pytest", "pytest"],
  ["py.test", "pytest"],
  ["mypy", "mypy"],
  ["black", "black"],
  ["isort", "isort"],
  ["flake8", "flake8"],
  ["ruff", "ruff"],
  ["pylint", "pylint"],
  ["pip", "pip"],
  ["coverage", "coverage"],
  ["tox", "tox"],
  ["build", "pyproject-build"],
]);

/** Modules that only work on the files they are given. */
const FILE_MODULES =
  /^(?:venv|virtualenv|unittest|doctest|json\.tool|compileall|py_compile|tabnanny|calendar|this|platform|site|sysconfig|ensurepip|tokenize|ast|dis|pyclbr|gzip|zipfile|tarfile|base64|quopri|timeit|pprint)$/;

const MODULE_FLAG = /^-[BbdEIOPqsSuv]*m/;

export const python: Reader = { nested: takeModule, effects: pythonEffects };

/** Hands the module on as `--module=name`, or as `--module` when a program of its own judges it. */
function takeModule(args: readonly string[]): NestedCommands {
  const at = args.findIndex((word) => MODULE_FLAG.test(word));
  const before = at === -1 ? [] : args.slice(0, at);
  // A script or a value may stand before; then this -m is not Python's own.
  if (at === -1 || before.some((word) => !/^-[BbdEIOPqsSuv]+$/.test(word)))
    return { words: args, commands: [], mustOnlyRead: false };
  const attached = (args[at] ?? "").replace(MODULE_FLAG, "");
  const name = attached === "" ? (args[at + 1] ?? "") : attached;
  const rest = args.slice(attached === "" ? at + 2 : at + 1);
  const program = isForeignInstall(name, rest) ? undefined : PROGRAM_MODULES.get(name);
  return program === undefined
    ? { words: [...before, `--module=${name}`, "--", ...rest], commands: [], mustOnlyRead: false }
    : { words: [...before, "--module", "--", name], commands: [[program, ...rest]], mustOnlyRead: false };
}

/** A rule for `python *` means this project's own requirements, not any package. */
function isForeignInstall(name: string, [verb = "", ...words]: readonly string[]): boolean {
  if (name !== "pip" || !/^(?:install|uninstall|download|wheel)$/.test(verb)) return false;
  const isOwn = words.every(
    (word, index) =>
      /^-|^\.(?:\[[\w,-]+\])?$|^(?:pip|setuptools|wheel)$/.test(word) ||
      /^(?:-r|--requirement|-c|--constraint)$/.test(words[index - 1] ?? ""),
  );
  return verb !== "install" || !isOwn;
}

function pythonEffects(words: readonly string[], seen: Seen): Effects {
  const [name] = seen.values("--module");
  // Python looks for modules in the folder first, so that a file there may stand in for any of them.
  if (name !== undefined) return { runs: true, ...moduleEffects(name, words), runsFiles: moduleFiles(name) };
  if (seen.has("--module")) return { runs: true, runsFiles: moduleFiles(words[0] ?? "") };
  if (seen.has("-V", "-VV", "--version", "-h", "--help")) return {};
  const [file] = words;
  return file === undefined || file === "-"
    ? { runs: true, doubts: [STDIN] }
    : { runs: true, reads: [file], runsFiles: [file, `${file}/__main__.py`] };
}

function moduleEffects(name: string, words: readonly string[]): Effects {
  if (!FILE_MODULES.test(name)) return unknownModule(name);
  const files = words.filter((word) => !word.startsWith("-"));
  switch (name) {
    case "timeit":
      return { doubts: ["runs code that is given on the command line"] };
    case "unittest":
      return { reads: unittestPaths(words) };
    case "venv":
    case "virtualenv":
      return { writes: files, editsBelow: files, ...(name === "virtualenv" && { urls: [""] }) };
    case "ensurepip":
      return { installs: ["ensurepip"] };
    case "json.tool":
      return {
        reads: files.slice(0, 1),
        writes: files.slice(1),
        doubts: files
          .filter((file) => /[*?[]/.test(file))
          .map((file) => `"${file}" may become several words, of which json.tool writes one`),
      };
    case "compileall":
    case "py_compile":
      return { reads: files, editsBelow: files.length === 0 ? ["."] : files };
    case "zipfile":
    case "tarfile":
    case "gzip":
      return archiveEffects(words, files);
    default:
      return { reads: files };
  }
}

function unknownModule(name: string): Effects {
  const doubts = [`the module "${name}" is not known to be harmless`];
  if (name === "pip") return { doubts, installs: ["pip"], urls: [""], editsBelow: ["."] };
  return name === "http.server" ? { doubts, sends: [""] } : { doubts };
}

function unittestPaths(words: readonly string[]): readonly string[] {
  const folders = words.filter((_word, index) =>
    /^(?:-s|--start-directory|-t|--top-level-directory)$/.test(words[index - 1] ?? ""),
  );
  return [...folders, ...words.filter((word) => word.includes("/") && !word.startsWith("-"))];
}

function archiveEffects([verb = ""]: readonly string[], files: readonly string[]): Effects {
  if (/^(?:-l|--list|-t|--test)$/.test(verb)) return { reads: files };
  const extracts = /^(?:-e|--extract)$/.test(verb);
  return {
    reads: files,
    writes: files,
    ...(extracts && { editsBelow: files.length > 1 ? files.slice(1) : ["."], doubts: [UNPACKS] }),
  };
}
