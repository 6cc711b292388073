/**
 * Whether the words of a command say that it deletes files of every kind below a folder, ignored ones too. Undo does not
 * bring large ignored folders (`node_modules`) back, so such a command is asked about.
 */
import { absolutePath } from "../../call/absolute-path.js";
import { baseName } from "../shell/base-name.js";

/** Tests of `find` that leave some files out; all others take the dependencies too. */
const NARROWING =
  /^-(?:i?name|i?path|i?wholename|i?regex|[acm](?:time|min)|newer.*|size|empty|user|group|perm|links|inum|samefile|prune)$/;

/** Returns the folders. `cwd`: where the command runs. */
export function sweptFolders(argv: readonly string[], cwd: string): readonly string[] {
  const [program = "", ...words] = argv;
  const name = baseName(program);
  if (name === "git") return isFullClean(words) ? [cwd] : [];
  if (name !== "find" || !words.includes("-delete") || words.some((word) => NARROWING.test(word))) return [];
  const firstTest = words.findIndex((word) => /^[-(!]/.test(word));
  const folders = words.slice(0, firstTest).map((word) => absolutePath(cwd, word));
  return folders.length > 0 ? folders : [cwd];
}

/** `git clean` with a flag that takes ignored files, and not only shows them. */
function isFullClean(words: readonly string[]): boolean {
  const at = words.indexOf("clean");
  const flags = words.slice(at + 1).filter((word) => /^-[a-zA-Z]+$/.test(word));
  const has = (letters: RegExp): boolean => flags.some((flag) => letters.test(flag));
  return at >= 0 && has(/[xX]/) && !has(/n/) && !words.includes("--dry-run");
}
