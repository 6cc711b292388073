/** Opens the archive of a ledger by the ledger's address. */
import { checkOptions, FUNCTION, required, TEXT } from "../call/check-options.js";
import type { OptionChecks } from "../call/check-options.js";
import type { Archive } from "../call/index.js";
import { LedgerFileError } from "./ledger-file-error.js";
import { PATTERNS } from "./redaction/redaction-pattern.js";
import type { SqliteArchiveOptions } from "./sqlite/archive/open-sqlite-archive.js";
import { storeAddress } from "./store-address.js";

export type ArchiveOptions = SqliteArchiveOptions;

const ARCHIVE_OPTIONS: OptionChecks<ArchiveOptions> = {
  indexFile: TEXT,
  patterns: PATTERNS,
  onProgress: FUNCTION,
  onIndexInMemory: FUNCTION,
  now: FUNCTION,
};

/** The ledger itself is only read, except by `forget`. The driver is loaded here and not before. */
export async function openArchive(address: string, options: ArchiveOptions = {}): Promise<Archive> {
  checkOptions("openArchive", { address }, { address: required(TEXT) });
  checkOptions("openArchive", options, ARCHIVE_OPTIONS);
  const store = storeAddress(address);
  switch (store.type) {
    case "memory":
      throw new LedgerFileError(
        "UNKNOWN_ADDRESS",
        "A ledger in memory ends with the process that wrote it, so memory: has no history to open. Nothing was read; name the file of a ledger. Programs that have the ledger use MemoryArchive.",
      );
    case "postgres": {
      const { openPostgresArchive } = await import("./postgres/archive/open-postgres-archive.js");
      const { patterns, onProgress, now } = options;
      return openPostgresArchive(store.address, {
        ...(patterns && { patterns }),
        ...(onProgress && { onProgress }),
        ...(now && { now }),
      });
    }
    case "sqlite": {
      const { openSqliteArchive } = await import("./sqlite/archive/open-sqlite-archive.js");
      return openSqliteArchive(store.file, options);
    }
    default:
      return store satisfies never;
  }
}
