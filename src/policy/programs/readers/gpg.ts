/** gpg: which words are files, and what it writes beside them. */
import type { Effects, Reader, Seen } from "../program.js";
import { ANY_HOST } from "./web-address.js";

/** With these, words are keys or people. */
const OF_KEYS = [
  "-k --list-keys -K --list-secret-keys --fingerprint --list-sigs --recv-keys --receive-keys --send-keys",
  "--search-keys --export --edit-key --sign-key --lsign-key --quick-generate-key --quick-gen-key --locate-keys",
  "--check-sigs --gen-revoke",
].flatMap((line) => line.split(" "));

const WRITES_NOTHING = [
  "-o",
  "--output",
  "-d",
  "--decrypt",
  "--verify",
  "--import",
  "--list-packets",
  "--show-keys",
];
const MAKES = [
  "-e --encrypt -s --sign -b --detach-sign --clearsign --clear-sign -c --symmetric --store --dearmor --enarmor",
].flatMap((line) => line.split(" "));

export const gpgReader: Reader = {
  effects: (words, seen): Effects => ({
    ...(seen.has(...OF_KEYS) ? {} : { reads: words, writes: written(words, seen) }),
    // The key of a person who is named by an address is asked for at the host of that address.
    urls: seen.values("-r", "--recipient", "-R").some((name) => name.includes("@")) ? [ANY_HOST] : [],
  }),
};

function written(words: readonly string[], seen: Seen): readonly string[] {
  const isUnpacking = seen.has("--multifile") || !seen.has(...MAKES, ...WRITES_NOTHING);
  const unpacked = isUnpacking ? words.map((word) => word.replace(/\.(?:gpg|asc|pgp|sig)$/, "")) : [];
  if (seen.has(...WRITES_NOTHING)) return seen.has("-o", "--output") ? [] : isUnpacking ? unpacked : [];
  const endings = seen.has("-b", "--detach-sign", "-a", "--armor", "--clearsign", "--clear-sign", "--enarmor")
    ? [".gpg", ".sig", ".asc"]
    : [".gpg"];
  return [...unpacked, ...words.flatMap((word) => endings.map((ending) => `${word}${ending}`))];
}
