/**
 * The path of a ledger's index: one for each set of patterns, because its texts were redacted with them. Indexes of
 * other patterns are removed, since they may contain a text that a pattern now calls a secret. On media that can only be
 * read they stay.
 */
import { createHash } from "node:crypto";
import { readdirSync, realpathSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../../../call/error-code.js";
import type { RedactionPattern } from "../../redaction/redaction-pattern.js";

export function indexFile(ledgerFile: string, patterns: readonly RedactionPattern[]): string {
  const ledger = realpathSync(ledgerFile);
  const name = `${basename(ledger)}.index${suffix(patterns)}`;
  const folder = dirname(ledger);
  for (const other of readdirSync(folder)) {
    // With the two files that SQLite keeps beside it while it is open.
    const [, index] = INDEX.exec(other) ?? [];
    if (index !== undefined && index !== name && index.startsWith(`${basename(ledger)}.index`))
      removeWherePossible(join(folder, other));
  }
  return join(folder, name);
}

function removeWherePossible(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch (thrown) {
    if (!["EROFS", "EACCES", "EPERM"].includes(errorCode(thrown) ?? "")) throw thrown;
  }
}

const INDEX = /^(.*\.index(?:-[0-9a-f]{12})?)(?:-wal|-shm)?$/;

const suffix = (patterns: readonly RedactionPattern[]): string =>
  patterns.length === 0
    ? ""
    : `-${createHash("sha256")
        .update(JSON.stringify(patterns.map(({ source }) => source)))
        .digest("hex")
        .slice(0, 12)}`;
