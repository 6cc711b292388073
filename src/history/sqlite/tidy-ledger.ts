/**
 * Gives back what a ledger's file no longer needs: kept files that no recorded call speaks of, and, when
 * asked for, the room that removed sessions have left in the file.
 *
 * What must stay true: a blob that was put a short time ago stays, because whoever put it may be about to
 * record what it is for. Removed rows are overwritten at once (`secure_delete`), so the room that is left
 * holds nothing. To give it back to the disk, SQLite has to write the file anew (`VACUUM`), which needs as
 * much room again and the file for itself. `auto_vacuum` would move pages at every commit instead.
 */
import { statSync } from "node:fs";
import { UNUSED_BLOB_MS } from "../forget-sessions.js";

export type TidyOptions = {
  /** Writes the file anew, without the room that removed rows have left. */
  readonly vacuum?: boolean;
  /** How long a blob stays that nothing speaks of, in milliseconds. */
  readonly blobsOlderThan?: number;
  readonly now?: () => number;
};

export type Tidied = { readonly blobs: number; readonly bytesBefore: number; readonly bytesAfter: number };

// That an event tells of a kept file is cheap to see; the JSON of all others need not be read.
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
  const { vacuum = false, blobsOlderThan = UNUSED_BLOB_MS, now = Date.now } = options;
  const { openLedgerFile } = await import("./sqlite-file.js");
  const database = await openLedgerFile(file);
  try {
    const bytesBefore = statSync(database.file).size;
    const blobs = database.transaction(() => database.change(UNUSED_BLOBS, [now() - blobsOlderThan]), {
      durable: true,
    });
    if (vacuum) database.exec("vacuum");
    database.emptyLog();
    return { blobs, bytesBefore, bytesAfter: statSync(database.file).size };
  } finally {
    database.close();
  }
}
