/**
 * The person's settings of git that a contained command gets: name, mail address, the name of the first branch, and how
 * lines end, since a commit would else have other bytes. The real file may hold passwords and names of programs.
 */
import { join } from "node:path";
import { fileText } from "../file-text.js";

const PASSED: ReadonlySet<string> = new Set([
  "user.name",
  "user.email",
  "init.defaultbranch",
  "core.autocrlf",
  "core.eol",
]);

/** A hidden file that git tracks has its length and its time, and nothing else of it. */
const LENIENT = "[core]\n\tcheckStat = minimal\n\ttrustctime = false\n";

/** The text of a settings file for the sandbox. */
export function gitIdentity(home: string): string {
  const settings = new Map(
    [join(home, ".config", "git", "config"), join(home, ".gitconfig")].flatMap((file) =>
      passedIn(fileText(file) ?? ""),
    ),
  );
  const lines = [...settings].map(([name, value]) => {
    const [section = "", key = ""] = name.split(".");
    return `[${section}]\n\t${key} = "${value.replace(/["\\]/g, "\\$&")}"\n`;
  });
  // A folder that only looks like a repository has settings too, and nobody looked at those.
  return `${lines.join("")}[safe]\n\tbareRepository = explicit\n${LENIENT}`;
}

function passedIn(text: string): readonly (readonly [name: string, value: string])[] {
  let section = "";
  return text.split("\n").flatMap((line) => {
    section = /^\s*\[(?<name>[^\]]*)\]/.exec(line)?.groups?.["name"]?.toLowerCase() ?? section;
    const { key = "", value = "" } = /^\s*(?<key>[\w-]+)\s*=\s*(?<value>.*?)\s*$/.exec(line)?.groups ?? {};
    const name = `${section}.${key.toLowerCase()}`;
    return PASSED.has(name) ? [[name, value.replace(/^"(?<inner>.*)"$/, "$<inner>")] as const] : [];
  });
}
