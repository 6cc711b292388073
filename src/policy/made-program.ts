/** Finds the files of a command that are bound by their content when it runs them. */
import { installedTool } from "./programs/project-tools.js";

/** A program that an installation or a build of the project puts there, like the code that its tests run. */
export const isMadeByBuild = (program: string): boolean =>
  installedTool(program) !== undefined ||
  /^(?:\.\/)?(?:[\w-]+\/){0,3}(?:build|target|out|dist|bin|obj|_build|zig-out|cmake-build-\w+)\/(?:[\w.-]+\/){0,4}[\w.-]+$/.test(
    program,
  );

/** `php -l a.php`: the program reads the syntax of its files and runs none of them. */
export const onlyParses = ([program = "", flag = "", ...files]: readonly string[]): boolean =>
  PARSES.test(`${program} ${flag}`) && files.length > 0 && files.every((file) => !file.startsWith("-"));

const PARSES = /^(?:php -l|ruby -c|node (?:--check|-c)|luac -p)$/;

/** Nothing but data is no script; and a program of the project is one itself, which is given names of all kinds. */
export const mayBeRun = (path: string, program: string): boolean =>
  program.includes("/") ? CODE_FILE.test(path) : !DATA_FILE.test(path);

const CODE_FILE = /\.(?:py|[cm]?[jt]sx?|rb|php|sh|bash|pl|lua|so|dylib|dll|jar|wasm|ps1|bat|exe)$/i;

const DATA_FILE =
  /\.(?:csv|tsv|jsonl?|ndjson|txt|md|log|xml|html?|css|png|jpe?g|gif|svg|pdf|bin|dat|db|sqlite3?|parquet|gz|zip|proto|sql|input|expected|snap)$/i;
