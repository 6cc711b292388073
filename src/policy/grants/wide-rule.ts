/** The wider rule for one part of an intent: its subcommand, its host, or the folder that it reads or edits. */
import { visibleText } from "../../call/index.js";
import { UNBOUND } from "../intent.js";
import type { Intent, PathAccess } from "../intent.js";
import type { CommandPart, Part, PathPart } from "../parts.js";
import { isInside } from "../places.js";
import type { Rule } from "../rule.js";
import { commandClass } from "./command-class.js";
import { boundContents } from "./exact-rule.js";
import type { NamedRule } from "./exact-rule.js";
import type { GrantWidth } from "./grant.js";
import { hostClass } from "./host-class.js";
import { readFolder } from "./read-folder.js";
import type { FolderPlaces } from "./read-folder.js";

export type WideRules = { readonly width: GrantWidth; readonly rules: readonly NamedRule[] };

/** Undefined when the part can only be remembered as it is. */
export function wideRules(part: Part, intent: Intent, places: FolderPlaces): WideRules | undefined {
  if (part.type === "command") return commandRules(part, intent, places);
  return part.type === "path" ? pathRules(part, intent, places) : undefined;
}

function commandRules(part: CommandPart, intent: Intent, places: FolderPlaces): WideRules | undefined {
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
  const reads = outsideReads(part, places);
  if (reads.length > 0) return readRules(part, reads, places);
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

/** Paths outside of the workspace that a command reads which does nothing else. */
function outsideReads(part: CommandPart, places: FolderPlaces): readonly string[] {
  if (!part.judgement.onlyReads || part.judgement.doubts.length > 0 || part.cwd === undefined) return [];
  const paths = [...part.touches.map(({ path }) => path), part.cwd];
  return [...new Set(paths)].filter((path) => !isInside(path, places));
}

function readRules(
  { touches }: CommandPart,
  paths: readonly string[],
  places: FolderPlaces,
): WideRules | undefined {
  if (touches.some(({ path }) => path === "/")) return undefined;
  const folders = paths.map((path) => readFolder(path, places));
  if (!folders.every((folder) => folder !== undefined)) return undefined;
  const distinct = [...new Set(folders)].filter(
    (folder) => !folders.some((other) => folder !== other && folder.startsWith(`${other}/`)),
  );
  return { width: "folder", rules: distinct.map((folder) => belowRule("read", folder)) };
}

/** A tool of a server, or of an unknown kind, is named by itself: a rule on a kind does not open it. */
function pathRules(part: PathPart, intent: Intent, places: FolderPlaces): WideRules | undefined {
  if (part.named !== undefined || intent.server !== undefined || intent.isKindGuessed) return undefined;
  if (isReading(part.access) && !isInside(part.path, places)) {
    const folder = readFolder(part.path, places);
    return folder === undefined ? undefined : { width: "folder", rules: [belowRule("read", folder)] };
  }
  const folder = part.access === "write" ? editFolder(part.path, places) : undefined;
  return folder === undefined ? undefined : { width: "edits", rules: [belowRule("edit", folder)] };
}

const isReading = (access: PathAccess["access"]): boolean => access === "read" || access === "search";

/** The first folder of the workspace above the file; a file in the workspace's own folder stands for itself. */
function editFolder(path: string, { roots }: FolderPlaces): string | undefined {
  const root = roots.find((one) => path.startsWith(`${one}/`));
  const [first = "", ...rest] = root === undefined ? [] : path.slice(root.length + 1).split("/");
  if (root === undefined || rest.length === 0 || first.startsWith(".") || /[*?]/.test(first))
    return undefined;
  return `${root}/${first}`;
}

function belowRule(kind: "read" | "edit", folder: string): NamedRule {
  const rule: Rule = { allow: kind, path: `${folder}/**` };
  return { rule, name: `${kind === "read" ? "reading" : "editing"} below ${visibleText(folder)}` };
}
