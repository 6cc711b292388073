import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { MemoryLedger } from "./memory/memory-ledger.js";
import { openArchive } from "./open-archive.js";
import { openLedger } from "./open-ledger.js";
import { ledgerFileOf, storeAddress } from "./store-address.js";

test.each([
  "ledger.sqlite",
  "/var/lib/x",
  "./postgres://x",
  "../a:b",
  ":memory:",
  "C:\\ledger",
  "a b:c",
  "memory",
])("%j is the path of a file", (address) => {
  expect(storeAddress(address)).toEqual({ type: "sqlite", file: address });
  expect(ledgerFileOf(address)).toBe(address);
});

test.each(["postgres://db/x", "postgresql://ann@db/x", "POSTGRES://db/x"])("%j is a server", (address) => {
  expect(storeAddress(address)).toEqual({ type: "postgres", address });
  expect(ledgerFileOf(address)).toBeUndefined();
});

test("opens a new ledger without a file for memory:", async () => {
  const [one, other] = [await openLedger("memory:"), await openLedger("memory:")];
  expect(one).toBeInstanceOf(MemoryLedger);
  expect(other).not.toBe(one);
  expect(ledgerFileOf("memory:")).toBeUndefined();
  expect(existsSync("memory:")).toBe(false);
  await expect(openArchive("memory:")).rejects.toMatchObject({
    code: "UNKNOWN_ADDRESS",
    message: expect.stringContaining("Nothing was read; name the file of a ledger."),
  });
});

test.each(["mysql://ann:secret@db/toolgate", "postgresql:x", "memory:x", "file:///tmp/x", "HTTP://x"])(
  "refuses %j with a message that hides the password, and creates nothing",
  async (address) => {
    for (const open of [openLedger, openArchive]) {
      const error: unknown = await open(address).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: "LedgerFileError", code: "UNKNOWN_ADDRESS" });
      expect(String(error)).toMatch(
        /is no ledger that this toolgate can open.*Nothing was opened; name a file/,
      );
      expect(String(error)).not.toContain("secret");
    }
    expect(existsSync(address)).toBe(false);
  },
);
