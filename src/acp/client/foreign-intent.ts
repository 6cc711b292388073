/**
 * What a foreign agent's call is about to do, as far as it can be seen, for the rules to judge.
 *
 * What must stay true: what the agent calls its call opens nothing. Kind, title and name may make the rules
 * stricter, never looser; what is allowed is allowed for the command, the files and the addresses that the
 * call carries. Where two things that it carries disagree, a person is asked and told.
 */
import { posix } from "node:path";
import { absolutePath, oneLine } from "../../call/index.js";
import type { ToolCall, ToolKind } from "../../call/index.js";
import { readShell } from "../../policy/index.js";
import type { Intent, PathAccess } from "../../policy/index.js";
import { TOO_MUCH } from "../../run/breaches.js";
import type { FileText, ReportedIntent } from "../../run/reported-intent.js";
import { builtInTools, ToolFailure } from "../../tools/index.js";
import type { Workspace } from "../../tools/index.js";
import { runContents } from "../../tools/built-in/run-contents.js";
import { evidenceOf, unknownIn } from "./evidence.js";
import type { Evidence, Shown } from "./evidence.js";

/** All that an agent has reported of a call. */
export type Carried = Pick<Shown, "rawInputs" | "content" | "locations"> & {
  readonly kinds: readonly ToolKind[];
  /** Titles that it was given after it was decided on. */
  readonly laterTitles: readonly string[];
};

export type IntentPlace = {
  /** The folder of the session, as the agent was given it. */
  readonly cwd: string;
  readonly agent: string;
  readonly workspace: Workspace;
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
  const named = folders.length === 0 ? [place.cwd] : folders.slice(0, MOST_FOLDERS);
  return [...new Set(await Promise.all(named.map((folder) => real(folder, place, false))))];
}

/** More of them are a disagreement in any case. */
const MOST_FOLDERS = 8;

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
      readings.push({ ...intent, command, cwd, paths: unique([...intent.paths, ...links]) });
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

const isEdit = ({ written, diffs }: Evidence): boolean => written.length + diffs.length > 0;

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

const quoted = (words: readonly string[]): string =>
  words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(" ");

async function pathsOf(
  evidence: Evidence,
  { kind }: Shown,
  place: IntentPlace & { readonly folders: readonly string[] },
  command: Intent["command"],
): Promise<readonly PathAccess[]> {
  const paths: PathAccess[] = [];
  const bases = await basesOf(evidence, place);
  const add = async (path: string, accesses: readonly PathAccess["access"][]) => {
    for (const cwd of path.startsWith("/") ? [place.cwd] : bases)
      for (const access of accesses) paths.push(await accessTo(path, access, { ...place, cwd }));
  };
  const claimed = ACCESSES[kind] ?? ANY_ACCESS;
  const isClaimedChange = kind === "delete" || kind === "move";
  for (const path of evidence.written) await add(path, ["write", ...(isClaimedChange ? claimed : [])]);
  for (const path of evidence.deleted) await add(path, ["delete"]);
  for (const path of evidence.moved) await add(path, ["move"]);
  for (const { path, oldPath, operation } of evidence.diffs) {
    await add(path, [operation === "delete" ? "delete" : "write", ...(isClaimedChange ? claimed : [])]);
    if (oldPath !== undefined) await add(oldPath, ["move"]);
  }
  const known = new Set([...evidence.written, ...evidence.diffs.map(({ path }) => path)]);
  // Beside an edit, or a tool that a rule names, what the call is called says nothing of its other files.
  const isNarrowed = !isEdit(evidence) && evidence.server === undefined;
  const others = isNarrowed ? claimed : isClaimedChange ? [...ANY_ACCESS, ...claimed] : ANY_ACCESS;
  for (const path of [...evidence.named, ...evidence.locations])
    // A command reads and writes its own words; a place shown beside it is a place all the same.
    if (!known.has(path)) await add(path, command === undefined ? others : ["read"]);
  return unique([...paths, ...(await linksOf(command, place))]);
}

/** Folders from which a relative path may be meant. */
async function basesOf(
  { places }: Evidence,
  place: IntentPlace & { readonly folders: readonly string[] },
): Promise<readonly string[]> {
  const bases = new Set(place.folders);
  for (const folder of places.slice(0, MOST_FOLDERS))
    for (const cwd of place.folders) bases.add(await real(folder, { ...place, cwd }, false));
  return [...bases];
}

/** What the agent says it does with a file; where it does not say, it may do anything. */
const ANY_ACCESS: readonly PathAccess["access"][] = ["read", "write"];
const ACCESSES: { readonly [kind: string]: readonly PathAccess["access"][] } = {
  read: ["read"],
  search: ["search"],
  edit: ["write"],
  delete: ["delete"],
  move: ["move"],
};

async function accessTo(path: string, access: PathAccess["access"], place: IntentPlace): Promise<PathAccess> {
  const named = posix.normalize(absolutePath(place.cwd, path));
  const actual = await real(named, place, access === "delete" || access === "move");
  return actual === named ? { path: actual, access } : { path: actual, named, access };
}

async function real(path: string, { workspace, cwd }: IntentPlace, keepLink: boolean): Promise<string> {
  const named = absolutePath(cwd, path);
  try {
    return await workspace.resolve(named, { keepLink });
  } catch (error) {
    // It cannot be walked, so it is judged as it is written.
    if (error instanceof ToolFailure) return named;
    throw error;
  }
}

const terminal = builtInTools.find(({ name }) => name === "terminal");

/** Where the words of a command lead by links, as our own terminal finds out. */
async function linksOf(
  command: Intent["command"],
  { workspace, cwd }: IntentPlace,
): Promise<readonly PathAccess[]> {
  if (command === undefined || !terminal?.intent) return [];
  const text = typeof command === "string" ? command : quoted(command);
  try {
    return (await terminal.intent({ command: text, cwd }, workspace)).paths ?? [];
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return [{ path: "/", access: "search" }];
  }
}

const unique = (paths: readonly PathAccess[]): readonly PathAccess[] => [
  ...new Map(paths.map((one) => [`${one.access} ${one.path}\0${one.named ?? ""}`, one])).values(),
];

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

/** What is shown must be what is done: one folder, one server's tool, and a diff of what the input says will be written. */
async function disagreementOf(
  evidence: Evidence,
  folders: readonly string[],
  place: IntentPlace,
): Promise<string | undefined> {
  const { servers, commands } = evidence;
  const isInFolders = commands.length > 0 || evidence.written.length + evidence.named.length > 0;
  if (folders.length > 1 && isInFolders) return oneLine(`it names several folders: ${listed(folders)}`, 400);
  if (servers.length > 1)
    return oneLine(
      `it names several tools of servers: ${listed(servers.map(({ server, tool }) => `${server}/${tool}`))}`,
      400,
    );
  return diffDisagreement(evidence, folders, place);
}

const listed = (names: readonly string[]): string => names.slice(0, 3).join(", ");

async function diffDisagreement(
  evidence: Evidence,
  folders: readonly string[],
  place: IntentPlace,
): Promise<string | undefined> {
  const { diffs, written, named, texts } = evidence;
  const inputs = [...written, ...named];
  if (diffs.length === 0 || inputs.length === 0) return undefined;
  const bases = await basesOf(evidence, { ...place, folders });
  const resolved = async (path: string, cwd = place.cwd) =>
    (await accessTo(path, "write", { ...place, cwd })).path;
  const shown = await Promise.all(
    diffs
      .flatMap(({ path, oldPath }) => [path, ...(oldPath === undefined ? [] : [oldPath])])
      .map((path) => resolved(path)),
  );
  for (const path of inputs) {
    const targets = await Promise.all(
      (path.startsWith("/") ? [place.cwd] : bases).map((cwd) => resolved(path, cwd)),
    );
    if (targets.some((target) => shown.some((one) => one === target || one.startsWith(`${target}/`))))
      continue;
    return oneLine(
      `the diff shown is of ${listed([...new Set(shown)])}, and the input names ${targets[0] ?? path}`,
      400,
    );
  }
  const [diff] = diffs;
  const isOther = (text: string) => diff?.newText !== undefined && lines(text) !== lines(diff.newText);
  return diffs.length === 1 && texts.some(isOther)
    ? "the diff shown is not of the text that the input holds"
    : undefined;
}

const lines = (text: string): string => text.replaceAll("\r\n", "\n").replace(/\n$/, "");
