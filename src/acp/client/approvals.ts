/**
 * Yeses that were given through a permission request and not yet used. When the agent then does that very
 * thing through us (a command in our terminal, a file that we write), it is not asked about a second time:
 * once, and soon after. Anything else, and the same thing again, is asked.
 */
import { readShell } from "../../policy/index.js";
import type { Intent, PathAccess } from "../../policy/index.js";
import type { Decision } from "../../call/index.js";
import { UNBOUND } from "../../policy/intent.js";
import { isJsonObject } from "../json.js";
import { scriptOf } from "./evidence.js";
import type { FileText } from "./evidence.js";

export type Approval = {
  readonly toolCallId: string;
  readonly intent: Intent;
  /** The texts that were shown, each for its file. */
  readonly writes: readonly FileText[];
  readonly decision: Decision | undefined;
};

const SOON_MS = 60_000;
const MOST = 100;

export class Approvals {
  readonly #now: () => number;
  #unused: (Approval & { readonly until: number })[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  add(approval: Approval): void {
    this.#unused = [...this.#unused.slice(-MOST + 1), { ...approval, until: this.#now() + SOON_MS }];
  }

  /** The yes that was given for just this, which is used up by asking for it. */
  take(act: Intent): Approval | undefined {
    const now = this.#now();
    const found = this.#unused.find((one) => now < one.until && isSame(one, act));
    if (found) this.#unused = this.#unused.filter((one) => one !== found);
    return found;
  }

  forget(): void {
    this.#unused = [];
  }
}

function isSame({ intent, writes }: Approval, act: Intent): boolean {
  if (act.command !== undefined) return isSameRun(intent, act);
  return intent.command === undefined && isSameWrite(writes, act);
}

/** The same command, which runs the same code and leads to the same files. What reads it only we know, and only now. */
function isSameRun(approved: Intent, act: Intent): boolean {
  if (!isSameCommand(approved, act)) return false;
  const contents = Object.entries(act.contents ?? {});
  const isSameCode =
    contents.length === Object.keys(approved.contents ?? {}).length &&
    contents.every(([path, hash]) => hash !== UNBOUND && approved.contents?.[path] === hash);
  const isKnown = ({ path, access }: PathAccess) =>
    approved.paths.some((one) => one.path === path && one.access === access);
  return isSameCode && act.paths.every(isKnown) && act.hosts.every((host) => approved.hosts.includes(host));
}

/** The same words in the same folder with nothing set for them beside. */
export function isSameCommand(approved: Intent, act: Intent): boolean {
  if (approved.command === undefined || act.command === undefined) return false;
  if (approved.cwd !== act.cwd || !sameText(approved.env ?? {}, act.env ?? {})) return false;
  const said = [approved.command, act.command].map(asTold);
  return sameText(said[0], said[1]) || sameText(wordsOf(said[0]), wordsOf(said[1]) ?? 0);
}

const asTold = (command: Command): Command =>
  typeof command === "string" ? command : (scriptOf(command) ?? command);

type Command = NonNullable<Intent["command"]>;

/** The words of a command that is no more than words. */
function wordsOf(command: Command | undefined): readonly string[] | undefined {
  if (command === undefined) return undefined;
  if (typeof command !== "string") return command;
  const { commands, doubts } = readShell(command);
  const [only, ...others] = commands;
  const isPlain = others.length === 0 && doubts.length === 0 && only?.writes.length === 0;
  return isPlain && only.reads.length === 0 && only.after.length === 0 ? only.argv : undefined;
}

/** One file, and the text that was shown for it. */
function isSameWrite(writes: readonly FileText[], { paths, hosts, input }: Intent): boolean {
  const [path, ...others] = new Set(paths.map((one) => one.path));
  const isOneWrite = others.length === 0 && paths.every(({ access }) => access === "write");
  if (!isOneWrite || hosts.length > 0 || !isJsonObject(input)) return false;
  return writes.some((one) => one.path === path && one.text === input["content"]);
}

const sameText = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
