/**
 * One spelling for all the names that some file system takes for the same file. For refusing only:
 * here two files that are really different may meet, which costs a question and never lets one through.
 *
 * Folded are: Unicode normalisation, case (macOS, Windows), characters that HFS+ ignores, such as a
 * zero-width joiner, and what Windows drops: dots and spaces at the end of a name, and a `:stream`.
 * Look-alike letters of other scripts stay what they are: no file system takes them for each other.
 */
import { windowsRoot } from "./path-segments.js";

export function foldPath(path: string): string {
  const windows = windowsRoot(path);
  if (!windows) return path.split("/").map(foldName).join("/");
  const names = windows.rest.split(/[\\/]/).map((name) => foldName(name.replace(/:.*$/s, "")));
  return foldCase(windows.root.slice(1)) + names.join("\\");
}

function foldName(name: string): string {
  const folded = foldCase(name.replace(/\p{Default_Ignorable_Code_Point}/gu, ""));
  // Not a regular expression: /[. ]+$/ takes quadratic time on a name full of dots.
  let end = folded.length;
  while (end > 0 && ". ".includes(folded.charAt(end - 1))) end -= 1;
  // A name of dots alone, and above all "..", keeps its meaning.
  return end === 0 ? folded : folded.slice(0, end);
}

/** Down, up and down again, since some letters meet only there (ſ and s; ẞ, ß and ss). */
export function foldCase(text: string): string {
  const lower = text.normalize("NFD").toLowerCase().toUpperCase().toLowerCase();
  // JavaScript writes a last sigma by what stands before it, and a wildcard there would change it.
  return lower.replaceAll("ς", "σ").normalize("NFC");
}
