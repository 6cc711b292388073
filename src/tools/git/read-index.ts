/**
 * Reads the paths of a git index, and which of them are links to other repositories: git looks into existing
 * submodules, also without a `.gitmodules`. An index that git might read differently is not read at all.
 */
import { createHash } from "node:crypto";

export type ObjectFormat = "sha1" | "sha256";

export type GitIndex = { readonly paths: readonly string[]; readonly submodules: readonly string[] };

export const NAME_BYTES = { sha1: 20, sha256: 32 } as const;
const LINK = 0o160000;
const MODES: ReadonlySet<number> = new Set([0o100644, 0o100755, 0o100664, 0o120000, LINK]);
export const MODE_AT = 24;
export const IS_EXTENDED = 0x4000;
const MAX_LENGTH = 0xfff;
/** The known extended flags: "skip the file in the tree" and "to be added"; git stops at any other. */
const KNOWN_EXTENDED = 0x6000;

type Form = { readonly version: number; readonly nameBytes: number; readonly end: number };

/** The hash is the one of the repository's settings: nothing in the index says how long its names are. */
export function readIndex(bytes: Uint8Array, format: ObjectFormat): GitIndex | undefined {
  const nameBytes = NAME_BYTES[format];
  const end = bytes.length - nameBytes;
  if (end < 12 || latin(bytes, 0, 4) !== "DIRC" || !hasItsChecksum(bytes, end, format)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.getUint32(4);
  if (version < 2 || version > 4) return undefined;
  const paths: string[] = [];
  const submodules: string[] = [];
  let at = 12;
  let before = "";
  for (let count = view.getUint32(8); count > 0; count -= 1) {
    const entry = entryAt(view, bytes, { at, before, version, nameBytes, end });
    if (!entry) return undefined;
    ({ next: at, name: before } = entry);
    const path = Buffer.from(before, "latin1").toString("utf8");
    paths.push(path);
    if (entry.mode === LINK) submodules.push(path);
  }
  return hasKnownExtensions(view, bytes, { at, end }) ? { paths, submodules } : undefined;
}

/** `index.skipHash` leaves zeros in its place. */
function hasItsChecksum(bytes: Uint8Array, end: number, format: ObjectFormat): boolean {
  const stored = bytes.subarray(end);
  if (stored.every((byte) => byte === 0)) return true;
  return createHash(format).update(bytes.subarray(0, end)).digest().equals(stored);
}

type Entry = {
  readonly mode: number;
  /** Byte for byte, as the lengths count them. */
  readonly name: string;
  readonly next: number;
};

function entryAt(
  view: DataView,
  bytes: Uint8Array,
  { at, before, version, nameBytes, end }: Form & { readonly at: number; readonly before: string },
): Entry | undefined {
  const flagsAt = at + MODE_AT + 16 + nameBytes;
  if (flagsAt + 4 > end) return undefined;
  const mode = view.getUint32(at + MODE_AT);
  const flags = view.getUint16(flagsAt);
  const isExtended = (flags & IS_EXTENDED) !== 0;
  // Version 2 has no such flag, and git obeys it there nevertheless.
  if (!MODES.has(mode) || (isExtended && version === 2)) return undefined;
  if (isExtended && (view.getUint16(flagsAt + 2) & ~KNOWN_EXTENDED) !== 0) return undefined;
  let start = flagsAt + (isExtended ? 4 : 2);
  let kept = 0;
  if (version === 4) {
    const dropped = variableNumber(bytes, start);
    if (!dropped || dropped.value > before.length) return undefined;
    kept = before.length - dropped.value;
    start = dropped.next;
  }
  const nameEnd = bytes.indexOf(0, start);
  if (nameEnd < 0 || nameEnd >= end) return undefined;
  const name = before.slice(0, kept) + latin(bytes, start, nameEnd);
  // git takes the length from the flags, not from the zero at the end.
  if (name === "" || Math.min(name.length, MAX_LENGTH) !== (flags & MAX_LENGTH)) return undefined;
  const next = version === 4 ? nameEnd + 1 : at + ((nameEnd - at + 8) & ~7);
  return next > end ? undefined : { mode, name, next };
}

const latin = (bytes: Uint8Array, from: number, to: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString("latin1");

const MAX_NUMBER_BYTES = 4;

function variableNumber(
  bytes: Uint8Array,
  start: number,
): { readonly value: number; readonly next: number } | undefined {
  let value = 0;
  for (let count = 0; count < MAX_NUMBER_BYTES; count += 1) {
    const byte = bytes[start + count] ?? 0;
    value = (count === 0 ? 0 : (value + 1) * 128) + (byte & 127);
    if ((byte & 128) === 0) return { value, next: start + count + 1 };
  }
  return undefined;
}

/**
 * Extensions must follow the entries up to the checksum. Extensions that a reader must support begin with a small
 * letter: a second list of entries, folders in place of entries, and future ones.
 */
function hasKnownExtensions(
  view: DataView,
  bytes: Uint8Array,
  { at: start, end }: { readonly at: number; readonly end: number },
): boolean {
  let at = start;
  while (at + 8 <= end) {
    if (!/^[A-Z]/.test(latin(bytes, at, at + 4))) return false;
    at += 8 + view.getUint32(at + 4);
  }
  return at === end;
}
