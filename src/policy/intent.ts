/**
 * What a call is really about to do. Decisions, questions, execution and history all use this value;
 * two intents with the same text are the same intent.
 */
import type { ToolKind } from "../call/index.js";

export type PathAccess = { readonly path: string; readonly access: "read" | "write" | "delete" };

export type Intent = {
  readonly tool: string;
  readonly kind: ToolKind;
  readonly input: unknown;
  readonly cwd: string;
  /** The text that a shell will read. */
  readonly command?: string;
  /** Real paths: links are followed before anyone is asked. */
  readonly paths: readonly PathAccess[];
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
