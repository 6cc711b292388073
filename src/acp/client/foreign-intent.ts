/**
 * What a foreign agent's call is about to do, as far as it can be seen, for the rules to judge.
 *
 * What must stay true: what the agent calls its call opens nothing. Kind, title and name may make the rules
 * stricter, never looser; what is allowed is allowed for the command, the files and the addresses that the
 * call carries. Where two things that it carries disagree, a person is asked and told.
 */
import { posix } from "node:path";
import { absolutePath, oneLine } from "../../call/index.js";
import type { ToolCall } from "../../call/index.js";
import { readShell } from "../../policy/index.js";
import type { Intent, PathAccess, Verdict } from "../../policy/index.js";
import type { Judge } from "../../run/index.js";
import { builtInTools, ToolFailure } from "../../tools/index.js";
import type { Workspace } from "../../tools/index.js";
import { runContents } from "../../tools/built-in/run-contents.js";
import { evidenceOf, unknownIn } from "./evidence.js";
import type { Evidence, Shown } from "./evidence.js";

export type ForeignIntent = {
  readonly intent: Intent;
  /** Nothing in the call says what it does: a yes is for this once. */
  readonly isBlind: boolean;
  /** Further readings of the same call: each must be allowed too. */
  readonly readings: readonly Intent[];
  /** Other readings of the same call: only what a rule forbids or asks about by them counts. */
  readonly suspicions: readonly Intent[];
  /** Why a part of the call cannot be judged. The rules judge that part as a command that cannot be read. */
  readonly doubt: string | undefined;
  /** Why what is shown may not be what is done. */
  readonly disagreement: string | undefined;
};

export type IntentPlace = {
  /** The folder of the session, as the agent was given it. */
  readonly cwd: string;
  readonly agent: string;
  readonly workspace: Workspace;
};

/** `before`: the call as it was before the permission request said more of it. Both count. */
export async function foreignIntent(
  call: ToolCall,
  before: Pick<ToolCall, "rawInput" | "content" | "locations"> | undefined,
  place: IntentPlace,
): Promise<ForeignIntent> {
  const { kind, title, name } = call;
  const shown: Shown = {
    kind,
    title,
    name,
    rawInputs: [before?.rawInput, call.rawInput].filter((input) => input !== undefined && input !== null),
    content: [...new Set([...(before?.content ?? []), ...call.content])],
    locations: [...(before?.locations ?? []), ...call.locations],
  };
  const evidence = evidenceOf(shown);
  const command = oneCommand(evidence.commands);
  const cwd = await real(evidence.cwd ?? place.cwd, place, false);
  const paths = await pathsOf(evidence, shown, { ...place, cwd }, command);
  const what = whatItIs(evidence, command, shown, place.agent);
  const contents = command === undefined ? {} : await runContents({ command, cwd }, place.workspace);
  const intent: Intent = {
    ...what,
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
    readings:
      evidence.commands.length > 1 ? evidence.commands.map((one) => ({ ...intent, command: one })) : [],
    suspicions: suspicionsOf(intent, shown),
    doubt: unknown.length === 0 ? undefined : doubtOf(unknown),
    disagreement: evidence.isTooMuch
      ? "the call carries more than can be looked at"
      : await disagreementOf(evidence, place),
  };
}

/** What the rules say of it: the strictest of all readings. */
export function judgeForeign(
  { intent, readings, suspicions, isBlind, doubt, disagreement }: ForeignIntent,
  judge: Judge,
): Verdict {
  const verdicts = [
    ...[intent, ...readings].map((one) => judge(one)),
    ...(doubt === undefined ? [] : [doubted(intent, doubt, judge)]),
    ...suspicions.map((one) => judge(one)).filter(isByRule),
  ];
  const verdict =
    verdicts.find(({ effect }) => effect === "deny") ??
    verdicts.find(({ effect }) => effect === "ask") ??
    verdicts[0];
  if (!verdict || verdict.effect === "deny") return verdict ?? { effect: "deny", saw: [] };
  if (disagreement !== undefined) return { effect: "ask", reason: disagreement, saw: verdict.saw };
  const { matched } = verdict;
  if (isBlind && verdict.effect === "ask" && verdict.reason === undefined)
    return { ...verdict, reason: SAYS_NOTHING };
  // A name says nothing of what is done: only who allows everything allows this.
  const isByName = matched !== undefined && "allow" in matched && matched.allow !== "*";
  if (!isBlind || verdict.effect === "ask" || !isByName) return verdict;
  return { effect: "ask", reason: SAYS_NOTHING, saw: verdict.saw };
}

/** The reason is ours: the rules only know that there is something to doubt. */
function doubted(intent: Intent, doubt: string, judge: Judge): Verdict {
  const { effect, saw } = judge({ ...intent, command: UNREADABLE });
  return effect === "allow" ? { effect, saw } : { effect, reason: doubt, saw: [...saw, doubt] };
}

/** A command whose program is not known. */
const UNREADABLE = "$unknown";

/** Fields beside what a rule could allow by its kind. A tool that a rule names may be given what it likes. */
function unknownBeside({ command, tool }: Intent, shown: Shown): readonly string[] {
  if (command !== undefined) return unknownIn(shown, "command");
  return tool === "edit_file" || tool === "fetch" ? unknownIn(shown, "path") : [];
}

function doubtOf(names: readonly string[]): string {
  const listed = names.slice(0, 3).map((name) => `"${oneLine(name, 80)}"`);
  return `the call carries ${listed.join(", ")}, whose meaning is not known`;
}

const SAYS_NOTHING = "the agent says nothing of what it will do but a title";

const isByRule = ({ effect, matched }: Verdict): boolean => effect !== "allow" && matched !== undefined;

/** The name under which rules know it. The agent's own name for it is only used where nothing better is known. */
function whatItIs(
  { written, diffs, urls, named, server, locations }: Evidence,
  command: Intent["command"],
  { kind, name }: Shown,
  agent: string,
): Pick<Intent, "tool" | "kind" | "isKindGuessed" | "server"> {
  if (command !== undefined) return { tool: "terminal", kind: "execute" };
  const removes =
    kind === "delete" || kind === "move" || diffs.some(({ operation }) => operation === "delete");
  if (written.length + diffs.length > 0 && !removes) return { tool: "edit_file", kind: "edit" };
  if (server) return { tool: server.tool, kind, isKindGuessed: true, server: server.server };
  const isOnlyFetch =
    urls.length > 0 && named.length + locations.length + written.length + diffs.length === 0;
  if (isOnlyFetch) return { tool: "fetch", kind: "fetch" };
  return { tool: `${agent}/${name === "" ? "unnamed" : oneLine(name, 80)}`, kind, isKindGuessed: true };
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
  place: IntentPlace,
  command: Intent["command"],
): Promise<readonly PathAccess[]> {
  const paths: PathAccess[] = [];
  const add = async (path: string, accesses: readonly PathAccess["access"][]) => {
    for (const access of accesses) paths.push(await accessTo(path, access, place));
  };
  const guessed = ACCESSES[kind] ?? ANY_ACCESS;
  const isClaimedChange = kind === "delete" || kind === "move";
  for (const path of evidence.written) await add(path, ["write", ...(isClaimedChange ? guessed : [])]);
  for (const { path, oldPath, operation } of evidence.diffs) {
    await add(path, [operation === "delete" ? "delete" : "write", ...(isClaimedChange ? guessed : [])]);
    if (oldPath !== undefined) await add(oldPath, ["move"]);
  }
  const known = new Set([...evidence.written, ...evidence.diffs.map(({ path }) => path)]);
  for (const path of [...evidence.named, ...evidence.locations])
    // A command reads and writes its own words; a place shown beside it is a place all the same.
    if (!known.has(path)) await add(path, command === undefined ? guessed : ["read"]);
  return unique([...paths, ...(await linksOf(command, place))]);
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
function suspicionsOf(intent: Intent, { kind, title }: Shown): readonly Intent[] {
  const suspicions: Intent[] = [];
  if (intent.kind !== kind) suspicions.push({ ...intent, kind, isKindGuessed: true });
  // Some agents show a command in the title and nowhere else.
  if (kind === "execute" && intent.command === undefined && readShell(title).commands.length > 0)
    suspicions.push({ ...intent, command: title });
  return suspicions;
}

/** A diff is what a person looks at: it must be of what the input says will be written. */
async function disagreementOf(
  { diffs, written, named, texts }: Evidence,
  place: IntentPlace,
): Promise<string | undefined> {
  const inputs = [...written, ...named];
  if (diffs.length === 0 || inputs.length === 0) return undefined;
  const resolved = async (path: string) => (await accessTo(path, "write", place)).path;
  const shown = new Set(await Promise.all(diffs.map(({ path }) => resolved(path))));
  for (const path of inputs) {
    const target = await resolved(path);
    if ([...shown].some((one) => one === target || one.startsWith(`${target}/`))) continue;
    const of = [...shown].slice(0, 3).join(", ");
    return oneLine(`the diff shown is of ${of}, and the input names ${target}`, 400);
  }
  const [diff] = diffs;
  const isOther = (text: string) => diff?.newText !== undefined && lines(text) !== lines(diff.newText);
  return diffs.length === 1 && texts.some(isOther)
    ? "the diff shown is not of the text that the input holds"
    : undefined;
}

const lines = (text: string): string => text.replaceAll("\r\n", "\n").replace(/\n$/, "");
