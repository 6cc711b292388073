/** Everything found in a foreign agent's input so far. */
import type { FileText } from "../../run/reported-intent.js";

/** A part of what files held, or will hold. */
export type TextPiece = {
  /** The files that it is a part of; none when the input does not say. */
  readonly paths: readonly string[];
  readonly side: "old" | "new";
  readonly text: string;
};

export type ServerTool = { readonly server: string; readonly tool: string };

/** All that was found so far. */
export type Findings = {
  readonly commands: Map<string, string | readonly string[]>;
  readonly joined: Set<string>;
  readonly folders: Set<string>;
  readonly places: Set<string>;
  readonly written: Set<string>;
  readonly named: Set<string>;
  readonly deleted: Set<string>;
  readonly moved: Set<string>;
  readonly urls: Set<string>;
  readonly texts: Set<string>;
  readonly writes: Map<string, FileText>;
  readonly pieces: Map<string, TextPiece>;
  readonly servers: Map<string, ServerTool>;
  readonly doubts: Set<string>;
  /** Operations that stand beside no file: they are of all files of the call. */
  readonly operations: Set<Operation>;
  left: number;
  isTooMuch: boolean;
};

export type Operation = "delete" | "move";

/** More fields than any tool has. Beyond them it is too much, and still looked at for a while. */
export const MAX_FIELDS = 2_000;
export const MAX_READ = 20_000;

export function emptyFindings(): Findings {
  return {
    commands: new Map(),
    joined: new Set(),
    folders: new Set(),
    places: new Set(),
    written: new Set(),
    named: new Set(),
    deleted: new Set(),
    moved: new Set(),
    urls: new Set(),
    texts: new Set(),
    writes: new Map(),
    pieces: new Map(),
    servers: new Map(),
    doubts: new Set(),
    operations: new Set(),
    left: MAX_READ,
    isTooMuch: false,
  };
}

export const operated = (operation: Operation, found: Findings): Set<string> =>
  operation === "delete" ? found.deleted : found.moved;
