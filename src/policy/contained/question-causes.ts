/**
 * Why a command is asked about, as data: by the code that it may run, or by something that a sandbox cannot take
 * responsibility for. Parts that a rule allows count too: all parts of a text run in one place.
 */
import { isWithin } from "../../call/absolute-path.js";
import { visibleText } from "../../call/index.js";
import { coversAccess, isFileRule, isInForce } from "../allow-rules.js";
import { protectedPaths } from "../concerns.js";
import { fileAccesses } from "../file-accesses.js";
import { hostReach } from "../hosts/host-reach.js";
import type { Intent } from "../intent.js";
import { isFolderChange } from "../part.js";
import type { CommandPart, Part } from "../part.js";
import { isInside, isOurs, isReadable } from "../places.js";
import type { Roots } from "../places.js";
import type { Staying } from "../policy.js";
import type { RuleEffect, RuleParts } from "../rule.js";
import { strangeCharacters } from "../shell/strange-characters.js";
import { needsOutside } from "./needs-outside.js";
import type { OutsideNeed } from "./needs-outside.js";
import { valuesIn } from "../word-paths.js";
import { isShownPlace, mayBePath } from "./shown-folders.js";
import { leavesServer, stayingNeed } from "./staying-need.js";
import type { StayingNeed } from "./staying-need.js";
import { sweptFolders } from "./swept-folders.js";

export type QuestionCause = {
  readonly type:
    /** The command runs code of the project, code in its words, a program or a flag that nobody described. */
    | "code"
    /** The command changes files in the workspace. */
    | "changes"
    | OutsideNeed
    /** The command needs a server that stays in the sandbox, and nothing else of the outside. */
    | StayingNeed
    /** A path outside of the workspace, or a folder that is not known. */
    | "outside"
    /** A protected name, or a secret. */
    | "protected"
    /** The command deletes the workspace, or all that is in it. */
    | "everything"
    /** Characters that hide what the text says. */
    | "hidden text"
    /** Not a command. */
    | "tool";
  readonly text: string;
};

/** Causes that a sandbox answers: nothing outside of the workspace can come to harm. */
const CONTAINABLE: ReadonlySet<QuestionCause["type"]> = new Set(["code", "stays", "joins"]);

export const isContainable = ({ type }: QuestionCause): boolean => CONTAINABLE.has(type);

export type Caused = {
  readonly intent: Intent;
  readonly policy: Roots & {
    readonly own?: readonly string[];
    readonly now?: number;
    readonly default?: RuleEffect;
    readonly staying?: Staying;
  };
  readonly parts: readonly Part[];
  readonly rules: readonly RuleParts[];
};

export function questionCauses(caused: Caused): readonly QuestionCause[] {
  const { command } = caused.intent;
  if (command === undefined) return [{ type: "tool", text: "it is not a command" }];
  const words = typeof command === "string" ? [command] : command;
  return [
    ...words.flatMap(strangeCharacters).map((text): QuestionCause => ({ type: "hidden text", text })),
    ...caused.parts.flatMap((part) => partCauses(part, caused)),
  ];
}

function partCauses(part: Part, caused: Caused): readonly QuestionCause[] {
  const { policy } = caused;
  if (part.type === "path")
    return isOurs(part.path, policy)
      ? []
      : [{ type: "outside", text: `${visibleText(part.path)} is outside` }];
  if (part.type !== "command") return [{ type: "tool", text: "it is not a command" }];
  const program = visibleText(part.argv[0] ?? "");
  const staying = stayingFor(caused);
  const need = (staying && stayingNeed(part, staying)) ?? needsOutside(part);
  const guarded = protectedPaths(part, policy);
  const isFollowed = outsidePaths(firstWay(part, caused), policy).length > 0;
  const outside = isFollowed ? outsidePaths(part, policy) : [];
  return [
    ...(need === undefined ? [] : [{ type: need, text: `${program} needs more than a sandbox has` }]),
    ...guarded.map((text) => ({ type: "protected" as const, text })),
    ...outside.map((path) => ({ type: "outside" as const, text: `${visibleText(path)} is outside` })),
    ...(deletesAll(part, policy)
      ? [{ type: "everything" as const, text: `${program} deletes the workspace` }]
      : []),
    ...(changesUncovered(part, caused)
      ? [{ type: "changes" as const, text: `${program} changes files` }]
      : []),
    { type: "code", text: `${program} runs` },
  ];
}

/**
 * The command on the way on which every `cd` before it works, which the reader names first. After one that failed, a
 * contained command finds nothing outside: `cd src; make; cd ..; npm test`.
 */
const firstWay = (part: CommandPart, { parts }: Caused): CommandPart =>
  parts.filter((one) => one.type === "command").find(({ argv }) => argv === part.argv) ?? part;

/** A server that the text itself starts runs for its other commands. */
const stayingFor = ({ policy: { staying }, parts }: Caused): Staying | undefined =>
  staying && parts.some((part) => part.type === "command" && leavesServer(part))
    ? { ...staying, isRunning: true }
    : staying;

/**
 * Whether the words of a command name a file of the workspace that it changes, other than the log of a server. A build
 * only says "somewhere below".
 */
export function changesWorkspace(part: Part, policy: Roots): boolean {
  if (part.type !== "command") return false;
  const touched = part.touches.filter((touch) => !isLook(touch) && touch.below !== true);
  const logs = serverLogs(part, policy);
  return [...touched, ...part.redirects].some(({ path }) => isInside(path, policy) && !logs.includes(path));
}

/** The files of the workspace that the output of a command in the background goes to. */
export const serverLogs = (part: Part, policy: Roots): readonly string[] =>
  part.type === "command" && part.read.isBackground === true
    ? part.redirects.map(({ path }) => path).filter((path) => isInside(path, policy))
    : [];

/** Paths that a contained command does not see as they are. */
function outsidePaths(part: CommandPart, policy: Roots): readonly string[] {
  const folder = part.cwd === undefined || !isOurs(part.cwd, policy) ? [part.cwd ?? part.way] : [];
  const { runs, isKnown } = part.judgement;
  const isCode = runs || !isKnown;
  // Code that is given a path most likely opens it. Folders that every contained command sees are there, read-only.
  const words = isCode ? part.mayMean.filter((path) => !isOfAddress(path, part)) : [];
  const [looked, changed] = [part.touches.filter(isLook), part.touches.filter((touch) => !isLook(touch))];
  // `/usr/bin/env` is there in the sandbox, and is what `env` would be.
  const code = part.runsFiles.filter((path) => !isGuessedName(path, part, policy) && !isShownPlace(path));
  const paths = [...changed, ...part.redirects].map(({ path }) => path).concat(code);
  const outside = [
    ...looked
      .map(({ path }) => path)
      .concat(words)
      .filter((path) => !isShown(path, policy) && !(isCode && isNoPath(path, part))),
    ...paths.filter((path) => !isOurs(path, policy)),
  ].filter((path) => !HARMLESS.test(path));
  return isFolderChange(part) ? outside : [...folder, ...outside];
}

/** The name of a file of ours with an ending that the program would look for next: `/tmp/a.mjs.js`. */
const isGuessedName = (path: string, { mayMean }: CommandPart, policy: Roots): boolean => {
  const plain = path.replace(/\.[a-z]+$/, "");
  return plain !== path && mayMean.includes(plain) && isOurs(plain, policy);
};

/** Whether a contained command can look at the path as it is. `~/.cache` is another one there. */
const isShown = (path: string, policy: Roots): boolean =>
  isShownPlace(path) || (isReadable(path, policy) && !isWithin(path, `${policy.home}/.cache`));

/**
 * A word of code, written from the root, that only looks like a path. The host of an address is not there in the sandbox
 * either, and is asked about.
 */
const isNoPath = (path: string, part: CommandPart): boolean =>
  !mayBePath(path) &&
  !isInAddress(path, part) &&
  part.argv.flatMap(valuesIn).some((word) => word.replace(/^\/+/, "/").replace(/\/+$/, "") === path);

/** The loopback in an address, which looks like a path: `/127.0.0.1` of `http://127.0.0.1:80`. */
const isOfAddress = (path: string, part: CommandPart): boolean =>
  hostReach(path.slice(1)) === "loopback" && isInAddress(path, part);

const isInAddress = (path: string, { argv }: CommandPart): boolean =>
  argv.some((word) => word.includes(`:/${path}`));

const isLook = ({ access }: { readonly access: string }): boolean => access === "read" || access === "search";

const HARMLESS = /^\/dev\/(?:null|zero|full|u?random|std(?:in|out|err)|tty|fd\/\d+)$/;

/** A root, a folder above one, everything that is directly in one, or all below it with what git ignores. */
function deletesAll({ touches, argv, cwd }: CommandPart, { roots }: Roots): boolean {
  const swept = cwd === undefined ? [] : sweptFolders(argv, cwd);
  if (swept.some((folder) => roots.some((root) => isWithin(root, folder)))) return true;
  return touches.some(({ access, path, below }) => {
    if ((access !== "delete" && access !== "move") || below === true) return false;
    const slash = path.lastIndexOf("/");
    const folder = /^[*?.]+$/.test(path.slice(slash + 1)) ? path.slice(0, slash) : path;
    return roots.some((root) => root === folder || root.startsWith(`${folder}/`));
  });
}

/**
 * Whether a command that only acts on files changes one where edits are asked about: a person who wants to see every
 * edit wants to see that one, too.
 */
function changesUncovered(part: CommandPart, { intent, policy, rules }: Caused): boolean {
  const changes = (fileAccesses(part, intent) ?? []).filter(
    ({ access, path }) => access !== "read" && access !== "search" && isInside(path, policy),
  );
  const allowing = rules.filter((rule) => isInForce(rule, policy) && isFileRule(rule));
  return changes.some(
    (access) => !allowing.some((rule) => coversAccess(rule, { ...access, access: "write" }, intent, policy)),
  );
}
