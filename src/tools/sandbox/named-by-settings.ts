/**
 * Files and folders of the workspace that settings of git name: hooks, filters, helpers, further settings. Git starts or
 * obeys them at its next command, so a contained command may neither change them nor put one where the settings expect
 * it. Settings are those of the repository, of the person and of the machine, with all files that they include.
 */
import { dirname, join, relative, resolve } from "node:path";
import { isWithin } from "../../call/absolute-path.js";
import { repositoryAt } from "../kept-workspace/user-repository.js";
import { fileText } from "../file-text.js";
import { moduleFiles } from "./module-files.js";
import { STEERING } from "./steering.js";

export type NamedBySettings = {
  /** Each path that some word may mean. */
  readonly mentioned: readonly string[];
  /** Paths from which git takes programs or settings, whether they are there or not. */
  readonly obeyed: readonly string[];
};

export type SettingsPlaces = { readonly home: string; readonly roots: readonly string[] };

/** A repository: the folder of its files, and its own folders, in which the settings are. */
export type SettingsOf = { readonly top: string; readonly folders: readonly string[] };

/** The repository whose files are in this folder: a further worktree and a submodule have their settings elsewhere. */
export function settingsAt(top: string): SettingsOf {
  const { gitFolder, shared } = repositoryAt(top) ?? {};
  return { top, folders: [...new Set([gitFolder ?? join(top, ".git"), ...(shared ? [shared] : [])])] };
}

export function namedBySettings(
  { top, folders }: SettingsOf,
  { home, roots }: SettingsPlaces,
): NamedBySettings {
  const isInWorkspace = (path: string): boolean =>
    roots.some((root) => path.startsWith(`${root}/`)) && !roots.some((root) => root.startsWith(`${path}/`));
  const isOfGit = (path: string): boolean => folders.some((folder) => isWithin(path, folder));
  // Names of git's own, such as branches, are in values too.
  const isGitData = (path: string): boolean =>
    folders.some(
      (folder) => folder === path || (isWithin(path, folder) && GIT_DATA.test(relative(folder, path))),
    );
  const mentioned = new Set<string>();
  const obeyed = new Set<string>();
  for (const { file, name, value } of settingsOf(folders, home)) {
    const words = wordsOf(value);
    const add = (paths: Set<string>, word: string): void => {
      const written = word.startsWith("~/") ? join(home, word.slice(2)) : word;
      for (const folder of [top, ...folders, dirname(file)]) {
        const path = resolve(folder, written);
        if (!isInWorkspace(path)) continue;
        if (!isOfGit(path)) paths.add(path);
        else if (paths === obeyed && !isGitData(path)) for (const all of [mentioned, obeyed]) all.add(path);
      }
    };
    for (const word of [...words, ...moduleFiles(value)]) add(mentioned, word);
    if (IS_PATH.test(name)) add(obeyed, value);
    else if (!IS_DATA.test(name))
      for (const word of [...words.filter(mayBeFile), ...moduleFiles(value)]) add(obeyed, word);
  }
  return { mentioned: [...mentioned], obeyed: [...obeyed] };
}

/** The first name in a folder of git: its data, and what a sandbox closes anyway. */
const GIT_DATA = new RegExp(
  `^(?:[A-Z_]*(?:HEAD|MSG|MERGE)|MERGE_\\w+|BISECT_\\w+|index|packed-refs|shallow|description|refs|logs|objects|reftable|rr-cache|lfs|annex|sequencer|rebase-\\w+|${STEERING.join("|")})(?:\\.lock)?(?:/|$)`,
);

const IS_PATH = /^(?:core\.(?:hookspath|attributesfile)|include(?:if\..*)?\.path|init\.templatedir)$/;

/**
 * Keys whose values git and its tools read as data. A value of any other key may name a program: tools add keys of their
 * own, so no list of programs would be complete.
 */
const IS_DATA = new RegExp(
  `^(?:${[
    "(?:user|author|committer|branch|url|color|advice|i18n|safe|maintenance|scalar|extensions|svn-remote|http|push|pull|fetch|log|status|gui)\\..*",
    "remote\\.(?:.*\\.)?(?:url|pushurl|fetch|push|pushdefault)",
    "submodule\\.(?:.*\\.)?(?:url|path|branch|active)",
    "gitflow\\.(?:prefix|branch)\\..*",
    "core\\.(?:excludesfile|worktree)|commit\\.template|blame\\.ignorerevsfile|mailmap\\.file",
    "format\\.signaturefile|sendemail\\.aliasesfile|init\\.defaultbranch",
  ].join("|")})$`,
);

/** All words of a value that may be a path, and the value itself: a path may have spaces in it. */
function wordsOf(value: string): readonly string[] {
  const words = value.split(/(?:[\s"'!;&|()`<>]|\\(?="))+/).filter((word) => word !== "");
  const ends = words.flatMap((word) => /^[\w-]+=(?<end>.+)$/.exec(word)?.groups?.["end"] ?? []);
  const all = [value, ...words, ...ends];
  return [...new Set([...all, ...(/[$`]/.test(value) ? all.flatMap(behindExpansion) : [])])];
}

/** `$(git rev-parse --show-toplevel)/a/b` and `$PWD/a/b` most often mean a file of the repository. */
function behindExpansion(word: string): readonly string[] {
  const slash = word.indexOf("/");
  const isExpanded = slash === 0 || word.slice(0, Math.max(slash, 0)).includes("$");
  return isExpanded ? [word.slice(slash + 1).replace(/^\/+/, "")] : [];
}

/** A plain name is a program that the system finds. */
const mayBeFile = (word: string): boolean => /\/|[^.]\.[A-Za-z]\w*$/.test(word) && !/^-|:\/\//.test(word);

type Setting = { readonly file: string; readonly name: string; readonly value: string };

const MAX_FILES = 20;

/** Whatever conditions an include has: they may hold at the next command. */
function settingsOf(folders: readonly string[], home: string): readonly Setting[] {
  const files = [
    ...folders.flatMap((folder) => [join(folder, "config"), join(folder, "config.worktree")]),
    process.env["GIT_CONFIG_GLOBAL"] ?? join(home, ".gitconfig"),
    join(process.env["XDG_CONFIG_HOME"] ?? join(home, ".config"), "git/config"),
    "/etc/gitconfig",
  ];
  const settings: Setting[] = [];
  for (let at = 0; at < files.length && at < MAX_FILES; at += 1) {
    const file = files[at] ?? "";
    for (const setting of settingsIn(file)) {
      settings.push(setting);
      if (!/^include(?:if\..*)?\.path$/.test(setting.name)) continue;
      const written = setting.value.replace(/^~\//, `${home}/`);
      const included = resolve(dirname(file), written);
      if (!files.includes(included)) files.push(included);
    }
  }
  return settings;
}

function settingsIn(file: string): readonly Setting[] {
  let section = "";
  return (fileText(file) ?? "")
    .replaceAll(/\\\r?\n/g, "")
    .split("\n")
    .flatMap((line): readonly Setting[] => {
      const head = /^\s*\[(?<head>[^\]]*)\](?<rest>.*)$/.exec(line)?.groups;
      if (head) section = (head["head"] ?? "").toLowerCase().replace(/\s+"(?<name>.*)"$/, ".$<name>");
      const setting = /^\s*(?<key>[\w-]+)\s*=\s*(?<value>.*?)\s*$/.exec(head?.["rest"] ?? line)?.groups;
      const value = withoutComment(setting?.["value"] ?? "");
      return setting ? [{ file, name: `${section}.${(setting["key"] ?? "").toLowerCase()}`, value }] : [];
    });
}

function withoutComment(value: string): string {
  const quoted = /^"(?<inner>[^"]*)"\s*(?:[#;].*)?$/.exec(value)?.groups?.["inner"];
  return quoted ?? value.replace(/\s[#;].*$/, "").trim();
}
