/** Settings of git: many name a program that it runs. */
import { ELSEWHERE_PLACE } from "../path-effects.js";
import type { Effects, Seen } from "../program.js";

/** Settings that only change how output looks or who the author is. All others are doubts. */
const PLAIN_SETTINGS =
  /^(?:user\.(?:name|email|signingkey)|color\.[\w.-]+|init\.defaultbranch|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags)|fetch\.(?:prune|prunetags)|core\.(?:autocrlf|eol|safecrlf|filemode|ignorecase|quotepath|longpaths|abbrev|symlinks|precomposeunicode|whitespace|compression|bigfilethreshold)|merge\.(?:conflictstyle|ff|log|renamelimit)|diff\.(?:algorithm|renames|renamelimit|colormoved|mnemonicprefix|noprefix|context|wserrorhighlight|submodule)|log\.(?:date|decorate|abbrevcommit|follow)|rebase\.(?:autostash|autosquash|updaterefs|stat)|rerere\.(?:enabled|autoupdate)|status\.[\w.-]+|branch\.(?:autosetuprebase|autosetupmerge|sort)|tag\.(?:sort|gpgsign)|commit\.(?:gpgsign|verbose|cleanup|status)|advice\.\w+|column\.\w+|gc\.auto|pack\.\w+|http\.(?:postbuffer|lowspeedlimit|lowspeedtime)|submodule\.recurse|stash\.\w+|blame\.\w+|feature\.\w+|index\.\w+|maintenance\.auto)$/i;

function nameDoubts(name: string): string[] {
  return PLAIN_SETTINGS.test(name) ? [] : [`"${name}" is not a setting known to be harmless`];
}

/** `git -c name=value`. */
export const settingDoubts = (seen: Seen): Effects => ({
  doubts: seen.values("-c").flatMap((setting) => {
    const [name = "", value = ""] = setting.split("=", 2);
    return /^core\.pager$/i.test(name) && (value === "cat" || value === "") ? [] : nameDoubts(name);
  }),
});

const READING = "--get --get-all --get-regexp --get-urlmatch -l --list --get-color --get-colorbool".split(
  " ",
);
const WRITING = "--unset --unset-all --add --replace-all --rename-section --remove-section".split(" ");

/** The settings of a repository are git's own data, which most of its commands change. */
const settingsFiles = (seen: Seen): readonly string[] => [
  ...(seen.has("--global") ? [ELSEWHERE_PLACE] : []),
  ...(seen.has("--system") ? ["/etc/gitconfig"] : []),
];

export function configWords(words: readonly string[], seen: Seen): Effects {
  const [first = "", ...rest] = words;
  const lists = seen.has("-l", "--list") || first === "list";
  if (lists && seen.has("--global", "--system")) return { doubts: ["shows settings that may hold tokens"] };
  if (seen.has(...READING) || words.length === 0 || lists || first === "get") {
    const names = words.filter((word) =>
      /token|password|secret|credential|extraheader|\.\*|^\.?$/i.test(word),
    );
    return { doubts: names.map((name) => `"${name}" may be a secret`) };
  }
  if (first === "edit") return { doubts: ["opens the settings in an editor"] };
  const isNamed = /^(?:set|unset|rename-section|remove-section)$/.test(first);
  const [name = ""] = isNamed ? rest : words;
  const isWritten = isNamed || rest.length > 0 || seen.has(...WRITING);
  return isWritten ? { doubts: nameDoubts(name), writes: settingsFiles(seen) } : {};
}
