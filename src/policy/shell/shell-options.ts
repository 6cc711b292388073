/** The words after `bash`, `sh` and their kin. */
import { excerpt } from "./excerpt.js";

const SHELLS = /^(?:r?bash|r?sh|dash|ash|hush|zsh|[mp]?d?ksh(?:93)?|yash|fish|t?csh|busybox-sh)$/;
/** Read as bash, near enough to trust. The others read some texts otherwise. */
const LIKE_BASH = /^(?:bash|sh|dash|ash)$/;

export const isShell = (name: string) => SHELLS.test(name);
export const isLikeBash = (name: string) => LIKE_BASH.test(name);

export type ShellOptions = {
  readonly texts: readonly string[];
  readonly operands: readonly string[];
  /** `-s`: the operands are no script, the commands come from the input. */
  readonly asksInput: boolean;
  readonly doubts: readonly string[];
};

const PLAIN_LONG = new Set(["--login", "--norc", "--noprofile", "--posix", "--noediting", "--verbose"]);
const WITH_VALUE = new Set(["--rcfile", "--init-file"]);

export function readShellOptions(words: readonly string[]): ShellOptions {
  const doubts: string[] = [];
  let [hasText, asksInput, index] = [false, false, 0];
  for (; index < words.length; index++) {
    const word = words[index] ?? "";
    if (word === "--" || word === "-") {
      index++;
      break;
    }
    if (!/^[-+]./.test(word)) break;
    if (word.startsWith("--")) {
      if (!PLAIN_LONG.has(word)) doubts.push(`the shell option ${excerpt(word)} is not known`);
      if (WITH_VALUE.has(word)) index++;
      continue;
    }
    if (word.startsWith("-")) {
      hasText ||= word.includes("c");
      asksInput ||= word.includes("s");
    }
    if (!/^-[celux]+$/.test(word)) doubts.push(`the shell option ${excerpt(word)} changes how it reads`);
    // `-o name` and `-O name` take the next word, also when they stand among other letters.
    index += word.slice(1).replaceAll(/[^oO]/g, "").length;
  }
  const rest = words.slice(index);
  const text = hasText ? rest[0] : undefined;
  return text === undefined
    ? { texts: [], operands: rest, asksInput, doubts }
    : { texts: [text], operands: rest.slice(1), asksInput: false, doubts };
}
