/** Bytes by their SHA-256. Large blobs are stored in parts: both ends hold a part in memory, several times. */
import { createHash } from "node:crypto";
import { blobHash } from "../chain/hash-chain.js";
import type { LedgerContext } from "./ledger-context.js";
import { serverError } from "./server-errors.js";

const MAX_PART_BYTES = 8 * 1024 * 1024;

export async function putBlob({ sql, statements, time }: LedgerContext, bytes: Uint8Array): Promise<string> {
  // A copy: the caller may change the bytes before they are written.
  const copy = Buffer.from(bytes);
  const hash = createHash("sha256").update(copy).digest();
  const parts = Math.max(1, Math.ceil(copy.length / MAX_PART_BYTES));
  // The first part is stored last: a reader that finds it finds all of them.
  for (let part = parts - 1; part >= 0; part--) {
    const piece = copy.subarray(part * MAX_PART_BYTES, (part + 1) * MAX_PART_BYTES);
    await sql.retried(statements.putBlob, time(), hash, part, parts, piece);
  }
  return hash.toString("hex");
}

/** Throws LEDGER_DAMAGED when the bytes do not match their hash. */
export async function getBlob(context: LedgerContext, hash: string): Promise<Uint8Array | undefined> {
  const bytes = await storedBytes(context, hash);
  if (!bytes || blobHash(bytes) === hash) return bytes;
  throw serverError("LEDGER_DAMAGED", {
    address: context.sql.address,
    words: (server) =>
      `Kept file ${hash.slice(0, 12)} in the database of ${server} is not what was stored. Nothing was changed; restore it from a backup.`,
  });
}

/** Reads the stored bytes without checking their hash. */
export async function storedBytes(
  { sql, statements }: Pick<LedgerContext, "sql" | "statements">,
  hash: string,
): Promise<Uint8Array | undefined> {
  if (!/^[0-9a-f]{64}$/.test(hash)) return undefined;
  const key = Buffer.from(hash, "hex");
  const [first] = await sql.retried(statements.blobPart, key, 0);
  if (!first) return undefined;
  const pieces = [first.bytes];
  for (let part = 1; part < first.parts; part++) {
    const [row] = await sql.retried(statements.blobPart, key, part);
    if (!row) return undefined;
    pieces.push(row.bytes);
  }
  return new Uint8Array(Buffer.concat(pieces));
}
