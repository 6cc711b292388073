/**
 * The changes of a command as bytes for the ledger: for each path its earlier state, with the content, and the state in
 * which the command left it.
 *
 * Layout, compressed: the length of the head as four bytes, the head as JSON, then the contents in the order of the
 * paths.
 */
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { ObjectFormat } from "../git/read-index.js";

export type EarlierState =
  | { readonly type: "file"; readonly mode: number; readonly content: Uint8Array }
  | { readonly type: "link"; readonly target: string }
  | { readonly type: "folder"; readonly mode: number };

export type WorkspaceChange = {
  /** Absolute. */
  readonly path: string;
  /** Undefined when nothing was there. */
  readonly before?: EarlierState;
  /** The state in which the command left it, as `stateOf` returns it; undefined when nothing was left. */
  readonly after?: string;
};

export type ChangeBundle = { readonly format: ObjectFormat; readonly changes: readonly WorkspaceChange[] };

type Head = {
  readonly format: ObjectFormat;
  readonly changes: readonly {
    readonly path: string;
    readonly before?: {
      readonly type: string;
      readonly mode?: number;
      readonly target?: string;
      readonly bytes?: number;
    };
    readonly after?: string;
  }[];
};

const LENGTH_BYTES = 4;
const LEVEL = 1;

export async function packChanges({ format, changes }: ChangeBundle): Promise<Uint8Array> {
  const contents: Uint8Array[] = [];
  const head: Head = {
    format,
    changes: changes.map(({ path, before, after }) => {
      const rest = { path, ...(after !== undefined && { after }) };
      if (before?.type !== "file") return { ...rest, ...(before && { before }) };
      contents.push(before.content);
      return { ...rest, before: { type: "file", mode: before.mode, bytes: before.content.length } };
    }),
  };
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(text.length);
  return promisify(gzip)(Buffer.concat([length, text, ...contents]), { level: LEVEL });
}

export async function unpackChanges(bytes: Uint8Array): Promise<ChangeBundle> {
  const whole = await promisify(gunzip)(bytes);
  const length = whole.readUInt32BE(0);
  let at = LENGTH_BYTES + length;
  // Written by `packChanges`; the ledger names it by its hash.
  const { format, changes } = JSON.parse(whole.toString("utf8", LENGTH_BYTES, at)) as Head;
  return {
    format,
    changes: changes.map(({ path, before, after }): WorkspaceChange => {
      const rest = { path, ...(after !== undefined && { after }) };
      if (!before) return rest;
      const { type, mode = 0, target = "", bytes: size = 0 } = before;
      if (type === "link") return { ...rest, before: { type, target } };
      if (type === "folder") return { ...rest, before: { type, mode } };
      const content = whole.subarray(at, at + size);
      at += size;
      return { ...rest, before: { type: "file", mode, content } };
    }),
  };
}
