/** The settings that an answer or the page stores: in a ledger that instances share, or in files of this machine. */
import type { SharedTexts } from "../call/shared-texts.js";
import { openSharedTexts } from "../history/open-shared-texts.js";
import { sharedDocuments } from "../settings/index.js";
import type { OpenDocument } from "../settings/index.js";
import { ledgerAddress } from "./ledger-address.js";

/** How stored settings are opened; nothing for files. */
export type StoredSettings = { readonly open?: OpenDocument };

export const sharedSettings = (shared: SharedTexts | undefined): StoredSettings =>
  shared === undefined ? {} : { open: sharedDocuments(shared) };

/** For one command: opens the settings of the ledger at this address, and closes them after the work. */
export async function withSettingsOf<Result>(
  ledger: string | undefined,
  work: (settings: StoredSettings) => Result | Promise<Result>,
): Promise<Result> {
  if (ledger === undefined) return work({});
  const shared = await openSharedTexts(ledgerAddress({ ledger }));
  try {
    return await work(sharedSettings(shared));
  } finally {
    await shared?.close();
  }
}
