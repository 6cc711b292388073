/** The door to the index; what it is made of is loaded only when one is opened. */
import type { HistoryIndex, HistoryIndexOptions } from "./history-index.js";

/** Opens the index of the ledger in `ledgerFile`, or begins one beside it. The ledger itself is only read. */
export async function openHistoryIndex(
  ledgerFile: string,
  options: HistoryIndexOptions = {},
): Promise<HistoryIndex> {
  const { openIndex } = await import("./history-index.js");
  return openIndex(ledgerFile, options);
}
