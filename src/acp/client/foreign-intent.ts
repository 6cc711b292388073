/**
 * What a foreign agent's call is about to do, as far as it can be seen, for the rules to judge.
 *
 * What must stay true: what the agent calls its call opens nothing. Kind, title and name may make the rules
 * stricter, never looser; what is allowed is allowed for the command, the files and the addresses that the
 * call carries. Where two things that it carries disagree, a person is asked and told.
 */
import { oneLine } from "../../call/index.js";
import type { ToolCall, ToolKind } from "../../call/index.js";
import { readShell } from "../../policy/index.js";
import type { Intent } from "../../policy/index.js";
import { TOO_MUCH } from "../../run/breaches.js";
import type { FileText, ReportedIntent } from "../../run/reported-intent.js";
import { runContents } from "../../tools/built-in/run-contents.js";
import { evidenceOf, unknownIn } from "./evidence.js";
import type { Evidence, Shown } from "./evidence.js";
import {
  accessTo,
  isEdit,
  linksOf,
  MAX_FOLDERS,
  pathsOf,
  quoted,
  realPath,
  uniquePaths,
} from "./foreign-paths.js";
import type { IntentPlace } from "./foreign-paths.js";
import { disagreementOf } from "./shown-disagreement.js";

/** All that an agent has reported of a call. */
export type Carried = Pick<Shown, "rawInputs" | "content" | "locations"> & {
  readonly kinds: readonly ToolKind[];
  /** Titles that it was given after it was decided on. */
  readonly laterTitles: readonly string[];
};

/** `before`: what was reported of the call before. All of it counts. */
export async function foreignIntent(
  call: ToolCall,
  before: Carried | undefined,
  place: IntentPlace,
): Promise<ReportedIntent> {
  const shown = shownOf(call, before);
  const evidence = evidenceOf(shown);
  const command = oneCommand(evidence.commands);
  const folders = await foldersOf(evidence, place);
  const [cwd = place.cwd] = folders;
  const paths = await pathsOf(evidence, shown, { ...place, cwd, folders }, command);
  const contents = command === undefined ? {} : await runContents({ command, cwd }, place.workspace);
  const intent: Intent = {
    ...whatItIs(evidence, command, shown, place.agent),
    input:
      evidence.diffs.length > 0
        ? { input: shown.rawInputs.at(-1) ?? null, diffs: evidence.diffs }
        : (shown.rawInputs.at(-1) ?? null),
    cwd,
    ...(command !== undefined && { command }),
    ...(Object.keys(contents).length > 0 && { contents }),
    paths,
    hosts: evidence.urls,
    baseHashes: {},
  };
  const hasEvidence = command !== undefined || paths.length + evidence.urls.length > 0;
  const unknown = unknownBeside(intent, shown);
  return {
    intent,
    isBlind: evidence.isTooMuch || (!hasEvidence && evidence.server === undefined),
    readings: await readingsOf(intent, evidence, folders, place),
    suspicions: suspicionsOf(intent, shown, before?.laterTitles ?? []),
    doubt: evidence.doubts[0] ?? (unknown.length === 0 ? undefined : doubtOf(unknown)),
    disagreement: evidence.isTooMuch ? TOO_MUCH : await disagreementOf(evidence, folders, place),
    writes: await textsOf(evidence, { ...place, cwd }),
  };
}

function shownOf(call: ToolCall, before: Carried | undefined): Shown {
  const { kind, title, name } = call;
  const inputs = [...(before?.rawInputs ?? []), call.rawInput];
  return {
    kind,
    kinds: [...new Set([kind, ...(before?.kinds ?? [])])],
    title,
    name,
    rawInputs: inputs.filter((input) => input !== undefined && input !== null),
    content: [...new Set([...(before?.content ?? []), ...call.content])],
    locations: [...(before?.locations ?? []), ...call.locations],
  };
}

/** All folders in which it may be done, the first first. */
async function foldersOf({ folders }: Evidence, place: IntentPlace): Promise<readonly string[]> {
  const named = folders.length === 0 ? [place.cwd] : folders.slice(0, MAX_FOLDERS);
  return [...new Set(await Promise.all(named.map((folder) => realPath(folder, place, false))))];
}

/** Each command by itself, in each folder, and each server's tool. */
async function readingsOf(
  intent: Intent,
  { commands, joined, servers }: Evidence,
  folders: readonly string[],
  place: IntentPlace,
): Promise<readonly Intent[]> {
  const readings: Intent[] = servers
    .slice(1)
    .map(({ server, tool }) => ({ ...intent, tool, server, isKindGuessed: true }));
  const lines = [...commands, ...joined];
  if (lines.length < 2 && folders.length < 2) return readings;
  for (const cwd of folders)
    for (const command of lines) {
      const links = await linksOf(command, { ...place, cwd });
      readings.push({ ...intent, command, cwd, paths: uniquePaths([...intent.paths, ...links]) });
    }
  return readings;
}

/** What each file will hold, under the path to which it really leads. */
async function textsOf({ writes, diffs }: Evidence, place: IntentPlace): Promise<readonly FileText[]> {
  const shown = diffs.flatMap(({ path, newText }) =>
    newText === undefined ? [] : [{ path, text: newText }],
  );
  const texts: FileText[] = [];
  for (const { path, text } of [...writes, ...shown])
    texts.push({ path: (await accessTo(path, "write", place)).path, text });
  return texts;
}

/** Fields beside what a rule could allow by its kind. A tool that a rule names may be given what it likes. */
function unknownBeside({ command, tool }: Intent, shown: Shown): readonly string[] {
  if (command !== undefined) return unknownIn(shown, "command");
  return tool === "edit_file" || tool === "fetch" ? unknownIn(shown, "path") : [];
}

function doubtOf(names: readonly string[]): string {
  const listed = names.slice(0, 3).map((name) => `"${oneLine(name, 80)}"`);
  return `the call carries ${listed.join(", ")}, whose meaning is not known`;
}

/** The name under which rules know it. The agent's own name for it is only used where nothing better is known. */
function whatItIs(
  evidence: Evidence,
  command: Intent["command"],
  { kind, name }: Shown,
  agent: string,
): Pick<Intent, "tool" | "kind" | "isKindGuessed" | "server"> {
  if (command !== undefined) return { tool: "terminal", kind: "execute" };
  const { urls, named, server, locations } = evidence;
  const removal = removalIn(evidence, kind);
  if (isEdit(evidence) && !removal) return { tool: "edit_file", kind: "edit" };
  if (server) return { tool: server.tool, kind: removal ?? kind, isKindGuessed: true, server: server.server };
  const isOnlyFetch = urls.length > 0 && named.length + locations.length === 0 && !removal;
  if (isOnlyFetch) return { tool: "fetch", kind: "fetch" };
  const called = name === "" ? "unnamed" : oneLine(name, 80);
  return { tool: `${agent}/${called}`, kind: removal ?? kind, isKindGuessed: true };
}

/** What happens to files beside being written, by what the call carries or else by what it is called. */
function removalIn({ deleted, moved, diffs }: Evidence, kind: ToolKind): "delete" | "move" | undefined {
  if (deleted.length > 0 || diffs.some(({ operation }) => operation === "delete")) return "delete";
  if (moved.length > 0 || diffs.some(({ oldPath }) => oldPath !== undefined)) return "move";
  return kind === "delete" || kind === "move" ? kind : undefined;
}

/** Several commands are as many lines of one text: each of them must be allowed. */
function oneCommand(commands: Evidence["commands"]): Intent["command"] {
  const [first, ...others] = commands;
  if (first === undefined || others.length === 0) return first;
  return commands.map((one) => (typeof one === "string" ? one : quoted(one))).join("\n");
}

/** What the agent says of its call may not open anything, but a rule that forbids just that is heard. */
function suspicionsOf(
  intent: Intent,
  { kind, kinds = [kind], title }: Shown,
  laterTitles: readonly string[],
): readonly Intent[] {
  const suspicions: Intent[] = kinds
    .filter((one) => one !== intent.kind)
    .map((one) => ({ ...intent, kind: one, isKindGuessed: true }));
  // Some agents show a command in the title and nowhere else.
  const titles = [...(intent.command === undefined ? [title] : []), ...laterTitles];
  if (kinds.includes("execute"))
    for (const one of titles)
      if (readShell(one).commands.length > 0) suspicions.push({ ...intent, command: one });
  return suspicions;
}
