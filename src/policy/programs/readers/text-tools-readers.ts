/** Readers for the programs of data/text-tools.json. */
import { orHere } from "../folder-reads.js";
import { SECRET_NAMES } from "../path-effects.js";
import type { Effects, Reader, Seen } from "../program.js";
import { awkDoubts } from "../scripts/awk-doubts.js";
import { jqDoubts } from "../scripts/jq-doubts.js";
import { readSed } from "../scripts/read-sed.js";

/** A choice of files that asks for the secret ones. */
const secretNames = (seen: Seen): string[] =>
  seen
    .values("--include", "-g", "--glob", "--iglob")
    .filter((name) => !name.startsWith("!") && SECRET_NAMES.test(name))
    .map((name) => `"${name}" asks for files that hold secrets`);

const grep: Reader = {
  effects: (words, seen) => {
    const files = seen.has("-e", "--regexp", "-f", "--file") ? words : words.slice(1);
    const isRecursive =
      seen.has("-r", "--recursive", "-R", "--dereference-recursive") ||
      // GNU takes any beginning of a value for the whole.
      seen.values("-d", "--directories").some((value) => "recurse".startsWith(value));
    return { reads: isRecursive ? orHere(files) : files, doubts: secretNames(seen) };
  },
};

const ripgrep: Reader = {
  effects: (words, seen) => {
    const takesPattern = !seen.has("-e", "--regexp", "-f", "--file", "--files");
    const reads = seen.has("--type-list") ? [] : orHere(takesPattern ? words.slice(1) : words);
    return { reads, doubts: secretNames(seen) };
  },
};

const sed: Reader = {
  effects: (words, seen) => {
    const given = seen.values("-e", "--expression");
    const scripts = seen.values("-f", "--file");
    // With a script in a flag, sed takes no word as one.
    const hasFlag = given.length > 0 || scripts.length > 0;
    const files = hasFlag ? words : words.slice(1);
    const script = readSed(hasFlag ? given.join("\n") : (words[0] ?? ""));
    const odd = files
      // A file that find adds is written so.
      .filter((file) => /[{};]/.test(file) && !file.startsWith("./{}"))
      .map((file) => `"${file}" looks like a script, not a file`);
    const suffixes = seen.values("-i", "--in-place");
    // In a suffix, a star is the file's name and a slash leads to another folder.
    const moved = suffixes
      .filter((suffix) => /[*/]/.test(suffix))
      .map((suffix) => `"${suffix}" names another place for the old files`);
    const backups = suffixes.flatMap((suffix) => files.map((file) => `${file}${suffix}`));
    return {
      ...script,
      doubts: [...(script.doubts ?? []), ...odd, ...moved],
      runsFiles: scripts,
      reads: [...(script.reads ?? []), ...scripts, ...files],
      writes: [...(script.writes ?? []), ...(seen.has("-i", "--in-place") ? [...files, ...backups] : [])],
    };
  },
};

const awk: Reader = {
  effects: (words, seen) => {
    const scripts = seen.values("-f", "--file", "-E", "--exec");
    const [program = "", ...rest] = words;
    const files = scripts.length > 0 ? words : rest;
    return {
      runsFiles: [...scripts, ...seen.values("-i", "--include", "-l", "--load")],
      doubts: scripts.length > 0 ? [] : awkDoubts(program),
      reads: [...scripts, ...files.filter((file) => !/^[A-Za-z_]\w*=/.test(file))],
    };
  },
};

/** `--arg name value` takes two words; they are folded into one, but not behind `--`. */
function foldPairs(args: readonly string[]): string[] {
  const folded: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? "";
    if (word === "--") return [...folded, ...args.slice(at)];
    if (!/^--(?:arg|argjson|slurpfile|rawfile)$/.test(word)) {
      folded.push(word);
      continue;
    }
    const value = word.endsWith("file") ? (args[at + 2] ?? "") : "";
    folded.push(`${word}=${value}`);
    at += 2;
  }
  return folded;
}

const jq: Reader = {
  prepare: foldPairs,
  effects: (words, seen) => {
    const scripts = seen.values("-f", "--from-file");
    const [filter = "", ...rest] = words;
    const files = scripts.length > 0 ? words : rest;
    return {
      doubts: scripts.length > 0 ? [] : jqDoubts(filter),
      runsFiles: scripts,
      // Behind --args words are no files, but which ones are behind it is no longer known here.
      reads: [...scripts, ...files],
    };
  },
};

const LOADS =
  /\benv\b|\bsystem\b|\bexec\b|\bstrenv\b|\benvsubst\b|\bload|\$ENV|\beval\b|\bimport\b|\binclude\b/;

/** Two programs have this name; each takes an expression and then files, one of them a file alone too. */
function yqEffects(words: readonly string[], seen: Seen): Effects {
  const [expression = "", ...files] = /^(?:eval|e|eval-all|ea)$/.test(words[0] ?? "")
    ? words.slice(1)
    : words;
  const isFile =
    files.length === 0 && /^(?:[/~]|\.\.?\/)|\.(?:ya?ml|json|toml|xml|csv|ini|props)$/.test(expression);
  return {
    doubts: LOADS.test(expression) ? ["the expression reads the environment or another file"] : [],
    reads: isFile ? [expression] : files,
    writes: seen.has("-i", "--inplace") ? files : [],
  };
}

export const textToolsReaders: readonly (readonly [name: string, reader: Reader])[] = [
  ["grep", grep],
  ["ripgrep", ripgrep],
  ["sed", sed],
  ["awk", awk],
  ["jq", jq],
  ["yq", { effects: yqEffects }],
];
