/** chmod and dd, whose words have a small language of their own. */
import type { Reader, Seen } from "../program.js";

function modeDoubts(mode: string, isRecursive: boolean): string[] {
  if (/[+=][rwxX]*[st]|^[2-7]\d{3}$/.test(mode)) return [`"${mode}" lets others run it as its owner`];
  if (/^0?\d\d[2367]$|(?:^|,)[ug]*[oa][ugoa]*[+=][rxX]*w/.test(mode))
    return [`"${mode}" lets everyone write it`];
  if (isRecursive && /^0*$|-[wxX]*r/.test(mode)) return [`"${mode}" locks everyone out`];
  return [];
}

export function modeWords(words: readonly string[], seen: Seen) {
  const hasReference = seen.has("--reference");
  const mode = hasReference ? "" : (words[0] ?? "");
  return {
    paths: hasReference ? words : words.slice(1),
    doubts: modeDoubts(mode, seen.has("-R", "--recursive")),
  };
}

const OPERANDS = /^(?:if|of|bs|ibs|obs|cbs|count|skip|seek|iseek|oseek|conv|status|iflag|oflag)=/;
const WRITTEN_BY_PEOPLE =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|c|h|cpp|java|json|ya?ml|toml|md|html|css|sql|db|sqlite)$/;

export const dd: Reader = {
  effects: (words) => {
    const value = (name: string) =>
      words.filter((word) => word.startsWith(`${name}=`)).map((word) => word.slice(name.length + 1));
    const isEmptied =
      /^\/dev\/(?:null|zero|u?random)$/.test(value("if")[0] ?? "") &&
      value("of").some((path) => WRITTEN_BY_PEOPLE.test(path));
    return {
      reads: value("if"),
      writes: value("of"),
      doubts: [
        ...(isEmptied ? ["overwrites a file with nothing of use"] : []),
        ...words
          .filter((word) => !OPERANDS.test(word))
          .map((word) => `"${word}" is not an operand known to be harmless`),
      ],
    };
  },
};
