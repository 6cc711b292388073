/** The wider rule for one part of an intent: its subcommand, its host, or the folder that it reads or edits. */
import { visibleText } from "../../call/index.js";
import { UNBOUND } from "../intent.js";
import { fileAccesses } from "../file-accesses.js";
import type { Intent, PathAccess } from "../intent.js";
import type { CommandPart, Part, PathPart } from "../parts.js";
import { isInside } from "../places.js";
import type { Rule } from "../rule.js";
import { commandClass } from "./command-class.js";
import { boundContents } from "./exact-rule.js";
import type { NamedRule } from "./exact-rule.js";
import { belowRule, editFolder, wideFileRules } from "./file-rules.js";
import type { WideRules } from "./file-rules.js";
import { hostClass } from "./host-class.js";
import { readFolder } from "./read-folder.js";
import type { FolderPlaces } from "./read-folder.js";

/** Undefined when the part can only be remembered as it is. */
export function wideRules(part: Part, intent: Intent, places: FolderPlaces): WideRules | undefined {
  if (part.type === "command") return commandRules(part, intent, places);
  return part.type === "path" ? pathRules(part, intent, places) : undefined;
}

function commandRules(part: CommandPart, intent: Intent, places: FolderPlaces): WideRules | undefined {
  const accesses = fileAccesses(part, intent);
  if (accesses) return wideFileRules(accesses, places);
  const host = hostClass(part);
  if (host !== undefined)
    return {
      width: "host",
      rules: [
        {
          rule: { allow: "execute", command: "curl *", host, width: "host" },
          name: `reading from ${host} with curl (GET and HEAD, nothing sent)`,
        },
      ],
    };
  const pattern = commandClass(part, places.roots);
  const rule = pattern === undefined ? undefined : classRule(pattern, part, intent);
  return rule && { width: "subcommand", rules: [rule] };
}

function classRule(pattern: string, part: CommandPart, { contents = {} }: Intent): NamedRule | undefined {
  if (part.runsFiles.some((path) => contents[path] === UNBOUND)) return undefined;
  const rule: Rule = {
    allow: "execute",
    command: pattern,
    width: "subcommand",
    ...(part.runsFiles.length > 0 && { contents: boundContents(part, contents) }),
  };
  return { rule, name: `\`${visibleText(pattern.slice(0, -2))}\`` };
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
