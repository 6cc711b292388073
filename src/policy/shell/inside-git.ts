/**
 * `git -C folder push` is `git push` elsewhere, and git's own settings can name commands to run.
 * The command without the options before it is given as the inside, so that a rule on it matches.
 */
import { readOptions } from "./read-options.js";
import type { InnerCommand, InnerCommands } from "./inner-command.js";

const OPTIONS =
  "-C= -p --paginate -P --no-pager --no-replace-objects --no-lazy-fetch --no-optional-locks --no-advice " +
  "--literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs -v --version -h --help " +
  "--html-path --man-path --info-path --list-cmds= --attr-source= " +
  "-c= --config-env= --exec-path? --git-dir= --work-tree= --namespace= --bare --super-prefix=";
/** With these options git reads other settings, and settings can name programs. */
const SETTINGS = new Set(["-c", "--config-env", "--exec-path", "--git-dir", "--work-tree", "--bare"]);

export function insideGit(name: string, words: readonly string[]): InnerCommands | undefined {
  if (name !== "git") return undefined;
  const { options, rests, doubts } = readOptions(words, OPTIONS);
  const insides: InnerCommand[] = [];
  const also: string[] = [];
  for (const [option, value = ""] of options) {
    if (SETTINGS.has(option)) also.push(`git ${option} changes the settings that git obeys`);
    const command = /^alias\.[^=]*=!([^]*)$/.exec(value)?.[1];
    if (option === "-c" && command !== undefined) insides.push({ wrapper: name, text: command });
  }
  const folders = options.flatMap(([option, value]) =>
    option === "-C" && value !== undefined ? [value] : [],
  );
  // Several -C build on each other. The doubt asks a person, since a rule on paths cannot follow them.
  if (folders.length > 1) also.push("git changes the folder several times");
  for (const rest of rests) {
    if (rest.length < words.length)
      insides.push({ wrapper: name, argv: [name, ...rest], folder: folders[0] });
    else insides.push(...insideSubcommand(rest));
  }
  return { insides, doubts: [...doubts, ...also], known: insides.length > 0 };
}

function insideSubcommand([command, ...words]: readonly string[]): readonly InnerCommand[] {
  const wrapper = "git";
  if (command === "bisect" && words[0] === "run") return [{ wrapper, argv: words.slice(1) }];
  if (command === "submodule") {
    const at = words.indexOf("foreach");
    const text = words
      .slice(at + 1)
      .filter((word) => word !== "--recursive")
      .join(" ");
    return at < 0 ? [] : [{ wrapper, text }];
  }
  if (command === "rebase") return words.flatMap((word, index) => rebaseCommand(word, words[index + 1]));
  return [];
}

function rebaseCommand(word: string, next: string | undefined): readonly InnerCommand[] {
  const attached = /^(?:--exec=|-x)([^]+)$/.exec(word)?.[1];
  const text = attached ?? (word === "-x" || word === "--exec" ? next : undefined);
  return text === undefined ? [] : [{ wrapper: "git", text }];
}
