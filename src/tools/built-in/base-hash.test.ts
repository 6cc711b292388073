import { createHash } from "node:crypto";
import { mkdir, open, readFile as readDisk, utimes, writeFile as writeDisk } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aWorkspace } from "../tools.samples.js";
import { baseHashes, fileBaseHash } from "./base-hash.js";

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");

test("hashes all bytes of a file that is read in several parts", async () => {
  const { root, workspace } = await aWorkspace({ a: Buffer.alloc(2 * 1024 * 1024 + 1, "xyz"), empty: "" });
  for (const name of ["a", "empty"]) {
    const path = join(root, name);
    const expected = { [path]: sha256(await readDisk(path)) };
    expect(await fileBaseHash(workspace, path)).toEqual(expected);
    expect(await baseHashes(workspace, path)).toEqual(expected);
  }
});

test("has no hash for a missing file, and a replacement says that nothing is there", async () => {
  const { root, workspace } = await aWorkspace();
  expect(await baseHashes(workspace, join(root, "a"))).toEqual({});
  expect(await fileBaseHash(workspace, join(root, "a"))).toEqual({ [join(root, "a")]: "nothing" });
  expect(await fileBaseHash(workspace, root)).toEqual({});
});

test("identifies a huge file by its size and time, without reading it", async () => {
  const { root, workspace } = await aWorkspace();
  const path = join(root, "huge");
  const file = await open(path, "w");
  await file.truncate(1024 ** 4);
  await file.close();
  const seen = new Set<string>();
  for (const [size, time] of [
    [1024 ** 4, 1],
    [1024 ** 4, 2],
    [1024 ** 4 + 1, 2],
  ] as const) {
    const again = await open(path, "r+");
    await again.truncate(size);
    await again.close();
    await utimes(path, time, time);
    const hash = await fileBaseHash(workspace, path);
    expect(await fileBaseHash(workspace, path)).toEqual(hash);
    seen.add(JSON.stringify(hash));
  }
  expect(seen.size).toBe(3);
});

test("counts unhashed files of a very large folder by size and time", async () => {
  const { root, workspace } = await aWorkspace();
  const folder = join(root, "many");
  await mkdir(folder);
  const names = Array.from({ length: 203 }, (_, index) => String(index).padStart(3, "0"));
  await Promise.all(names.map((name) => writeDisk(join(folder, name), "one")));
  const first = await baseHashes(workspace, folder);
  expect(Object.keys(first)).toHaveLength(201);
  expect(first).not.toHaveProperty([join(folder, "202")]);
  await writeDisk(join(folder, "202"), "two");
  await utimes(join(folder, "202"), 1, 1);
  const second = await baseHashes(workspace, folder);
  expect(second[folder]).not.toBe(first[folder]);
  expect({ ...second, [folder]: "" }).toEqual({ ...first, [folder]: "" });
});
