/** Whether git ignores a folder, by plain lines of `.gitignore` that name it. Fails closed: other lines count for nothing. */
import { basename, dirname, join, relative } from "node:path";
import { fileText } from "../file-text.js";

/** `top`: the folder of the repository. */
export function isIgnored(folder: string, top: string): boolean {
  const name = basename(folder);
  const files = [{ base: top, file: join(top, ".git", "info", "exclude") }];
  const isLast = (base: string): boolean => base === top || base === dirname(base);
  for (let base = dirname(folder); ; base = dirname(base)) {
    files.push({ base, file: join(base, ".gitignore") });
    if (isLast(base)) break;
  }
  const lines = files.flatMap(({ base, file }) => linesOf(file).map((line) => ({ base, line })));
  // A line that takes something back may be about a file in the folder.
  if (lines.some(({ line }) => line.startsWith("!") && line.includes(name))) return false;
  return lines.some(({ base, line }) => names(line, relative(base, folder), name));
}

/** `build`, `/build/`, `build/*`, `build` behind two stars, `[Bb]uild/`, `packages/ui/build`. */
function names(line: string, path: string, name: string): boolean {
  const plain = line.replace(/\/(?:\*\*?)?$/, "").replace(/^\*\*\//, "");
  if (!/^\/?(?:[\w.-]|\[[A-Za-z]{2}\]|\/(?=.))+$/.test(plain)) return false;
  const pattern = new RegExp(`^${plain.replace(/^\//, "").replaceAll(".", "\\.")}$`);
  return pattern.test(plain.includes("/") ? path : name);
}

const linesOf = (file: string): readonly string[] =>
  (fileText(file) ?? "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
