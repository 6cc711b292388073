/** wget: its two-letter flags, what it asks and where it keeps the answers. */
import type { Effects, Reader, Seen } from "../program.js";
import { ANY_HOST, CHOSEN_THERE, landings, webWords } from "./web-address.js";

const PAIRS = new Map([
  ["-nv", "--no-verbose"],
  ["-nc", "--no-clobber"],
  ["-nd", "--no-directories"],
  ["-np", "--no-parent"],
  ["-nH", "--no-host-directories"],
]);

const SENDS = ["--post-file", "--body-file", "--post-data", "--body-data", "--method"] as const;
const FOLDERS = ["-P", "--directory-prefix"] as const;
/** The pages or the server choose the names. */
const UNFORESEEN = [
  "-r --recursive -m --mirror -p --page-requisites -x --force-directories -i --input-file",
  "--content-disposition --trust-server-names",
].flatMap((line) => line.split(" "));

export const wgetReader: Reader = {
  prepare: (args) => args.map((word) => PAIRS.get(word) ?? word),
  effects: (words, seen) => {
    const lists = seen.values("-i", "--input-file");
    const settings = seen
      .values("-e", "--execute")
      .filter((setting) => !/^\s*robots\s*=\s*(?:off|on)\s*$/i.test(setting));
    const web = webWords(words);
    // wget follows redirects unless a flag forbids it.
    const isSentOn = !seen.values("--max-redirect").includes("0");
    const urls = lists.length > 0 || isSentOn ? [...words, ANY_HOST] : words;
    return {
      ...downloads(words, seen),
      urls,
      sends: seen.has(...SENDS) ? urls : [],
      reads: seen.values("--post-file", "--body-file"),
      doubts: [
        ...(web.doubts ?? []),
        ...(seen.has(...UNFORESEEN) && !seen.has("-O", "--output-document", "--spider")
          ? [CHOSEN_THERE]
          : []),
        ...lists
          .filter((list) => list.includes("://"))
          .map((list) => `"${list}" names pages that are not shown here`),
        ...settings.map((setting) => `the setting "${setting}" is not known to be harmless`),
      ],
    };
  },
};

function downloads(words: readonly string[], seen: Seen): Effects {
  if (seen.has("-O", "--output-document", "--spider")) return {};
  const folders = seen.values(...FOLDERS);
  const isHere = folders.length === 0;
  return {
    writes: [...(isHere ? ["."] : []), ...landings(words, folders)],
    editsBelow: isHere ? (seen.has(...UNFORESEEN) ? ["."] : []) : folders,
  };
}
