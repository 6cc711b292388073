/** HTTPie and xh: `http [METHOD] URL [item …]`, where items are headers, data and files. */
import type { Reader } from "../program.js";
import { CHOSEN_THERE, onlyAsks, webWords } from "./web-address.js";

/** `name@file`, `name=@file`, `name:=@file`. */
const FILE_ITEM = /^[^=:@]*(?:@|:?=@)(?<path>.*)$/;
/** `name=value`, `name:=json`; but `name==value` is a part of the address. */
const DATA_ITEM = /^[^=:]*(?::=|=(?!=))/;

const isAddress = (item: string) => /^https?:/i.test(item);

export const httpieReader: Reader = {
  effects: (words, seen) => {
    const hasMethod = words.length > 1 && /^[a-z]+$/i.test(words[0] ?? "");
    const [url, ...items] = hasMethod ? words.slice(1) : words;
    const files = items.filter((item) => FILE_ITEM.test(item) && !isAddress(item));
    const carriesData =
      (hasMethod && !onlyAsks(words[0] ?? "")) ||
      items.some((item) => DATA_ITEM.test(item)) ||
      files.length > 0;
    const urls = url === undefined ? [] : [url.replace(/^:(?!:)\/?/, "localhost:")];
    const isNamedThere = seen.has("-d", "--download") && !seen.has("-o", "--output");
    return {
      urls,
      sends: carriesData && !seen.has("--offline") ? urls : [],
      reads: files.map((item) => FILE_ITEM.exec(item)?.groups?.["path"] ?? ""),
      editsBelow: isNamedThere ? ["."] : [],
      doubts: [
        ...(isNamedThere ? [CHOSEN_THERE] : []),
        ...(webWords(urls).doubts ?? []),
        ...urls
          .filter((address) => /^[^/?#]*@/.test(address))
          .map((address) => `"${address}" has a name before its host, which hides where it leads`),
        ...files.map((item) => `"${item}" sends a file away`),
      ],
    };
  },
};
