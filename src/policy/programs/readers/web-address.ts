/** Shared by programs that fetch from the web. */
import type { Effects, Reader } from "../program.js";

/** An address that cannot be read counts as one to any host. */
export const ANY_HOST = "";

/** Only web addresses are fetched: `file://` reads the disk and most others are old and odd. */
export function webWords(words: readonly string[]): Effects {
  const odd = words.filter(
    (word) =>
      (/^[a-z][a-z0-9+.-]*:\/\//i.test(word) && !/^(?:https?|ftps?|wss?):\/\//i.test(word)) ||
      // `host:80` has no scheme; `file:x` and `lynxexec:x` have one.
      /^[a-z][a-z0-9+.-]*:(?!\/\/|\d|$)/i.test(word),
  );
  const disguised = words.filter((word) => /^[a-z]+:\/\/[^/?#]*@/i.test(word));
  return {
    urls: words,
    doubts: [
      ...odd.map((word) => `"${word}" is not an address of the web`),
      ...disguised.map((word) => `"${word}" has a name before its host, which hides where it leads`),
    ],
  };
}

/** The names under which a download may be kept: as written, and as some programs decode it. */
function lastParts(url: string): readonly string[] {
  const name = url
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .replace(/^.*\//, "");
  return [...new Set([name, decoded(name)])];
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** In each folder, or here, under the name that the address ends with. */
export const landings = (urls: readonly string[], folders: readonly string[]): readonly string[] =>
  urls
    .flatMap(lastParts)
    .flatMap((name) => (folders.length === 0 ? [name] : folders.map((folder) => `${folder}/${name}`)));

export const CHOSEN_THERE = "writes files under names that are chosen over there";

/** A request that only asks. Any other method carries data, or changes something over there. */
export const onlyAsks = (method: string): boolean => /^(?:GET|HEAD|OPTIONS|TRACE)$/i.test(method);

export const webReader: Reader = { effects: webWords };
