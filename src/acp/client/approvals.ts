/**
 * Yeses that were given through a permission request and not yet used. When the agent then does that very
 * thing through us (a command in our terminal, a file that we write), it is not asked about a second time:
 * once, and soon after. Anything else, and the same thing again, is asked.
 */
import { readShell } from "../../policy/index.js";
import type { Intent } from "../../policy/index.js";
import type { Decision } from "../../call/index.js";
import { scriptOf } from "./evidence.js";

/** `input`: what will be done, as we would do it; for a file, the text that is written. */
export type Approval = {
  readonly toolCallId: string;
  readonly intent: Intent;
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
    const found = this.#unused.find(({ intent, until }) => now < until && isSame(intent, act));
    if (found) this.#unused = this.#unused.filter((one) => one !== found);
    return found;
  }

  forget(): void {
    this.#unused = [];
  }
}

function isSame(approved: Intent, act: Intent): boolean {
  if (act.command !== undefined) return isSameCommand(approved, act);
  return approved.command === undefined && isSameWrite(approved, act);
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
function isSameWrite(approved: Intent, act: Intent): boolean {
  const [path, ...others] = pathsOf(act);
  const isOneWrite =
    path !== undefined && others.length === 0 && act.paths.every(({ access }) => access === "write");
  if (!isOneWrite || act.hosts.length > 0) return false;
  if (!approved.paths.some((one) => one.access === "write" && one.path === path)) return false;
  return textsOf(approved.input).some((text) => textsOf(act.input).includes(text));
}

const pathsOf = ({ paths }: Intent): readonly string[] => [...new Set(paths.map(({ path }) => path))];

/** All texts that an input holds: the one that is written must be among those that were shown. */
function textsOf(input: unknown, depth = 0): readonly string[] {
  if (typeof input === "string") return [input];
  if (typeof input !== "object" || input === null || depth > 4) return [];
  return Object.entries(input).flatMap(([name, value]) =>
    SHOWN_TEXT.has(name) || typeof value === "object" ? textsOf(value, depth + 1) : [],
  );
}

const SHOWN_TEXT: ReadonlySet<string> = new Set(["newText", "content", "file_text"]);

const sameText = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
