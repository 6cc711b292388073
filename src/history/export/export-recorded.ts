/** Exports a session from its ledger. */
import { eventPages, LedgerError, SessionBook } from "../../call/index.js";
import type { ExportFormat, Ledger } from "../../call/index.js";
import { foldStored } from "../../call/ledger.js";
import { exportSession } from "./export-session.js";
import type { ExportOptions } from "./export-session.js";

export async function* exportRecorded(
  ledger: Pick<Ledger, "read">,
  sessionId: string,
  format: ExportFormat,
  options: ExportOptions,
): AsyncGenerator<string> {
  const book = new SessionBook(sessionId);
  let isThere = false;
  for await (const page of eventPages(ledger, sessionId)) {
    isThere = true;
    foldStored(book, page);
  }
  if (!isThere)
    throw new LedgerError("NO_SUCH_SESSION", `There is no session ${sessionId}. Nothing was exported.`);
  yield* exportSession(book.snapshot(), format, options);
}
