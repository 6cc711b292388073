/**
 * Derives the intent of a foreign agent's call from everything that it carries, for the rules to judge.
 *
 * Invariants: the agent's own labels never loosen a verdict. Kind, title and name may make the rules stricter;
 * permission is given for the command, the files and the addresses that the call carries. Where two of them disagree,
 * a person is asked and sees the disagreement.
 */
import { posix } from "node:path";
import { absolutePath, oneLine } from "../../call/index.js";
import type { ToolCall, ToolKind } from "../../call/index.js";
import { readShell } from "../../policy/index.js";
import type { Intent } from "../../policy/index.js";
import { TOO_MUCH } from "../../run/breaches.js";
import type { FileText, ReportedIntent } from "../../run/reported-intent.js";
import { outsideLinks } from "../../tools/built-in/outside-links.js";
import { runContents } from "../../tools/built-in/run-contents.js";
import { evidenceOf, unknownIn } from "./evidence.js";
import type { Evidence, Shown } from "./evidence.js";
import {
  ACCESSES,
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
import { shownDisagreement } from "./shown-disagreement.js";

/** All that an agent has reported of a call. */
export type Carried = Pick<Shown, "rawInputs" | "content" | "locations"> & {
  readonly kinds: readonly ToolKind[];
  /** Titles that it was given after it was decided on. */
  readonly laterTitles: readonly string[];
};

/** `before`: everything that was reported of the call earlier. All of it counts. */
export async function foreignIntent(
  call: ToolCall,
  before: Carried | undefined,
  where: IntentPlace,
): Promise<ReportedIntent> {
  const place = { ...where, lookedUp: where.lookedUp ?? new Map() };
  const shown = shownOf(call, before);
  const evidence = evidenceOf(shown);
  const command = oneCommand(evidence.commands);
  const folders = await foldersOf(evidence, place);
  const [cwd = place.cwd] = folders;
  const paths = await pathsOf(evidence, shown, { ...place, cwd, folders }, command);
  const contents = command === undefined ? {} : await runContents({ command, cwd }, place.workspace);
  const links = command === undefined ? [] : await outsideLinks({ command, cwd }, place.workspace);
  const intent: Intent = {
    ...whatItIs(evidence, command, shown, place.agent),
    input:
      evidence.diffs.length > 0
        ? { input: shown.rawInputs.at(-1) ?? null, diffs: evidence.diffs }
        : (shown.rawInputs.at(-1) ?? null),
    cwd,
    ...(command !== undefined && { command }),
    ...(Object.keys(contents).length > 0 && { contents }),
    ...(links.length > 0 && { outsideLinks: links }),
    paths,
    hosts: evidence.urls,
    baseHashes: {},
  };
  return {
    intent,
    inputs: shown.rawInputs,
    isNamedByRunner: isNamedByAgent(intent, place.agent),
    isBlind: evidence.isTooMuch || isBlind(intent, shown),
    readings: await readingsOf(intent, evidence, folders, place),
    suspicions: suspicionsOf(intent, shown, before?.laterTitles ?? []),
    doubt: doubtOf([...evidence.doubts, ...(evidence.isTooMuch ? [] : unknownBeside(intent, shown))]),
    disagreement: evidence.isTooMuch ? TOO_MUCH : await shownDisagreement(evidence, folders, place),
    texts: [
      ...evidence.texts,
      ...evidence.pieces.flatMap(({ side, text }) => (side === "new" ? [text] : [])),
    ],
    writes: await textsOf(evidence, { ...place, cwd }),
  };
}

/**
 * A title and a name do not show what the call does, nor do the files of a call that runs something in an unknown
 * way.
 */
function isBlind({ command, paths, hosts, server }: Intent, { kind, kinds = [kind] }: Shown): boolean {
  if (command !== undefined || server !== undefined) return false;
  return paths.length + hosts.length === 0 || kinds.includes("execute");
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

/** The new text of each file, by its resolved path. */
async function textsOf({ writes, diffs }: Evidence, place: IntentPlace): Promise<readonly FileText[]> {
  const shown = diffs.flatMap(({ path, newText }) =>
    newText === undefined ? [] : [{ path, text: newText }],
  );
  const texts: FileText[] = [];
  for (const { path, text } of [...writes, ...shown])
    texts.push({ path: (await accessTo(path, "write", place)).path, text });
  return texts;
}

/** Fields beside what can be judged. A tool of a server that a rule names may be given any input. */
function unknownBeside({ command, server }: Intent, shown: Shown): readonly string[] {
  if (server !== undefined) return [];
  const names = unknownIn(shown, command === undefined ? "path" : "command");
  if (names.length === 0) return [];
  const quotedNames = names.slice(0, 3).map((name) => `"${oneLine(name, 80)}"`);
  return [`the call carries ${quotedNames.join(", ")}, whose meaning is not known`];
}

const doubtOf = (doubts: readonly string[]): string | undefined =>
  doubts.length === 0 ? undefined : doubts.slice(0, 3).join("; ");

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
  return { tool: agentsTool(agent, name), kind: removal ?? kind, isKindGuessed: true };
}

/** In brackets where there is none: no agent's name for a tool reads so, and no grant of before is for it. */
const agentsTool = (agent: string, name: string): string =>
  `${agent}/${name === "" ? "(no name)" : oneLine(name, 80)}`;

/** Both the agent's name and the tool's are the agent's own words: another program can use the same. */
const isNamedByAgent = ({ tool, server }: Intent, agent: string): boolean =>
  server === undefined && tool.startsWith(`${agent}/`);

/** Whether the call deletes or moves files: by the evidence in it, or else by its kind. */
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

/** The agent's labels never allow anything, but a rule that denies such a label applies. */
function suspicionsOf(
  intent: Intent,
  { kind, kinds = [kind], title, rawInputs }: Shown,
  laterTitles: readonly string[],
): readonly Intent[] {
  const suspicions: Intent[] = kinds
    .filter((one) => one !== intent.kind)
    .map((one) => ({ ...intent, kind: one, isKindGuessed: true }));
  // Some agents show a command in the title and nowhere else.
  const titles = [
    ...(intent.command === undefined ? [title, ...textsIn(rawInputs, MAX_SUSPICIONS)] : []),
    ...laterTitles,
  ];
  if (kinds.includes("execute"))
    for (const one of titles)
      if (readShell(one).commands.length > 0) suspicions.push({ ...intent, command: one });
  return [...suspicions, ...fileSuspicions(intent, kinds, rawInputs)];
}

/** Where a call names no file in a known way, any of its texts may be one. */
function fileSuspicions(
  intent: Intent,
  kinds: readonly ToolKind[],
  rawInputs: readonly unknown[],
): readonly Intent[] {
  const accesses = kinds.flatMap((kind) => ACCESSES[kind] ?? []);
  if (intent.command !== undefined || intent.paths.length > 0 || accesses.length === 0) return [];
  return textsIn(rawInputs, MAX_SUSPICIONS)
    .filter((text) => /^[^\0\n]{1,4096}$/.test(text))
    .map((text) => posix.normalize(absolutePath(intent.cwd, text)))
    .map((path) => ({ ...intent, paths: accesses.map((access) => ({ path, access })) }));
}

const MAX_SUSPICIONS = 50;

/** The texts in a value, in the order in which they stand, at most so many. */
function textsIn(value: unknown, most: number): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  const texts: string[] = [];
  for (const item of Object.values(value)) {
    if (texts.length >= most) break;
    texts.push(...textsIn(item, most - texts.length));
  }
  return texts;
}
