/** The state of one folder at one time: a tree of git, and what a tree cannot hold. */
import type { GitPlace } from "./shadow-git.js";

/** `state`: the file with what the index does not hold. */
export type KeptPlace = GitPlace & { readonly state: string };

/** Something that is there and not kept. `stamp` changes with the file; none for a folder. */
export type Opaque = { readonly reason: string; readonly stamp?: string };

/** Paths are relative to the place, byte for byte as latin1. */
export type PlaceSnapshot = {
  readonly place: KeptPlace;
  readonly tree: string;
  /** Permission bits of the folder itself. */
  readonly mode: number;
  /** Decides which permission bits are usual. */
  readonly umask: number;
  /** Permission bits of files that differ from the usual ones. */
  readonly modes: ReadonlyMap<string, number>;
  /** Empty folders, and folders with unusual permission bits. */
  readonly folders: ReadonlyMap<string, number>;
  readonly opaque: ReadonlyMap<string, Opaque>;
  /** A file named `.git`. */
  readonly gitFile?: { readonly content: Uint8Array; readonly mode: number };
};

/** Permission bits that a new file gets, by what git records of them. */
export function usualModes(umask: number): {
  readonly file: number;
  readonly program: number;
  readonly folder: number;
} {
  return { file: 0o666 & ~umask, program: 0o777 & ~umask, folder: 0o777 & ~umask };
}

const bytesOf = (path: string): Buffer => Buffer.from(path, "latin1");

/** The path as a file system call takes it. */
export function onDisk({ workTree }: GitPlace, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${workTree}/`), bytesOf(path)]);
}

/** The parts of an output that NULs end. */
export function zeroEnded(output: Buffer): string[] {
  const parts = output.toString("latin1").split("\0");
  parts.pop();
  return parts;
}

export const zeroEndedBytes = (parts: readonly string[]): Buffer =>
  bytesOf(parts.map((part) => `${part}\0`).join(""));
