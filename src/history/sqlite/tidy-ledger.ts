/**
 * Removes kept files that no recorded call refers to, and, on request, the free space that removed sessions have left in
 * the file.
 *
 * Invariant: a blob that was put a short time ago stays, because the event that refers to it may be about to be
 * recorded. SQLite overwrites removed rows at once (`secure_delete`), so the free space holds nothing. To give it back to
 * the disk, SQLite rewrites the file (`VACUUM`), which needs as much space again and exclusive access.
 * `auto_vacuum` would move pages at every commit instead.
 */
import { statSync } from "node:fs";
import { UNUSED_BLOB_MS } from "../forget-sessions.js";

export type TidyOptions = {
  /** Rewrites the file without free space. */
  readonly vacuum?: boolean;
  /** The time that a blob stays when nothing refers to it. */
  readonly unusedBlobMs?: number;
  readonly now?: () => number;
};

export type Tidied = { readonly blobs: number; readonly bytesBefore: number; readonly bytesAfter: number };

// `like` is cheap, and finds the few events whose JSON must be read.
const UNUSED_BLOBS = `
  delete from blobs
  where (put_at is null or put_at < ?)
    and hash not in (
      select hash from (
        select case when json_valid(event) then event ->> '$.change.before.blob' end as hash
        from events where event like '%"file-kept"%'
      ) where hash is not null
    )`;

export async function tidyLedger(file: string, options: TidyOptions = {}): Promise<Tidied> {
  const { vacuum = false, unusedBlobMs = UNUSED_BLOB_MS, now = Date.now } = options;
  const { openLedgerFile } = await import("./sqlite-file.js");
  const database = await openLedgerFile(file);
  try {
    const bytesBefore = statSync(database.file).size;
    const blobs = database.transaction(() => database.change(UNUSED_BLOBS, [now() - unusedBlobMs]), {
      durable: true,
    });
    if (vacuum) database.exec("vacuum");
    database.emptyLog();
    return { blobs, bytesBefore, bytesAfter: statSync(database.file).size };
  } finally {
    database.close();
  }
}
