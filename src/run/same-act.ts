/** Whether two intents are about the same act: the same command, the same files, the same text in a file. */
import { readShell } from "../policy/index.js";
import type { Intent, PathAccess } from "../policy/index.js";
import { UNBOUND } from "../policy/intent.js";
import type { FileText } from "./reported-intent.js";

/** The same command, which runs the same code and leads to the same files. */
export function isSameRun(approved: Intent, act: Intent): boolean {
  if (!isSameCommand(approved, act)) return false;
  const contents = Object.entries(act.contents ?? {});
  const isSameCode =
    contents.length === Object.keys(approved.contents ?? {}).length &&
    contents.every(([path, hash]) => hash !== UNBOUND && approved.contents?.[path] === hash);
  const isKnown = ({ path, access }: PathAccess) =>
    approved.paths.some((one) => one.path === path && one.access === access);
  return isSameCode && act.paths.every(isKnown) && act.hosts.every((host) => approved.hosts.includes(host));
}

/** The same words in the same folder with the same variables. */
function isSameCommand(approved: Intent, act: Intent): boolean {
  if (approved.command === undefined || act.command === undefined) return false;
  if (approved.cwd !== act.cwd || !isSameJson(approved.env ?? {}, act.env ?? {})) return false;
  const [one, other] = [withoutShell(approved.command), withoutShell(act.command)];
  return isSameJson(one, other) || isSameJson(wordsOf(one), wordsOf(other) ?? 0);
}

/** One file, and the text that was shown for it. */
export function isSameWrite(writes: readonly FileText[], { paths, hosts, input }: Intent): boolean {
  const [path, ...others] = new Set(paths.map((one) => one.path));
  const isOneWrite = others.length === 0 && paths.every(({ access }) => access === "write");
  if (!isOneWrite || hosts.length > 0 || typeof input !== "object" || input === null) return false;
  const content = "content" in input ? input.content : undefined;
  return writes.some((one) => one.path === path && one.text === content);
}

/** Whether a yes for the asked act covers this one: the question must have covered all of this act. */
export function isWithin(asked: Intent, act: Intent): boolean {
  return isSameDoing(asked, act) && act.paths.every((one) => isAskedAccess(asked, one));
}

/** The same but for files that are only read: reports name them after the fact. */
export function isSameDoing(asked: Intent, act: Intent): boolean {
  const isSame =
    act.command !== undefined
      ? isSameCommand(asked, act)
      : asked.command === undefined && (!isBare(act) || isSameBare(asked, act));
  const changes = act.paths.filter(({ access }) => !READS.has(access));
  return (
    isSame &&
    changes.every((one) => isAskedAccess(asked, one)) &&
    act.hosts.every((host) => asked.hosts.includes(host))
  );
}

/** Whether a no to the asked act covers this one: one refused part of this act is enough. */
export function isRefusedBy(asked: Intent, act: Intent): boolean {
  if (asked.command !== undefined) return runsAllOf(asked, act);
  if (isBare(asked)) return act.command === undefined && isBare(act) && isSameBare(asked, act);
  const isOfHost = act.hosts.some((host) => asked.hosts.includes(host));
  return isOfHost || act.paths.some((one) => isRefusedAccess(asked, one));
}

/** Only the name and the input of the call are known. */
const isBare = ({ command, paths, hosts }: Intent): boolean =>
  command === undefined && paths.length + hosts.length === 0;

const isSameBare = (asked: Intent, act: Intent): boolean =>
  asked.tool === act.tool && isSameJson(asked.input, act.input);

const READS: ReadonlySet<PathAccess["access"]> = new Set(["read", "search"]);

const isAskedAccess = (asked: Intent, { path, access }: PathAccess): boolean =>
  asked.paths.some((one) => one.path === path && one.access === access);

/** A refused read does not refuse a change, nor the reverse. A move counts as both. */
function isRefusedAccess(asked: Intent, { path, access }: PathAccess): boolean {
  return asked.paths.some(
    (one) =>
      one.path === path &&
      (one.access === "move" || access === "move" || READS.has(one.access) === READS.has(access)),
  );
}

/** The act runs each of the refused commands, whatever it runs beside them. */
function runsAllOf(asked: Intent, act: Intent): boolean {
  if (isSameCommand(asked, act)) return true;
  if (asked.command === undefined || act.command === undefined || asked.cwd !== act.cwd) return false;
  const refused = commandsIn(asked.command);
  const done = new Set(commandsIn(act.command));
  return refused.length > 0 && refused.every((one) => done.has(one));
}

/** The words of each command in a text. */
function commandsIn(command: Command): readonly string[] {
  const plain = withoutShell(command);
  const argvs = typeof plain === "string" ? readShell(plain).commands.map(({ argv }) => argv) : [plain];
  return argvs.map((argv) => JSON.stringify(argv));
}

type Command = NonNullable<Intent["command"]>;

/** The script of `bash -lc "…"`: some agents run every command that way. */
export function shellScript([shell = "", flag = "", script, ...others]: readonly string[]):
  | string
  | undefined {
  const isShell = /^(?:\/(?:usr\/)?bin\/)?(?:ba)?sh$/.test(shell) && /^-l?c$/.test(flag);
  return isShell && others.length === 0 ? script : undefined;
}

const withoutShell = (command: Command): Command =>
  typeof command === "string" ? command : (shellScript(command) ?? command);

/** The words of a plain command; undefined for shell text that is more than words. */
function wordsOf(command: Command): readonly string[] | undefined {
  if (typeof command !== "string") return command;
  const { commands, doubts } = readShell(command);
  const [only, ...others] = commands;
  const isPlain =
    others.length === 0 && doubts.length === 0 && only?.writes.length === 0 && only.unknown === undefined;
  return isPlain && only.reads.length === 0 && only.after.length === 0 ? only.argv : undefined;
}

const isSameJson = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
