/** The folder that a command changes its shell to. */
import { excerpt } from "./excerpt.js";

export type FolderChange = {
  readonly target?: string;
  /** To the folder before the last change, or to the one at the last `pushd`. */
  readonly back?: "previous" | "pushed";
  /** The folder is remembered for `popd`. */
  readonly pushes?: boolean;
  readonly doubt?: string;
};

const CHANGES = new Set(["cd", "pushd", "popd"]);

/** With -P, also among other flags, `cd` follows links: where it and a later `..` lead, only the disk can tell. */
export function followsLinks(argv: readonly string[]): boolean {
  return argv[0] === "cd" && argv.slice(1).some((word) => /^-(?:[^-]*P|-p)/.test(word));
}

export function folderChange(argv: readonly string[]): FolderChange | undefined {
  const [program = "", ...words] = argv;
  if (!CHANGES.has(program)) return undefined;
  if (program === "popd" && words.length === 0) return { back: "pushed" };
  if (program === "cd" && words.length === 1 && words[0] === "-") return { back: "previous" };
  const { target, ...more } = targetOf(program, words);
  if (target === undefined || more.surplus || followsLinks(argv))
    return { doubt: `where ${excerpt(argv.join(" "))} leads is not known` };
  return program === "pushd" ? { target, pushes: true } : { target };
}

function targetOf(program: string, words: readonly string[]): { target?: string; surplus?: boolean } {
  if (program === "popd") return {};
  const options = program === "cd" ? /^-[LPe@]+$/ : /^$/;
  let start = words.findIndex((word) => !options.test(word));
  if (words[start] === "--") start++;
  const target = start < 0 ? undefined : words[start];
  if (target === undefined) return program === "cd" ? { target: "~" } : {};
  // `-` and `-2` are places in a history; an empty name stays, or fails, by version.
  if (target === "" || /^[-+]/.test(target)) return {};
  return { target, surplus: words.length > start + 1 };
}
