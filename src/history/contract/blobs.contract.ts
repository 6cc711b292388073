/** Blobs: bytes under their hash. */
import { expect, test } from "vitest";
import type { Given } from "./contract.samples.js";
import { bytesOf } from "./contract.samples.js";

export function blobs({ store, damageBlob }: Given): void {
  const hello = new Uint8Array([104, 101, 108, 108, 111]);
  const helloHash = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
  const emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

  test("bytes are stored under their SHA-256 in hex", async () => {
    const { ledger, elsewhere } = store();
    expect(await ledger.putBlob(hello)).toBe(helloHash);
    expect(await ledger.putBlob(new Uint8Array())).toBe(emptyHash);
    expect(bytesOf(await elsewhere.getBlob(helloHash))).toEqual([104, 101, 108, 108, 111]);
    expect(bytesOf(await elsewhere.getBlob(emptyHash))).toEqual([]);
  });

  test("gives the same bytes the same hash, and other bytes another", async () => {
    const { ledger, elsewhere } = store();
    const hashes = await Promise.all([
      ledger.putBlob(hello),
      elsewhere.putBlob(hello.slice()),
      ledger.putBlob(Buffer.from("hello")),
    ]);
    expect(hashes).toEqual([helloHash, helloHash, helloHash]);
    expect(await ledger.putBlob(Buffer.from("hello!"))).not.toBe(helloHash);
    expect(bytesOf(await ledger.getBlob(helloHash))).toEqual([...hello]);
  });

  test("stores only the bytes of the given view", async () => {
    const { ledger } = store();
    const around = new Uint8Array([1, ...hello, 2]);
    expect(await ledger.putBlob(around.subarray(1, 6))).toBe(helloHash);
    expect(bytesOf(await ledger.getBlob(helloHash))).toEqual([...hello]);
  });

  test("returns undefined for a blob that was not stored", async () => {
    const { ledger } = store();
    expect(await ledger.getBlob(helloHash)).toBeUndefined();
    expect(await ledger.getBlob("no hash at all")).toBeUndefined();
  });

  // Memory holds the bytes themselves: there is no store that could change them.
  test.each(damageBlob ? [{ damage: damageBlob }] : [])(
    "refuses a blob whose bytes changed, until the same bytes are put again",
    async ({ damage }) => {
      const { ledger, elsewhere } = store();
      const hash = await ledger.putBlob(hello);
      await damage(ledger, hash);
      for (const one of [ledger, elsewhere])
        await expect(one.getBlob(hash)).rejects.toMatchObject({ code: "LEDGER_DAMAGED" });
      await elsewhere.putBlob(hello);
      expect(bytesOf(await ledger.getBlob(hash))).toEqual([...hello]);
    },
  );

  test("stores bytes that later changes do not reach", async () => {
    const { ledger } = store();
    const handedIn = hello.slice();
    const storing = ledger.putBlob(handedIn);
    handedIn.fill(0);
    const hash = await storing;
    const handedOut = await ledger.getBlob(hash);
    handedOut?.fill(0);
    expect(hash).toBe(helloHash);
    expect(bytesOf(await ledger.getBlob(hash))).toEqual([...hello]);
  });
}
