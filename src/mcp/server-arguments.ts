/**
 * Lists the files and folders that the arguments of a server's command line may name. A name too many does no harm:
 * only those that exist in the workspace count.
 */
import { fileURLToPath } from "node:url";

export type ServerArgument = {
  /** The paths that the argument may name, relative to any of the folders. */
  readonly names: readonly string[];
  /** Whether this word may name the code that a runtime starts; a folder then stands for the script in it. */
  readonly isStart: boolean;
  /** Whether this word names data that a program works on, by its name and its place. */
  readonly isData: boolean;
};

/** Programs that run the words behind them, and shells, whose text may have a program anywhere. */
const WRAPPER =
  /^(?:env|sh|bash|dash|zsh|ksh|fish|busybox|timeout|nohup|nice|ionice|setsid|stdbuf|time|sudo|doas|xvfb-run|dotenv|dotenvx|direnv|mise|op|doppler|xargs|script|exec|cmd|cmd\.exe|pwsh|powershell|wsl)$/;
const TAKES_SCRIPT =
  /^(?:-r|--require|--import|--loader|--experimental-loader|--preload|-f|--file|--script|-l|--load|--init|-[A-Za-z]*m)$/;
const DATA = /\.(?:sqlite3?|db3?|duckdb|log|csv|tsv|parquet|jsonl|ndjson)$/i;

export const baseName = (command: string): string => command.slice(command.search(/[^\\/]*$/));

export const isWrapper = (command: string): boolean => WRAPPER.test(baseName(command));

export function serverArguments(command: string, args: readonly string[]): readonly ServerArgument[] {
  const first = args.findIndex((word) => !word.startsWith("-"));
  return args.map((word, index) => {
    const before = args[index - 1] ?? "";
    const isStart =
      index === first || TAKES_SCRIPT.test(before) || word.startsWith("-") || isWrapper(command);
    const mayBeScript = index <= first && !before.startsWith("--");
    const isModule = /^-[A-Za-z]*m$/.test(before);
    return {
      names: namesIn(word, isModule),
      isStart,
      isData: DATA.test(word) && !mayBeScript && !isWrapper(command) && !TAKES_SCRIPT.test(before),
    };
  });
}

/** The same for a variable: its value may be a list of folders, or flags. */
export const namesInValue = (value: string): readonly string[] => [
  ...new Set([...namesIn(value, false), ...value.split(":").filter((piece) => piece !== "")]),
];

/**
 * The names in a word: the word itself, the values in it, the words of a shell text, a URL's path, and a Python
 * module.
 */
function namesIn(word: string, isModule: boolean): readonly string[] {
  const pieces = [word, ...word.split(/[\s'"`=;&|()<>,{}$]+/)].flatMap((piece) => {
    const attached = /^-[A-Za-z](?<value>.+)$/.exec(piece)?.groups?.["value"] ?? "";
    const module = /^-[A-Za-z]*m(?<name>\w[\w.]*)$/.exec(piece)?.groups?.["name"] ?? "";
    return [piece, attached, fromUrl(piece), ...moduleFiles(module)];
  });
  const plain = pieces.flatMap((piece) => [
    piece,
    piece.replace(/[?#].*$/, ""),
    // "server.py:app" and "server:app" name an object in a module.
    piece.replace(/:[^:/\\]*$/, ""),
  ]);
  const modules = isModule ? moduleFiles(word) : plain.filter((piece) => /:/.test(word) && piece !== word);
  return [...new Set([...plain, ...modules])].filter((name) => name !== "");
}

const moduleFiles = (name: string): readonly string[] =>
  name === "" ? [] : [name.replaceAll(".", "/"), `${name.replaceAll(".", "/")}.py`];

function fromUrl(piece: string): string {
  try {
    return piece.startsWith("file:") ? fileURLToPath(piece) : "";
  } catch {
    return "";
  }
}
