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

/** A yes is for one kind of access to a file; after a no, any access to the file is the same act. */
export function isSameAct(asked: Intent, act: Intent, isRefused: boolean): boolean {
  if (act.command !== undefined) return isSameCommand(asked, act);
  if (asked.command !== undefined) return false;
  if (act.paths.length + act.hosts.length === 0)
    return asked.tool === act.tool && isSameJson(asked.input, act.input);
  const isAsked = ({ path, access }: PathAccess) =>
    asked.paths.some((one) => one.path === path && (isRefused || one.access === access));
  return act.paths.every(isAsked) && act.hosts.every((host) => asked.hosts.includes(host));
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

/** The words of a command that is no more than words. */
function wordsOf(command: Command): readonly string[] | undefined {
  if (typeof command !== "string") return command;
  const { commands, doubts } = readShell(command);
  const [only, ...others] = commands;
  const isPlain = others.length === 0 && doubts.length === 0 && only?.writes.length === 0;
  return isPlain && only.reads.length === 0 && only.after.length === 0 ? only.argv : undefined;
}

const isSameJson = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
