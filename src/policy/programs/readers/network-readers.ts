/** Readers for the programs of data/network.json. */
import type { Reader } from "../program.js";
import { curlReader } from "./curl.js";
import { gpgReader } from "./gpg.js";
import { httpieReader } from "./httpie.js";
import { remoteCopyReaders } from "./remote-copy.js";
import { sshReader } from "./ssh.js";
import { CHOSEN_THERE, landings, webReader, webWords } from "./web-address.js";
import { wgetReader } from "./wget.js";

/** The types and classes of records, which are no names to look up. */
const RECORD =
  /^(?:A|AAAA|AFSDB|ANY|AXFR|CAA|CDNSKEY|CDS|CERT|CNAME|DNAME|DNSKEY|DS|HINFO|HTTPS|IXFR(?:=\d+)?|LOC|MX|NAPTR|NS|NSEC3?|NSEC3PARAM|OPENPGPKEY|PTR|RP|RRSIG|SMIMEA|SOA|SPF|SRV|SSHFP|SVCB|TLSA|TXT|URI|IN|CH|HS)$/i;

/** A look-up reaches the owner of the name's domain; with `@server` that server, too. */
const lookupReader: Reader = {
  effects: (words) => {
    const servers = words.filter((word) => word.startsWith("@")).map((word) => word.slice(1));
    const others = words.filter((word) => !word.startsWith("@"));
    const names = others.length === 1 ? others : others.filter((word) => !RECORD.test(word));
    return { urls: [...names, ...servers], sends: servers };
  },
};

/** A torrent or a metalink names addresses and files that no word shows. */
const isList = (word: string) => /^magnet:|\.(?:torrent|meta4|metalink)$/i.test(word);

const ariaReader: Reader = {
  effects: (words, seen) => {
    const folders = seen.values("-d", "--dir");
    const web = words.filter((word) => !isList(word));
    const outs = seen.values("-o", "--out");
    const names = outs.flatMap((out) => folders.map((folder) => `${folder}/${out}`));
    const isHere = folders.length === 0 && outs.length === 0;
    const { doubts = [] } = webWords(web);
    return {
      // Without a name, it takes the one in the answer's header.
      doubts: [...doubts, ...(outs.length === 0 && words.length > 0 ? [CHOSEN_THERE] : [])],
      urls: web,
      ...(words.some(isList) && { urls: [...web, ""], editsBelow: folders.length > 0 ? folders : ["."] }),
      reads: words.filter((word) => isList(word) && !word.includes(":")),
      writes: [...(isHere ? ["."] : []), ...(outs.length === 0 ? landings(web, folders) : names)],
    };
  },
};

/** `nmcli device wifi` lists; below other things the second word says what happens. */
const nmcliReader: Reader = {
  effects: ([, verb = "show", third = "list"]) => ({
    doubts:
      /^(?:show|status|list|l|s)$/.test(verb) || (verb === "wifi" && third === "list")
        ? []
        : ["changes the network"],
  }),
};

export const networkReaders: readonly (readonly [name: string, reader: Reader])[] = [
  ["curl", curlReader],
  ["wget", wgetReader],
  ["aria2", ariaReader],
  ["web", webReader],
  ["httpie", httpieReader],
  ["ssh", sshReader],
  ...remoteCopyReaders,
  ["dns-lookup", lookupReader],
  ["nmcli", nmcliReader],
  ["gpg", gpgReader],
];
