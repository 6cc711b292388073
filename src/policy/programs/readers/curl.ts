/** curl: which addresses it asks, what it sends them and which files it reads for that. */
import type { Effects, Reader, Seen } from "../program.js";
import { ANY_HOST, CHOSEN_THERE, landings, onlyAsks, webWords } from "./web-address.js";

const DATA = ["-d", "--data", "--data-ascii", "--data-binary", "--data-urlencode", "--json"] as const;
const FORMS = ["-F", "--form"] as const;
/** Flags whose value may be `@file`; those in the second list also take `name@file`. */
const FROM_FILES = [...DATA, "-H", "--header", "-w", "--write-out"] as const;
const FROM_NAMED_FILES = ["--data-urlencode", "--url-query", "--variable"] as const;

export const curlReader: Reader = {
  effects: (words, seen) => {
    const urls = [...words, ...seen.values("--url")];
    const patterns = severalAddresses(urls, seen);
    // Only the response shows where curl is redirected.
    const isSentOn = seen.has("-L", "--location", "--location-trusted");
    const asked = [...urls, ...(patterns.urls ?? []), ...(isSentOn ? [ANY_HOST] : [])];
    const files = sentFiles(seen);
    const cookies = seen.values("-b", "--cookie").filter((cookie) => !cookie.includes("="));
    return {
      ...downloads(urls, seen),
      urls: asked,
      sends: carriesData(seen) ? asked : [],
      reads: [...files, ...cookies],
      doubts: [
        ...requestDoubts(seen),
        ...(webWords(urls).doubts ?? []),
        ...(patterns.doubts ?? []),
        ...urls
          .filter((url) => url.startsWith("@"))
          .map((url) => `"${url}" is a list of addresses that is not shown here`),
        ...files.map((path) => `sends the file "${path}" away`),
        ...(seen.has("-J", "--remote-header-name") ? [CHOSEN_THERE] : []),
        ...(writesByFormat(seen) ? ["writes a file"] : []),
      ],
    };
  },
};

/** curl makes several addresses of one: `{one,other}.test`, `[1-9].test`. An IPv6 address stands in brackets too. */
function severalAddresses(urls: readonly string[], seen: Seen): Effects {
  // After `--next` the flags before it no longer hold.
  if (seen.has("-g", "--globoff") && !seen.has("-:", "--next")) return {};
  const patterns = urls.filter((url) => /[{}[\]]/.test(url.replace(/^(?:[a-z]+:\/\/)?\[[\da-f:.]+\]/i, "")));
  const ofHosts = patterns.filter(
    (url) => /^(?:[a-z]+:\/\/)?[^/?#]*[{}[\]]/i.test(url) || url.includes("://", url.search(/[{}[\]]/)),
  );
  return {
    urls: ofHosts.map(() => ANY_HOST),
    doubts: patterns.map((url) => `"${url}" becomes several addresses`),
  };
}

function carriesData(seen: Seen): boolean {
  const methods = seen.values("-X", "--request");
  if (methods.some((method) => !onlyAsks(method))) return true;
  if (seen.has(...FORMS, "--form-string", "-T", "--upload-file", "--json", "--mail-from", "-Q", "--quote"))
    return true;
  // With -G the data become a part of the address that is fetched.
  return seen.has(...DATA, "--data-raw") && (!seen.has("-G", "--get") || seen.has("-:", "--next"));
}

const requestDoubts = (seen: Seen): string[] =>
  seen
    .values("-X", "--request")
    .filter((method) => /^(?:DELETE|PUT|PATCH|PURGE)$/i.test(method))
    .map((method) => `the request "${method}" changes what is there`);

function sentFiles(seen: Seen): string[] {
  const namesFiles = seen.has(...FROM_NAMED_FILES);
  const values = seen.values(...FROM_FILES, ...FROM_NAMED_FILES);
  return [
    ...values
      .filter((value) => value.startsWith("@") || (namesFiles && /^[\w.-]*@/.test(value)))
      .map((value) => value.slice(value.indexOf("@") + 1)),
    ...seen
      .values(...FORMS)
      .filter((value) => /^[^=]*=[@<]/.test(value))
      .map((value) => value.replace(/^[^=]*=[@<]/, "").replace(/;.*$/, "")),
  ].filter((path) => path !== "-");
}

const writesByFormat = (seen: Seen): boolean =>
  seen.values("-w", "--write-out").some((format) => {
    const variable = format.indexOf("%{");
    return /%\{?output/.test(format) || (variable !== -1 && format.includes(">", variable));
  });

/** `-O` takes the name from the address, `-J` lets the server choose it. */
function downloads(urls: readonly string[], seen: Seen): Effects {
  const folders = seen.values("--output-dir");
  const isNamed = seen.has("-O", "--remote-name", "-J", "--remote-header-name", "--remote-name-all");
  const isChosenThere = seen.has("-J", "--remote-header-name");
  return {
    writes: [
      ...(isNamed ? [...(folders.length === 0 ? ["."] : []), ...landings(urls, folders)] : []),
      ...folders.flatMap((folder) => seen.values("-o", "--output").map((name) => `${folder}/${name}`)),
    ],
    editsBelow: folders.length > 0 ? folders : isChosenThere ? ["."] : [],
  };
}
