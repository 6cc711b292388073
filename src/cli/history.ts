/** `toolgate history …`: lists, shows, searches, exports, verifies and deletes sessions. */
import { allOpenQuestions, pluralize, oneLine, readAll, visibleText } from "../call/index.js";
import type {
  Archive,
  ExportFormat,
  FoundSession,
  Ledger,
  SearchHit,
  Session,
  Verified,
} from "../call/index.js";
import { bookOfLog } from "../call/ledger.js";
import { openArchive, openLedger, redactSession } from "../history/index.js";
import { clipped, columns, failedCommand, sessionMarkdown, sessionText } from "../view/index.js";
import { coloured, wantsColour } from "./colour.js";
import { removeShadows } from "../tools/kept-workspace/open-keeper.js";
import { keptFolder } from "./kept-commands.js";
import { removeScratch } from "../tools/scratch/scratch-folder.js";
import { findSession } from "./find-session.js";
import { jsonText } from "./json-text.js";
import { hasLedger, ledgerAddress } from "./ledger-address.js";
import { progressLine } from "./progress-line.js";
import { readRedaction } from "./redaction.js";
import { recordedFolder, shownFolder } from "./shown-folder.js";
import { shortId } from "./short-id.js";
import { note } from "./stderr.js";
import { usageCost } from "./usage-cost.js";
import { dollars, sumOf } from "./usage-text.js";
import { localTime } from "./local-time.js";

export type HistoryFlags = { readonly ledger?: string; readonly json?: boolean };

const write = (text: string): void => void process.stdout.write(text);
const json = (value: unknown): void => write(`${jsonText(value)}\n`);

export async function listSessions(
  flags: HistoryFlags & { readonly cwd?: string; readonly limit?: number },
): Promise<number> {
  if (isNothingYet(flags)) return showNothingYet({ sessions: [] }, flags);
  return withArchive(flags, async (archive) => {
    const { items, next } = await archive.sessions({
      limit: flags.limit ?? 20,
      ...(flags.cwd !== undefined && { cwd: recordedFolder(flags.cwd) }),
    });
    const waiting = await openQuestionsOf(flags);
    const sessions = await Promise.all(
      items.map(async (item): Promise<ListedSession> => ({
        ...item,
        ...(await modelsOf(archive, item.sessionId)),
        openQuestions: waiting.get(item.sessionId) ?? 0,
      })),
    );
    if (flags.json) return json({ sessions, ...(next !== undefined && { next }) });
    if (items.length === 0) return write(NO_SESSION);
    for (const session of sessions) write(`${listed(session)}\n`);
    if (next !== undefined) write("There are more: show them with --limit.\n");
  });
}

/** The models of a session, and what their responses cost where all prices are known. */
async function modelsOf(
  archive: Archive,
  sessionId: string,
): Promise<Pick<ListedSession, "models" | "cost">> {
  const used = await archive.modelUsage({ sessionId });
  const cost = used.length === 0 ? undefined : sumOf(used.map(usageCost));
  const models = [...new Set(used.flatMap(({ model }) => (model === "" ? [] : model)))];
  return { models, ...(cost !== undefined && { cost }) };
}

/** Two lines of at most 80 columns: id, time, model and cost, and below them folder and title. */
export function listed(session: ListedSession): string {
  const { sessionId, updatedAt, calls, messages, breaches, title, cwd, openQuestions, models, cost, agent } =
    session;
  const [model, ...others] = models;
  // An agent of others does not say which model it uses.
  const foreign = agent === undefined || agent === OWN_AGENT ? [] : [oneLine(agent, MAX_MODEL_LENGTH)];
  const spent = [
    ...(model === undefined ? foreign : [oneLine(model, MAX_MODEL_LENGTH)]),
    ...(others.length === 0 ? [] : [`and ${others.length} more`]),
    ...(cost === undefined ? [] : [dollars(cost)]),
  ];
  const waits = [
    ...(breaches === 0 ? [] : [`⚑ ${pluralize(breaches, "breach", "breaches")}`]),
    ...(openQuestions === 0 ? [] : ["waits for an answer"]),
  ];
  const folder = cwd === undefined ? [] : [endOf(oneLine(shownFolder(cwd), 1_000), 30)];
  const room = 76 - [...folder, ...waits].reduce((sum, text) => sum + columns(text) + 2, 0);
  const isEmpty = calls === 0 && messages === 0;
  const named = title === undefined ? (isEmpty ? ["(empty)"] : []) : [clipped(oneLine(title, 80), room)];
  const about = [...folder, ...named, ...waits];
  return [
    [visibleText(shortId(sessionId)), localTime(updatedAt), pluralize(calls, "call"), ...spent].join("  "),
    ...(about.length === 0 ? [] : [`    ${about.join("  ")}`]),
  ].join("\n");
}

const MAX_MODEL_LENGTH = 26;
const OWN_AGENT = "toolgate";

type ListedSession = FoundSession & {
  readonly openQuestions: number;
  readonly models: readonly string[];
  readonly cost?: number;
};

/** Keeps the end of a path, which says more than its start. */
function endOf(path: string, width: number): string {
  const units = Array.from(path);
  while (columns(units.join("")) > width - 1) units.shift();
  return units.length === Array.from(path).length ? path : `…${units.join("")}`;
}

/** The number of open questions of each session. */
function openQuestionsOf(flags: HistoryFlags): Promise<ReadonlyMap<string, number>> {
  return withLedger(flags, async (ledger) => {
    const counts = new Map<string, number>();
    for (const { sessionId } of await allOpenQuestions(ledger))
      counts.set(sessionId, (counts.get(sessionId) ?? 0) + 1);
    return counts;
  });
}

export async function showSession(
  wanted: string | undefined,
  flags: HistoryFlags & { readonly secrets?: boolean },
): Promise<number> {
  const session = await readSession(wanted, flags);
  const shown = flags.secrets ? session : redactSession(session, { patterns: readRedaction().patterns });
  if (flags.json) json(shown);
  else {
    const text = `${sessionText(shown)}\n${callTable(shown)}`;
    write(wantsColour(process.stdout) ? coloured(text) : text);
  }
  return 0;
}

/** The calls with their ids, as arguments for `undo`. */
export function callTable({ timeline, sessionId }: Session): string {
  const calls = timeline.flatMap((entry) => (entry.type === "call" ? [entry.call] : []));
  if (calls.length === 0) return "";
  const rows = calls.map((call) => {
    const { toolCallId, state, title, times, undoneHunks, breach } = call;
    const failed = state.status === "done" ? failedCommand(call) : undefined;
    const marks = [
      ...(failed === undefined ? [] : [failed]),
      ...(breach ? ["breach"] : []),
      ...(times.undone === undefined ? (undoneHunks ? ["undone in part"] : []) : ["undone"]),
    ];
    return [visibleText(toolCallId), [state.status, ...marks].join(", "), oneLine(title, 80)] as const;
  });
  const padded = (cell: string, column: 0 | 1): string =>
    cell + " ".repeat(Math.max(...rows.map((row) => columns(row[column]))) - columns(cell));
  const lines = rows.map(([id, status, title]) => `  ${padded(id, 0)}  ${padded(status, 1)}  ${title}`);
  return `\nThe calls of ${visibleText(shortId(sessionId))}:\n${lines.join("\n")}\n`;
}

export async function searchHistory(
  words: readonly string[],
  flags: HistoryFlags & { readonly limit?: number; readonly tool?: string; readonly kind?: string },
): Promise<number> {
  if (isNothingYet(flags)) return showNothingYet({ hits: [] }, flags);
  return withArchive(flags, async (archive) => {
    const { items } = await archive.search({
      text: words.join(" "),
      limit: flags.limit ?? 20,
      ...(flags.tool !== undefined && { tool: flags.tool }),
      ...(flags.kind !== undefined && { kind: flags.kind }),
    });
    if (flags.json) return json({ hits: items });
    if (items.length === 0)
      return write("Nothing was found. A result has all the words; word* finds words that begin so.\n");
    for (const hit of items) write(`${hitText(hit)}\n`);
  });
}

function hitText({ sessionId, at, call, role, excerpt }: SearchHit): string {
  const isColoured = wantsColour(process.stdout);
  const marked = excerpt
    .map(({ text, isMatch }) => {
      const plain = visibleText(text.replaceAll("\n", " · "));
      return isMatch && isColoured ? `\u001b[1m${plain}\u001b[22m` : plain;
    })
    .join("");
  const what = call
    ? `${call.toolCallId} ${oneLine(call.title, 60)} (${call.breach === undefined ? call.status : "breach"})`
    : (role ?? "");
  return `${visibleText(shortId(sessionId))}  ${localTime(at)}  ${visibleText(what)}\n    ${marked}`;
}

export async function exportHistory(
  wanted: string | undefined,
  flags: HistoryFlags & {
    readonly format: ExportFormat | "text" | "markdown";
    readonly secrets?: boolean;
  },
): Promise<number> {
  const redacted = !flags.secrets;
  const { format } = flags;
  if (format === "text" || format === "markdown") {
    const session = await readSession(wanted, flags);
    const shown = redacted ? redactSession(session, { patterns: readRedaction().patterns }) : session;
    for (const piece of format === "text" ? [sessionText(shown), "\n"] : sessionMarkdown(shown)) write(piece);
    return 0;
  }
  const sessionId = await withLedger(flags, (ledger) => findSession(ledger, wanted ?? true, process.cwd()));
  return withArchive(flags, async (archive) => {
    for await (const piece of archive.export(sessionId, format, { redacted })) write(piece);
  });
}

export async function verifyHistory(flags: HistoryFlags): Promise<number> {
  let isWhole = true;
  await withArchive(flags, async (archive) => {
    const progress = progressLine("Checking");
    const verified = await archive.verify({ onProgress: progress.show }).finally(progress.end);
    isWhole = verified.brokenCount === 0;
    if (flags.json) json(verified);
    else write(verifiedText(verified));
  });
  return isWhole ? 0 : 1;
}

function verifiedText({ sessions, events, notCovered, brokenCount, broken }: Verified): string {
  const lines = broken.map((link) => `${visibleText(JSON.stringify(link))}\n`);
  const of = `${pluralize(events, "event")} of ${pluralize(sessions, "session")}`;
  const older = notCovered === 0 ? "" : `, ${notCovered} from before there was a chain`;
  const result =
    brokenCount === 0
      ? `${of}: unchanged since recording${older}.\n`
      : `${pluralize(brokenCount, "place", "places")} changed since recording (${of}${older}).\n`;
  return [...lines, result].join("");
}

export async function deleteHistory(
  wanted: readonly string[],
  flags: HistoryFlags & { readonly olderThan?: number; readonly keepLast?: number },
): Promise<number> {
  const { olderThan, keepLast } = flags;
  const sessionIds = await withLedger(flags, async (ledger) => {
    const ids: string[] = [];
    for (const one of wanted) ids.push(await findSession(ledger, one, ""));
    return ids;
  });
  return withArchive(flags, async (archive) => {
    const { removed, kept } = await archive.forget({
      sessionIds,
      ...(olderThan !== undefined && { olderThanMs: olderThan * 86_400_000 }),
      ...(keepLast !== undefined && { keepLast }),
    });
    await removeScratch(removed);
    // The kept folders are a cache, with files from before the sessions' commands.
    if (removed.length > 0) removeShadows(keptFolder());
    for (const { sessionId, why } of kept)
      process.stderr.write(`toolgate: ${sessionId} was not deleted: ${WHY[why]}.\n`);
    if (flags.json) json({ removed });
    else write(`${pluralize(removed.length, "session")} deleted.\n`);
  });
}

const WHY = {
  held: "another process uses it",
  waiting: "it waits for an answer",
  written: "it was just written to",
} as const;

/** `wanted`: an id or the start of one; without it the newest session of this folder. */
function readSession(wanted: string | undefined, flags: HistoryFlags): Promise<Session> {
  return withLedger(flags, async (ledger) => {
    const sessionId = await findSession(ledger, wanted ?? true, process.cwd());
    return bookOfLog(sessionId, await readAll(ledger, sessionId)).snapshot();
  });
}

export async function withLedger<Result>(
  flags: HistoryFlags,
  use: (ledger: Ledger) => Promise<Result>,
): Promise<Result> {
  const ledger = await openLedger(existing(flags), { readOnly: true });
  try {
    return await use(ledger);
  } finally {
    await ledger.close();
  }
}

export async function withArchive(
  flags: HistoryFlags,
  use: (archive: Archive) => Promise<void>,
): Promise<number> {
  const { patterns } = readRedaction();
  const progress = progressLine("Indexing");
  const archive = await openArchive(existing(flags), {
    patterns,
    onProgress: (done) => (done.events < done.ofEvents ? progress.show(done) : progress.end()),
    onIndexInMemory: ({ message }) =>
      note(`The index of this history is built in memory for this command: ${message}`),
  });
  try {
    await use(archive);
    return 0;
  } finally {
    progress.end();
    await archive.close();
  }
}

const NO_SESSION = "No sessions are stored yet. Start one with: toolgate run\n";

/** True when the default ledger does not exist yet, which is not an error. A named ledger must exist. */
export const isNothingYet = (flags: HistoryFlags): boolean =>
  flags.ledger === undefined && !hasLedger(ledgerAddress(flags));

function showNothingYet(asJson: object, flags: HistoryFlags): number {
  if (flags.json) json(asJson);
  else write(NO_SESSION);
  return 0;
}

/** The address of an existing ledger: reading a history must not create one. */
export function existing(flags: HistoryFlags): string {
  const address = ledgerAddress(flags);
  if (hasLedger(address)) return address;
  const message =
    flags.ledger === undefined
      ? `No history yet: nothing is recorded in ${address}. Start with: toolgate run`
      : `The history ${address} does not exist. Nothing was read. Check the path of --ledger.`;
  throw Object.assign(new Error(message), { code: "NO_HISTORY" });
}
