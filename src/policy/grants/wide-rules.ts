/** The wider rule for one part of an intent: its subcommand, its host, or the folder that it reads or edits. */
import { visibleText } from "../../call/index.js";
import { UNBOUND } from "../intent.js";
import { fileAccesses } from "../file-accesses.js";
import type { Intent, PathAccess } from "../intent.js";
import type { CommandPart, Part, PathPart } from "../part.js";
import { isInside } from "../places.js";
import type { Rule } from "../rule.js";
import { commandClass, commandFamily, isLook } from "./command-class.js";
import { boundContents } from "./exact-rule.js";
import type { NamedRule } from "./exact-rule.js";
import { familyHead, familyText } from "./families.js";
import { belowRule, editFolder, wideFileRules } from "./file-rules.js";
import type { WideRules } from "./file-rules.js";
import { hostClass, localClass } from "./host-class.js";
import { plainClass } from "./plain-class.js";
import { readFolder } from "./read-folder.js";
import type { FolderPlaces } from "./read-folder.js";

/** Undefined when the part can only be remembered as it is. `reach`: how far a command is widened where it can be. */
export function wideRules(
  part: Part,
  intent: Intent,
  places: FolderPlaces,
  reach: "family" | "subcommand" = "subcommand",
): WideRules | undefined {
  if (part.type === "command") return commandRules(part, intent, places, reach);
  return part.type === "path" ? pathRules(part, intent, places) : undefined;
}

function commandRules(
  part: CommandPart,
  intent: Intent,
  places: FolderPlaces,
  reach: "family" | "subcommand",
): WideRules | undefined {
  const accesses = fileAccesses(part, intent);
  if (accesses) return wideFileRules(accesses, places);
  const host = hostRule(part);
  if (host) return { width: "host", rules: [host] };
  // The words for a family of checks do not say what a look does: the question names the look itself.
  const looks = isLook(part, places.roots);
  const family = reach === "family" && !looks ? commandFamily(part, places.roots) : undefined;
  const width = family === undefined ? "subcommand" : "family";
  const pattern = family ?? commandClass(part, places.roots);
  const rule =
    pattern === undefined
      ? plainRule(part, intent, places)
      : looks
        ? lookRule(pattern, part, intent)
        : classRule(pattern, width, part, intent);
  return rule && { width: pattern === undefined ? "plain" : width, rules: [rule] };
}

function hostRule(part: CommandPart): NamedRule | undefined {
  const read = hostClass(part);
  if (read !== undefined)
    return {
      rule: { allow: "execute", command: "curl *", host: read, width: "host" },
      name: `reading from ${read} with curl (GET and HEAD, nothing sent)`,
      head: `reading from ${read} with curl`,
    };
  const local = localClass(part);
  return local === undefined
    ? undefined
    : {
        rule: { allow: "execute", command: "curl *", host: local, width: "local" },
        name: `requests to ${local} with curl (GET, HEAD and POST, with data in the command, no files)`,
        head: `requests to ${local} with curl`,
      };
}

function classRule(
  pattern: string,
  width: "family" | "subcommand",
  part: CommandPart,
  intent: Intent,
): NamedRule | undefined {
  const rule = boundRule(pattern, width, part, intent);
  const words = `\`${visibleText(pattern.slice(0, -2))}\``;
  if (width === "subcommand") return rule && { rule, name: words };
  return rule && { rule, name: familyText(pattern) ?? words, head: familyHead(pattern) ?? words };
}

function lookRule(pattern: string, part: CommandPart, intent: Intent): NamedRule | undefined {
  const rule = boundRule(pattern, "subcommand", part, intent);
  return rule && { rule, name: `\`${visibleText(pattern.slice(0, -2))}\` where it only looks`, isLook: true };
}

/** The same script or program with other plain words. */
function plainRule(part: CommandPart, intent: Intent, { roots }: FolderPlaces): NamedRule | undefined {
  const command = plainClass(part, roots);
  const bound = command === undefined ? undefined : boundRule(command, "plain", part, intent);
  if (command === undefined || !bound) return undefined;
  const code = bound.contents ? "while the file is as it is now" : "whatever code it then runs";
  const head = `\`${visibleText(command.slice(0, -2))}\` with any plain words`;
  return { rule: bound, name: `${head} (${code})`, head };
}

/** Bound to the content of the files of the workspace that the command runs. */
function boundRule(
  command: string,
  width: "family" | "subcommand" | "plain",
  part: CommandPart,
  { contents = {} }: Intent,
): Rule | undefined {
  if (part.runsFiles.some((path) => contents[path] === UNBOUND)) return undefined;
  const bound = part.runsFiles.length > 0 && { contents: boundContents(part, contents) };
  return { allow: "execute", command, width, ...bound };
}

/** A tool of a server, or of an unknown kind, is named by itself: a rule on a kind does not open it. */
function pathRules(part: PathPart, intent: Intent, places: FolderPlaces): WideRules | undefined {
  if (part.named !== undefined || intent.server !== undefined || intent.isKindGuessed) return undefined;
  if (isReading(part.access) && !isInside(part.path, places)) {
    const folder = readFolder(part.path, places);
    return folder === undefined ? undefined : { width: "folder", rules: [belowRule("read", folder)] };
  }
  // The other end of a move is no edit.
  const isEdit = part.access === "write" && intent.kind === "edit";
  const folder = isEdit ? editFolder(part.path, places) : undefined;
  return folder === undefined ? undefined : { width: "edits", rules: [belowRule("edit", folder)] };
}

const isReading = (access: PathAccess["access"]): boolean => access === "read" || access === "search";
