/**
 * The paths that the calls of a session name: their places, the files of their diffs, the arguments that are one word, and
 * the words of their commands. A search by path compares these, and not the texts that a call read or wrote.
 */
import { isAbsolutePath } from "../../call/index.js";
import type { Location, ToolCallContent, ToolCallEvent } from "../../call/index.js";
import { normalisePath, touchesPath } from "../../policy/paths/match-path.js";

/** A call may name thousands; a session must stay small in memory. */
const MAX_PATHS = 50;
const MAX_LENGTH = 1_000;

export class CallPaths {
  readonly #named = new Map<string, Set<string>>();

  take(event: ToolCallEvent): void {
    switch (event.type) {
      case "call-revised":
        this.#places(event.toolCallId, event.fields.locations);
        this.#files(event.toolCallId, event.fields.content);
        return this.#words(event.toolCallId, event.fields.rawInput);
      case "input-ready":
      case "call-cleared":
        return this.#words(event.toolCallId, event.rawInput);
      case "content-appended":
        return this.#files(event.toolCallId, [event.content]);
      case "call-done":
      case "call-failed":
      case "call-cancelled":
        return this.#files(event.toolCallId, event.content);
      default:
    }
  }

  /** Whether the call names what the pattern covers, or something inside it. */
  has(toolCallId: string, pattern: string, cwd = "/"): boolean {
    const wanted = wholePattern(pattern, cwd);
    for (const name of this.#named.get(toolCallId) ?? []) {
      const path = normalisePath(cwd, name);
      if (path !== undefined && touchesPath(wanted, path)) return true;
    }
    return false;
  }

  #places(toolCallId: string, locations: readonly Location[] = []): void {
    for (const { path } of locations) this.#add(toolCallId, path);
  }

  #files(toolCallId: string, content: readonly ToolCallContent[] = []): void {
    for (const one of content) {
      if (one.type !== "diff") continue;
      this.#add(toolCallId, one.path);
      if (one.oldPath !== undefined) this.#add(toolCallId, one.oldPath);
    }
  }

  #words(toolCallId: string, rawInput: unknown): void {
    if (typeof rawInput !== "object" || rawInput === null) return;
    for (const [name, value] of Object.entries(rawInput)) {
      if (typeof value !== "string") continue;
      // The text of a file names no path of its call.
      const words = name === "command" ? value.slice(0, 20 * MAX_LENGTH).split(NO_PATH) : [value];
      for (const word of words) if (!NO_PATH.test(word)) this.#add(toolCallId, word);
    }
  }

  #add(toolCallId: string, path: string): void {
    const paths = this.#named.get(toolCallId) ?? new Set();
    if (path === "" || path.length > MAX_LENGTH || paths.size >= MAX_PATHS) return;
    this.#named.set(toolCallId, paths.add(path));
  }
}

/** Between the words of a command. */
const NO_PATH = /[\s"'`;|&<>()=]/;

/** A name alone is meant at any depth; other patterns begin in the session's folder. */
function wholePattern(pattern: string, cwd: string): string {
  const own = pattern.replace(/^\.\//, "");
  if (isWhole(own)) return own;
  return own.replace(/\/$/, "").includes("/") ? `${cwd}/${own}` : `**/${own}`;
}

const isWhole = (pattern: string): boolean => pattern.startsWith("**") || isAbsolutePath(pattern);

/**
 * Texts that a call which names such a path has in it: the parts of the pattern without a wildcard. An absolute one has
 * none, since a call names paths as of its folder.
 */
export const fixedParts = (pattern: string): readonly string[] =>
  isAbsolutePath(pattern)
    ? []
    : pattern
        .split("/")
        .filter((part) => /[\p{L}\p{N}]/u.test(part) && !/[*?"]/.test(part))
        .map((part) => `"${part}"`);
