/**
 * The content of a call: blocks of text, images, sound and resources, file changes, terminals.
 *
 * The blocks have the shape that ACP and MCP share, so they need no conversion. Paths are absolute and
 * lines count from 1. `_meta` is kept unchanged at every level.
 */
import type { BoundedText } from "./bounded-text.js";
import { shortHunks } from "./diff-hunks.js";

export type Meta = { readonly [key: string]: unknown };

export type Annotations = {
  readonly audience?: readonly ("assistant" | "user")[] | null;
  readonly lastModified?: string | null;
  readonly priority?: number | null;
  readonly _meta?: Meta | null;
};

type BlockExtras = { readonly annotations?: Annotations | null; readonly _meta?: Meta | null };

export type TextBlock = BlockExtras & { readonly type: "text"; readonly text: string };
export type ImageBlock = BlockExtras & {
  readonly type: "image";
  readonly data: string;
  readonly mimeType: string;
  readonly uri?: string | null;
};
export type AudioBlock = BlockExtras & {
  readonly type: "audio";
  readonly data: string;
  readonly mimeType: string;
};
export type ResourceLinkBlock = BlockExtras & {
  readonly type: "resource_link";
  readonly name: string;
  readonly uri: string;
  readonly title?: string | null;
  readonly description?: string | null;
  readonly mimeType?: string | null;
  readonly size?: number | null;
};
export type EmbeddedResource = {
  readonly uri: string;
  readonly mimeType?: string | null;
  readonly _meta?: Meta | null;
} & ({ readonly text: string } | { readonly blob: string });
export type ResourceBlock = BlockExtras & { readonly type: "resource"; readonly resource: EmbeddedResource };

export type ContentBlock = TextBlock | ImageBlock | AudioBlock | ResourceLinkBlock | ResourceBlock;

export type BlockContent = {
  readonly type: "content";
  readonly content: ContentBlock;
  readonly _meta?: Meta | null;
};

export type FileOperation = "add" | "modify" | "delete" | "move" | "copy";

/** One changed place of a file with unchanged lines around it. Lines and columns count from 1. */
export type DiffHunk = {
  /** The first line of each text in the file. */
  readonly oldLine: number;
  readonly newLine: number;
  /** Long lines were cut: both texts begin at this character of their first line, and may end within a line. */
  readonly column?: number;
  readonly oldText: string;
  readonly newText: string;
};

/** One file's change. Texts are there when known; a binary file has none. `oldPath` is where a move or copy came from. */
export type DiffContent = {
  readonly type: "diff";
  readonly operation: FileOperation;
  readonly path: string;
  readonly oldPath?: string;
  readonly oldText?: string;
  readonly newText?: string;
  /** In place of the texts of a large file: all that changes, in order (see diff-hunks.ts). */
  readonly hunks?: readonly DiffHunk[];
  readonly fileType?: "text" | "binary" | "directory" | "symlink";
  readonly mimeType?: string;
  /** A git patch, when that is all the other side sent. */
  readonly patch?: string;
  readonly _meta?: Meta | null;
};

export type TerminalExit = { readonly exitCode?: number; readonly signal?: string };

/** A terminal. Without `output` it belongs to the other side, which shows its output. */
export type TerminalContent = {
  readonly type: "terminal";
  readonly terminalId: string;
  /** The ACP client's terminal that the command runs in: the client shows the output, and we have read it too. */
  readonly clientTerminalId?: string;
  readonly output?: BoundedText;
  readonly exit?: TerminalExit;
  readonly _meta?: Meta | null;
};

export type ToolCallContent = BlockContent | DiffContent | TerminalContent;

/** A place in a file that a call touches; `line` counts from 1. */
export type Location = { readonly path: string; readonly line?: number; readonly _meta?: Meta | null };

export function textContent(text: string, _meta?: Meta): BlockContent {
  const content = { type: "text", text } as const;
  return _meta ? { type: "content", content, _meta } : { type: "content", content };
}

/** The change from an old text (none: a new file) to a new one (none: a deleted file). */
export function diffContent(
  path: string,
  oldText: string | undefined,
  newText: string | undefined,
): DiffContent {
  if (newText === undefined) return { type: "diff", operation: "delete", path, oldText: oldText ?? "" };
  if (oldText === undefined) return { type: "diff", operation: "add", path, newText };
  return { type: "diff", operation: "modify", path, oldText, newText };
}

/** A diff holds both texts whole up to this length, and hunks when one of them is longer. */
const MAX_WHOLE_LENGTH = 64 * 1024;

/** The change from an old text (none: a new file) to a new one: whole, or as hunks where the file is large. */
export function fileDiff(path: string, oldText: string | undefined, newText: string): DiffContent {
  const isLarge = Math.max(oldText?.length ?? 0, newText.length) > MAX_WHOLE_LENGTH;
  const hunks = isLarge && oldText !== undefined ? shortHunks(oldText, newText) : undefined;
  return hunks ? { type: "diff", operation: "modify", path, hunks } : diffContent(path, oldText, newText);
}
