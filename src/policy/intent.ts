/**
 * What a call is really about to do. Decisions, questions, execution and history all use this value;
 * two intents with the same text are the same intent.
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

export type Intent = {
  readonly tool: string;
  readonly kind: ToolKind;
  /** The MCP server that the tool comes from. */
  readonly server?: string;
  readonly input: unknown;
  readonly cwd: string;
  /** The text that a shell will read, or the words of a command that no shell reads. */
  readonly command?: string | readonly string[];
  /** Variables that are set for the command beside the inherited ones. */
  readonly env?: { readonly [name: string]: string };
  readonly paths: readonly PathAccess[];
  /** URLs that will be asked for. */
  readonly hosts: readonly string[];
  /** SHA-256 of each file that will be replaced, as it is now. */
  readonly baseHashes: { readonly [path: string]: string };
};

/** The intent as text, the same for equal intents however their keys are ordered. */
export function intentText(intent: Intent): string {
  return JSON.stringify(intent, (_key, value: unknown) => (isPlainObject(value) ? sorted(value) : value));
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sorted(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
