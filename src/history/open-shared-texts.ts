/** Opens the texts that instances on one ledger share, by the ledger's address. */
import type { SharedTexts } from "../call/shared-texts.js";
import { storeAddress } from "./store-address.js";

/** Undefined for a ledger of one machine, whose settings are files. The driver is loaded here and not before. */
export async function openSharedTexts(address: string): Promise<SharedTexts | undefined> {
  const store = storeAddress(address);
  switch (store.type) {
    case "memory":
    case "sqlite":
      return undefined;
    case "postgres": {
      const { openPostgresTexts } = await import("./postgres/open-postgres-texts.js");
      return openPostgresTexts(store.address);
    }
    default:
      return store satisfies never;
  }
}
