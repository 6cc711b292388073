import { archiveContract } from "../contract/archive.contract.js";
import { MemoryArchive } from "./memory-archive.js";
import { MemoryLedger } from "./memory-ledger.js";

archiveContract("MemoryArchive", async ({ now }) => {
  const ledger = new MemoryLedger({ now });
  return { ledger, archive: new MemoryArchive(ledger, { now }) };
});
