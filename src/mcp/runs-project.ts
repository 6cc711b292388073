/**
 * Finds programs that run the scripts, targets and packages of a project. Their command line does not name these
 * files.
 */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { inWorkspace, isBelow } from "./content-hash.js";
import { baseName, isWrapper } from "./server-arguments.js";

export type Places = {
  /** The server's working folder: its words are relative to this. */
  readonly folder: string;
  /** Only files below this folder count. */
  readonly workspace: string;
};

const ALWAYS =
  /^(?:npm|pnpm|yarn|yarnpkg|corepack|g?make|just|task|go-task|rake|bundle|cargo|mvnw?|gradlew?|sbt|lein|clojure|clj|mix|composer|nix|nix-shell|turbo|nx|lerna|rush|docker-compose|tox|nox|ant|bazel|bazelisk|cmake|ninja|meson|swift|zig|stack|cabal|dune|grunt|gulp|npm-run-all|run-[sp]|nps|moon|devbox|invoke|inv|fab|doit|pants|buck2?|scons|foreman|overmind|honcho|process-compose|flutter|dart|vite|electron)$/;
/** These programs take a script as well: if one is found, it is the program. */
const WITHOUT_FILE =
  /^(?:uv|bun|deno|dotnet|go|poetry|pipenv|pdm|hatch|rye|pixi|conda|mamba|micromamba|node|nodejs|python[\d.]*|pypy\d*|php|ruby|perl|tsx|ts-node|nodemon|java)$/;
const INTERPRETER = /^(?:node|nodejs|python[\d.]*|pypy\d*|php|ruby|perl|tsx|ts-node|nodemon|bun|deno|java)$/;
const FETCHES = /^(?:npx|bunx|pnpx|uvx|pipx)$/;
const FETCHING =
  /^(?:(?:npm (?:exec|x)|pnpm (?:dlx|exec)|yarn dlx|bun x|uv tool run|uv x|pipx run) )(?<rest>.*)$/;
const IS_FOLDER_FLAG =
  /^(?:-C|-f|--directory|--prefix|--cwd|--project|--project-directory|--manifest-path|--file|--makefile|--chdir|--root|--dir)$/;

export const isInterpreter = (command: string): boolean => INTERPRETER.test(baseName(command));

/** Whether the command runs something of the workspace that its words do not name. */
export function runsProject(
  words: readonly string[],
  places: Places,
  { foundFile }: { readonly foundFile: boolean },
): boolean {
  const [command = "", ...rest] = words;
  if (isWrapper(command)) {
    const pieces = rest.flatMap((word) => word.split(/[\s'"`;&|()<>{}$]+/)).filter((piece) => piece !== "");
    return pieces.some((_, index) => runsOne(pieces.slice(index), places, foundFile));
  }
  return runsOne(words, places, foundFile);
}

function runsOne(words: readonly string[], places: Places, foundFile: boolean): boolean {
  const [command = "", ...rest] = words;
  const program = baseName(command).replace(/\.(?:exe|cmd|bat|ps1)$/i, "");
  const plain = rest.filter((word) => !word.startsWith("-"));
  if (isElsewhere(rest, places)) return false;
  const fetching = FETCHING.exec(`${program} ${plain.join(" ")} `)?.groups?.["rest"];
  if (FETCHES.test(program) || fetching !== undefined) {
    const [first = ""] = fetching === undefined ? plain : fetching.split(" ");
    return [first, ...packagesIn(rest)].some((name) => isLocalPackage(name, places, foundFile));
  }
  if (/^(?:docker|podman)$/.test(program)) return /^(?:compose|build|buildx|stack)$/.test(plain[0] ?? "");
  if (ALWAYS.test(program)) return true;
  if (!WITHOUT_FILE.test(program) || foundFile) return false;
  // A runtime may be given a program elsewhere, or one from a network.
  const [first] = plain;
  if (!INTERPRETER.test(program)) return true;
  if (first === undefined) return false;
  if (/^(?:bun|deno)$/.test(program) && /^(?:run|task|x)$/.test(first))
    return !/^(?:\/|\w+:)/.test(plain[1] ?? "");
  return inWorkspace(resolve(places.folder, first), places.workspace)?.type === "folder";
}

/** Whether an argument makes it work in a folder outside the workspace. */
function isElsewhere(args: readonly string[], { folder, workspace }: Places): boolean {
  const isOutside = (path: string) => inWorkspace(resolve(folder, path), workspace) === undefined;
  const given = args.flatMap((word, index) => {
    const [flag = "", value = args[index + 1] ?? ""] = word.split(/=(?<value>.*)/s);
    return IS_FOLDER_FLAG.test(flag) && value !== "" ? [value] : [];
  });
  if (given.length > 0) return given.every((path) => existsSync(resolve(folder, path)) && isOutside(path));
  return folder !== workspace && !isBelow(folder, workspace) && isOutside(".");
}

function packagesIn(args: readonly string[]): readonly string[] {
  return args.flatMap((word, index) => {
    const [flag = "", value = args[index + 1] ?? ""] = word.split(/=(?<value>.*)/s);
    return /^(?:-p|--package|--from|--with|--with-editable|-c|--call|--spec)$/.test(flag) ? [value] : [];
  });
}

/** A folder of the workspace, or a package that is installed in it. */
function isLocalPackage(spec: string, { folder, workspace }: Places, foundFile: boolean): boolean {
  if (spec === "") return false;
  const path = spec.replace(/^.*?file:(?:\/\/)?/, "");
  if (/^\.{0,2}(?:\/|$)|^\.|file:/.test(spec) && inWorkspace(resolve(folder, path), workspace)) return true;
  if (INTERPRETER.test(spec) && foundFile) return false;
  const name = spec.replace(/(?<=.)@.*$/, "");
  for (let here = folder; ; here = dirname(here)) {
    const isThere = [`.bin/${name}`, name].some((one) => existsSync(join(here, "node_modules", one)));
    if (isThere) return true;
    if (here === workspace || dirname(here) === here) return false;
  }
}
