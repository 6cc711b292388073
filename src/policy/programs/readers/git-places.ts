/** Where git reads from and sends to: paths outside the tree, remotes and addresses. */
import { isSecretFile } from "../path-effects.js";
import type { Effects } from "../program.js";

const ELSEWHERE = /^[/~]|^\.\.(?:\/|$)/;

/** `:(top).env` and `:/.env` name `.env`. */
const withoutMagic = (word: string): string => word.replace(/^:(?:\([^)]*\)|[!^/]+)?(?=.)/, "");

/** `HEAD:src/a.ts` names a file as well. */
const named = (word: string): readonly string[] => [
  ...new Set([word, withoutMagic(word), word.slice(word.indexOf(":") + 1)]),
];

/** Git takes any word for a path when no commit has that name, and reads one outside of the tree, too. */
export const outsideReads = (words: readonly string[]): Effects => ({
  reads: words.flatMap(named),
  doubts: words
    .filter((word) => isSecretFile(word) || isSecretFile(withoutMagic(word)))
    .map((word) => `"${word}" holds secrets`),
});

/** An address, or `host:path`; no remote has a colon in its name. */
const isAddress = (word: string): boolean => /^[a-z][a-z0-9+.-]*:\/\/|^[^/:]+:(?!:)|^\[/i.test(word);

/** `ext::sh -c …` is an address that runs a program; so may any other helper. */
const runsHelper = (word: string): boolean =>
  /^[a-z0-9+.-]+::/i.test(word) ||
  /^(?:ssh|git|https?|file|git\+ssh|ssh\+git):\/\/-/i.test(word) ||
  /^[^/]*@-|^-/.test(word);

const isOdd = (word: string): boolean =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(word) && !/^(?:https?|ssh|git|git\+ssh|ssh\+git):\/\//i.test(word);

export function addresses(words: readonly string[]): Effects {
  const doubted = words.filter((word) => runsHelper(word) || isOdd(word));
  return {
    urls: words.filter((word) => isAddress(word) && !isOdd(word)),
    reads: words.filter((word) => ELSEWHERE.test(word)),
    doubts: doubted.map((word) => `"${word}" is an address that can run a program or read elsewhere`),
  };
}

/** A folder is as good a place to push to or fetch from as a remote, and has hooks of its own. */
const isFolder = (word: string): boolean => !isAddress(word) && /^(?:[/~]|\.{1,2}(?:\/|$))|\//.test(word);

type Place = {
  readonly away: Effects;
  readonly hosts: readonly string[];
  readonly folders: readonly string[];
};

/** A remote is known by its name, all else is a place of its own. The host of a remote is not known. */
function place([target, ...refs]: readonly string[], does: string | undefined): Place {
  const away = addresses(target === undefined ? [] : [target]);
  const folders = target !== undefined && isFolder(target) ? [target] : [];
  const urls = away.urls ?? [];
  const isForeign = does !== undefined && (urls.length > 0 || folders.length > 0);
  const { reads = [] } = outsideReads(refs);
  return {
    away: {
      reads: [...(away.reads ?? []), ...reads],
      doubts: [
        ...(away.doubts ?? []),
        ...(isForeign ? [`${does} "${target ?? ""}", which is no remote of this repository`] : []),
      ],
    },
    hosts: urls.length > 0 ? urls : folders.length > 0 ? [] : [""],
    folders,
  };
}

export function pushPlaces(words: readonly string[]): Effects {
  const { away, hosts, folders } = place(words, "sends the code to");
  return { ...away, sends: hosts, editsBelow: folders };
}

/** Without `does`, a place that is no remote is nothing to doubt. */
export function fetchPlaces(words: readonly string[], does: string | undefined): Effects {
  const { away, hosts, folders } = place(words, does);
  return { ...away, reads: [...(away.reads ?? []), ...folders], urls: hosts };
}

/** A repository under such a name brings files that programs obey: `.github`, `.config`. */
export const hiddenFolder = (folder: string): string[] =>
  /(?:^|\/)\.[^./][^/]*\/*$/.test(folder) ? [`"${folder}" may hold settings that programs obey`] : [];

/** Without a second word, the folder is called as the address ends. */
export function cloneWords([from, into]: readonly string[]): Effects {
  const { away, hosts, folders } = place(from === undefined ? [] : [from], undefined);
  const name = /(?<name>[^/:]+?)(?:\/?\.git)?\/*$/.exec(from ?? "")?.groups?.["name"] ?? ".";
  return {
    ...away,
    reads: [...(away.reads ?? []), ...folders],
    doubts: [...(away.doubts ?? []), ...hiddenFolder(into ?? name)],
    urls: hosts,
    writes: into === undefined ? [] : [into],
    editsBelow: [into ?? name],
    runs: true,
  };
}
