/**
 * The intent of a call: everything that it is about to do. Decisions, questions, execution and history all use this
 * value; two intents with the same text are the same intent.
 */
import type { ToolKind } from "../call/index.js";

export type PathAccess = {
  /** The real path, links followed. */
  readonly path: string;
  /** The path as it was written, made absolute, where that differs: a rule on either counts. */
  readonly named?: string;
  /** `search` reads what lies below a folder, whatever it is. */
  readonly access: "read" | "search" | "write" | "delete" | "move";
};

export type OutsideLink = {
  /** The path as the command names it, absolute. */
  readonly named: string;
  /** The real path. */
  readonly path: string;
  /** The pattern in the command that matches it, absolute. */
  readonly pattern?: string;
};

/** The program that reads a command's text, and the variables that are set for it beside the inherited ones. */
export type Executor = {
  /** The absolute path of the shell that is started. */
  readonly shell?: string;
  /** `sh`: whatever bash and other shells read differently is a doubt. */
  readonly language: "bash" | "sh";
  /** Further variables of its environment whose values are known: TMPDIR, where we set it. */
  readonly known?: { readonly [name: string]: string };
  /** Variables that we set, whatever the environment holds: see forced-git-settings.ts. */
  readonly forced?: { readonly [name: string]: string };
  /** Why git's settings could not be forced, in one sentence. */
  readonly notForced?: string;
};

export type Intent = {
  readonly tool: string;
  readonly kind: ToolKind;
  /** The kind was not declared but guessed from the name. */
  readonly isKindGuessed?: boolean;
  /** The MCP server that the tool comes from. */
  readonly server?: string;
  /** SHA-256 of all that the server sends about the tool. */
  readonly definition?: string;
  /** SHA-256 of what the server is: its program or its address. */
  readonly fingerprint?: string;
  readonly input: unknown;
  readonly cwd: string;
  /** The text that a shell will read, or the words of a command that no shell reads. */
  readonly command?: string | readonly string[];
  /** The command keeps running after its call, until the session ends. */
  readonly background?: boolean;
  /** The program that reads the text. When absent, an unknown shell reads it. */
  readonly executor?: Executor;
  /** Variables that are set for the command beside the inherited ones. */
  readonly env?: { readonly [name: string]: string };
  readonly paths: readonly PathAccess[];
  /** URLs that will be requested. */
  readonly hosts: readonly string[];
  /** SHA-256 of each file that will be replaced, as it is now; "nothing" where a new one will be made. */
  readonly baseHashes: { readonly [path: string]: string };
  /** SHA-256 of each file of the workspace whose code the command runs, by its path; UNBOUND where there is none. */
  readonly contents?: { readonly [path: string]: string };
  /** Paths outside of the workspace that a command names and that links lead elsewhere. */
  readonly outsideLinks?: readonly OutsideLink[];
  /**
   * Paths in the system's temporary folder that belong to this session: it made them, or nothing is there yet, as a
   * look at the disk has shown. Rules treat them like files of the workspace.
   */
  readonly temporary?: readonly string[];
};

/** The intent of our own terminal for a command of which only the text is known. */
export function plannedCommand(planned: Pick<Intent, "command" | "cwd" | "env" | "executor">): Intent {
  return { tool: "terminal", kind: "execute", input: {}, paths: [], hosts: [], baseHashes: {}, ...planned };
}

/** In place of a hash in `contents`: the file is there and could not be read, or is too large to be. */
export const UNBOUND = "not read";

/** The intent as text, equal for equal intents in any key order. */
export function intentText(intent: Intent): string {
  let text = "";
  NAMES.forEach((name) => {
    const field = intent[name];
    if (field !== undefined) text += `${text === "" ? "" : ","}"${name}":${orderedText(field)}`;
  });
  return `{${text}}`;
}

/** Every field of an intent. A missing field would not be hashed, so the compiler checks that none is missing. */
const FIELDS: { readonly [Name in keyof Required<Intent>]: true } = {
  background: true,
  baseHashes: true,
  command: true,
  contents: true,
  cwd: true,
  definition: true,
  env: true,
  executor: true,
  fingerprint: true,
  hosts: true,
  input: true,
  isKindGuessed: true,
  kind: true,
  outsideLinks: true,
  paths: true,
  server: true,
  temporary: true,
  tool: true,
};

// The keys of a literal of this type are the names it lists.
const NAMES = (Object.keys(FIELDS) as (keyof Intent)[]).sort();

/** JSON text with sorted keys. Every call's intent goes through it, most of them twice. */
export function orderedText(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  return Array.isArray(value) ? listText(value) : objectText(value);
}

/** A hole is written as null. By index: a `for … of` is several times as much for the compiler. */
function listText(list: readonly unknown[]): string {
  let text = "";
  for (let index = 0; index < list.length; index += 1)
    text += index === 0 ? orderedText(list[index]) : `,${orderedText(list[index])}`;
  return `[${text}]`;
}

function objectText(value: object): string {
  const names = Object.keys(value);
  if (names.length === 0) return "{}";
  let text = "";
  names.sort().forEach((name) => {
    const field: unknown = Reflect.get(value, name);
    if (field !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${orderedText(field)}`;
  });
  return `{${text}}`;
}
