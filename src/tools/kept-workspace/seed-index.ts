/**
 * An index of our own made from the user's: with the times and sizes of the files that git has seen, so that the first
 * keep reads only the files that changed since.
 *
 * Left out: what is not on the disk (sparse folders and files), submodules, conflicts, and files outside of the
 * workspace's part of the repository. Flags that make git overlook changes are cleared.
 */
import { createHash } from "node:crypto";
import type { ObjectFormat } from "../git/read-index.js";
import { NAME_BYTES, MODE_AT, IS_EXTENDED } from "../git/read-index.js";

const HEADER_BYTES = 12;
/** Times, device, inode, mode, owner and size. */
const STAT_BYTES = 40;
const SIZE_AT = 36;
const STAGE = 0x3000;
const ASSUMED_UNCHANGED = 0x8000;
const MAX_LENGTH = 0xfff;
const SKIPPED_OR_TO_BE_ADDED = 0x6000;
const FILE_TYPE = 0o170000;
const [REGULAR, LINK] = [0o100000, 0o120000];

/** The index, still open: entries whose object is not the file byte for byte must be distrusted before `finish`. */
export class SeededIndex {
  readonly #format: ObjectFormat;
  readonly #bytes: Buffer;
  readonly #starts: readonly number[];
  readonly #paths: readonly string[];
  #end: number;

  constructor(format: ObjectFormat, bytes: Buffer, end: number, found: Pick<Decoded, "starts" | "paths">) {
    this.#format = format;
    this.#bytes = bytes;
    this.#starts = found.starts;
    this.#paths = found.paths;
    this.#end = end;
  }

  get count(): number {
    return this.#starts.length;
  }

  /** Byte for byte, as latin1. */
  get paths(): readonly string[] {
    return this.#paths;
  }

  /** The names of the objects, one a line. */
  objectNames(): Buffer {
    const size = NAME_BYTES[this.#format];
    const names = this.#starts.map((at) =>
      this.#bytes.toString("hex", at + STAT_BYTES, at + STAT_BYTES + size),
    );
    return Buffer.from(`${names.join("\n")}\n`);
  }

  /** The size of the file when git last looked at it. */
  fileSize(entry: number): number {
    return this.#bytes.readUInt32BE((this.#starts[entry] ?? 0) + SIZE_AT);
  }

  /** The files that have changed since, as git last saw them, each with its exact time. `seconds`: since 1970. */
  changedSince(
    seconds: number,
  ): readonly { readonly entry: number; readonly path: string; readonly changedMs: number }[] {
    return this.#starts.flatMap((at, entry) => {
      const changed = this.#bytes.readUInt32BE(at);
      if (changed < seconds) return [];
      const changedMs = changed * 1_000 + this.#bytes.readUInt32BE(at + 4) / 1e6;
      return [{ entry, path: this.#paths[entry] ?? "", changedMs }];
    });
  }

  /** Forgets time and size, so that git reads the file again. */
  distrust(entry: number): void {
    const at = this.#starts[entry] ?? 0;
    this.#bytes.fill(0, at, at + MODE_AT);
    this.#bytes.fill(0, at + MODE_AT + 4, at + STAT_BYTES);
  }

  finish(): Buffer {
    const content = this.#bytes.subarray(0, this.#end);
    return Buffer.concat([content, createHash(this.#format).update(content).digest()]);
  }
}

type Decoded = {
  /** Where each entry starts in the new index. */
  readonly starts: number[];
  readonly paths: string[];
};

/** Undefined for an index that is not of a known form: then nothing is seeded. */
export function seedIndex(index: Buffer, format: ObjectFormat, prefix: string): SeededIndex | undefined {
  try {
    return new Seeding(index, format, Buffer.from(prefix).toString("latin1")).run();
  } catch (error) {
    // A read beyond the end: the index is cut off.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const MODIFIED_AT = 8;

/** Size and time of each file in an index, as git last saw them. Undefined when the index is of an unknown form. */
export function indexStats(
  index: Buffer,
  format: ObjectFormat,
): ReadonlyMap<string, { readonly size: number; readonly seconds: number }> | undefined {
  const found = new Map<string, { readonly size: number; readonly seconds: number }>();
  try {
    const end = readEntries(index, format, ({ at, path }) => {
      const seconds = index.readUInt32BE(at + MODIFIED_AT);
      found.set(Buffer.from(path, "latin1").toString(), { size: index.readUInt32BE(at + SIZE_AT), seconds });
    });
    return end === undefined ? undefined : found;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * The entries of an index without what only speeds git up: stage, mode, object and path of each. Undefined when the index
 * is not of a known form.
 */
export function indexEntries(index: Buffer, format: ObjectFormat): string | undefined {
  try {
    const lines: string[] = [];
    const nameBytes = NAME_BYTES[format];
    const end = readEntries(index, format, ({ at, path, flags, extended }) => {
      const object = index.toString("hex", at + STAT_BYTES, at + STAT_BYTES + nameBytes);
      const kept = [
        flags & (STAGE | ASSUMED_UNCHANGED),
        extended,
        index.readUInt32BE(at + MODE_AT),
        object,
        path,
      ];
      lines.push(kept.join(" "));
    });
    const rest = end === undefined ? undefined : index.subarray(end);
    // A second list of entries elsewhere.
    return rest === undefined || rest.includes("link") || rest.includes("REUC")
      ? undefined
      : lines.join("\0");
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

type IndexEntry = {
  readonly at: number;
  /** Byte for byte, as latin1. */
  readonly path: string;
  readonly flags: number;
  readonly extended: number;
};

/** Returns where the entries end. Undefined when the index is not of a known form. */
function readEntries(
  from: Buffer,
  format: ObjectFormat,
  take: (entry: IndexEntry) => void,
): number | undefined {
  if (from.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = from.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  const count = from.readUInt32BE(8);
  let at = HEADER_BYTES;
  let path = "";
  for (let entry = 0; entry < count; entry += 1) {
    const flagsAt = at + STAT_BYTES + NAME_BYTES[format];
    const flags = from.readUInt16BE(flagsAt);
    const isExtended = (flags & IS_EXTENDED) !== 0;
    let nameAt = flagsAt + (isExtended ? 4 : 2);
    let kept = 0;
    if (version === 4) {
      const { value, next } = variableNumber(from, nameAt);
      if (value > path.length) return undefined;
      kept = path.length - value;
      nameAt = next;
    }
    const nameEnd = from.indexOf(0, nameAt);
    if (nameEnd < 0) return undefined;
    path = path.slice(0, kept) + from.toString("latin1", nameAt, nameEnd);
    take({ at, path, flags, extended: isExtended ? from.readUInt16BE(flagsAt + 2) : 0 });
    at = version === 4 ? nameEnd + 1 : at + ((nameEnd - at + 8) & ~7);
  }
  return at;
}

class Seeding {
  readonly #from: Buffer;
  readonly #format: ObjectFormat;
  readonly #prefix: string;
  readonly #nameBytes: number;
  readonly #found: Decoded = { starts: [], paths: [] };
  readonly #to: Buffer;
  #end = HEADER_BYTES;
  #dropped = 0;

  constructor(from: Buffer, format: ObjectFormat, prefix: string) {
    this.#from = from;
    this.#format = format;
    this.#prefix = prefix;
    this.#nameBytes = NAME_BYTES[format];
    // Version 4 shortens paths, and this one does not.
    const isShortened = from.length > HEADER_BYTES && from.readUInt32BE(4) === 4;
    this.#to = Buffer.alloc(isShortened ? 8 * from.length + 65_536 : from.length + 65_536);
  }

  run(): SeededIndex | undefined {
    const at = readEntries(this.#from, this.#format, (entry) => this.#take(entry));
    if (at === undefined || !this.#takeTrees(at)) return undefined;
    this.#to.write("DIRC", 0, "latin1");
    this.#to.writeUInt32BE(2, 4);
    this.#to.writeUInt32BE(this.#found.starts.length, 8);
    return new SeededIndex(this.#format, this.#to, this.#end, this.#found);
  }

  #take({ at, path, flags, extended }: IndexEntry): void {
    const type = this.#from.readUInt32BE(at + MODE_AT) & FILE_TYPE;
    const isKnown = (type === REGULAR || type === LINK) && (flags & STAGE) === 0;
    if (!isKnown || !path.startsWith(this.#prefix) || (extended & SKIPPED_OR_TO_BE_ADDED) !== 0) {
      this.#dropped += 1;
      return;
    }
    const name = path.slice(this.#prefix.length);
    const start = this.#end;
    const nameAt = start + STAT_BYTES + this.#nameBytes + 2;
    this.#from.copy(this.#to, start, at, at + STAT_BYTES + this.#nameBytes);
    this.#to.writeUInt16BE(Math.min(name.length, MAX_LENGTH), nameAt - 2);
    this.#to.write(name, nameAt, "latin1");
    this.#end = start + ((nameAt - start + name.length + 8) & ~7);
    if (this.#end > this.#to.length) throw new RangeError("the paths are too long");
    this.#found.starts.push(start);
    this.#found.paths.push(name);
  }

  /** The known trees save git work. False when the index lists its entries elsewhere as well. */
  #takeTrees(extensionsAt: number): boolean {
    const from = this.#from;
    const end = from.length - this.#nameBytes;
    for (let at = extensionsAt; at + 8 <= end;) {
      const name = from.toString("latin1", at, at + 4);
      const next = at + 8 + from.readUInt32BE(at + 4);
      if (name === "link") return false;
      if (name === "TREE" && this.#dropped === 0 && this.#prefix === "" && next <= end)
        this.#end += from.copy(this.#to, this.#end, at, next);
      at = next;
    }
    return true;
  }
}

function variableNumber(bytes: Buffer, start: number): { readonly value: number; readonly next: number } {
  let at = start;
  let byte = bytes.readUInt8(at);
  let value = byte & 127;
  while ((byte & 128) !== 0) {
    at += 1;
    byte = bytes.readUInt8(at);
    value = (value + 1) * 128 + (byte & 127);
  }
  return { value, next: at + 1 };
}
