/** Why a command may do more than its known effects. */
import { visibleText } from "../call/index.js";
import { forcesGitSettings } from "./forced-git-settings.js";
import type { Intent } from "./intent.js";
import { isGit } from "./part.js";
import type { CommandPart } from "./part.js";
import { namedActs } from "./programs/named-acts.js";
import { SYSTEM_WINDOW, unclearDoubts } from "./programs/path-effects.js";

/** Why a command may do more than its known effects; undefined when it cannot. */
export function unknownEffects(part: CommandPart, intent: Intent): string | undefined {
  const program = visibleText(part.argv[0] ?? "");
  if (part.judgement.runs) return `${program} runs code`;
  const { isKnown, takesList } = part.judgement;
  const [forGit] = gitDoubts(part, intent);
  if (part.argv.length === 0 || forGit !== undefined) return forGit;
  const unclear = unclearDoubts(part.judgement).find((doubt) => !doubt.endsWith(SYSTEM_WINDOW));
  if (unclear !== undefined) return visibleText(unclear);
  if (takesList) return `${program} takes names from a list`;
  if (isGit(part) && !part.judgement.onlyReads && !part.argv.some((word) => WITHOUT_HOOKS.has(word)))
    return "git may run the repository's hooks";
  return isKnown ? undefined : `nobody described ${program}`;
}

/** Subcommands of git that change settings and no index or reference. */
const WITHOUT_HOOKS: ReadonlySet<string> = new Set(["config", "remote", "init"]);

/** The objections of the lists of harmless flags to a command. */
export function flagDoubts(part: CommandPart): readonly string[] {
  const named = namedActs(part.judgement).map(
    ({ does, word }) => `it ${does}, which only a rule with "${word}" in it allows`,
  );
  return [...part.judgement.doubts, ...named].map((doubt) => visibleText(doubt));
}

/** Why a git command that only shows something does not count as a read here. */
export function gitDoubts(part: CommandPart, { executor }: Intent): readonly string[] {
  if (!isGit(part) || !part.judgement.onlyReads) return [];
  if (forcesGitSettings(executor)) return [];
  if (executor === undefined)
    return ["git runs programs that a repository's settings name, and Toolgate does not start it here"];
  return executor.notForced === undefined ? [] : [visibleText(executor.notForced)];
}

/** The same for people, who also want to know why a read beside other commands is none. */
export function whyNoGitRead(part: CommandPart, intent: Intent): readonly string[] {
  if (!isGit(part) || !part.judgement.onlyReads || forcesGitSettings(intent.executor)) return [];
  const doubts = gitDoubts(part, intent);
  return doubts.length > 0
    ? doubts
    : [
        "git may run programs that settings name, which Toolgate prevents only in a command that runs no other code",
      ];
}
