import { chmod, mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { LocalWorkspace } from "../src/tools/index.js";
import { ServedFiles } from "../src/acp/client/served-files.js";
import { NEVER, servedSession } from "./served-kit.js";
import type { Allow } from "./served-kit.js";

const sessionId = "s1";

async function served(files: Record<string, string>, allow: Allow = async () => "yes") {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "served-files-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const root = join(folder, "project");
  await mkdir(root);
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), text);
  const workspace = await LocalWorkspace.open(root);
  const { session, asked } = await servedSession(workspace, allow);
  const service = new ServedFiles((id) => (id === sessionId ? session : undefined));
  const read = async (path: string, more: object = {}) =>
    (await service.readTextFile({ sessionId, path, ...more }, NEVER)).content;
  const write = (path: string, content: string) => service.writeTextFile({ sessionId, path, content }, NEVER);
  return { folder, root, service, asked, read, write };
}

describe("files that are read", () => {
  test.each([
    [{}, "one\ntwo\nthree"],
    [{ line: null, limit: null }, "one\ntwo\nthree"],
    [{ line: 2 }, "two\nthree"],
    [{ line: 2, limit: 1 }, "two\n"],
    [{ limit: 2 }, "one\ntwo\n"],
    [{ line: 0, limit: 1 }, "one\n"],
    [{ line: 3, limit: 9 }, "three"],
    [{ line: 4 }, ""],
    [{ limit: 0 }, ""],
  ])("reads for %j the text %j", async (part, expected) => {
    const { root, read } = await served({ "a.txt": "one\ntwo\nthree" });
    expect(await read(join(root, "a.txt"), part)).toBe(expected);
  });

  test("reads the whole of a file in parts, whatever its lines are", async () => {
    const { root, read } = await served({});
    const path = join(root, "a.txt");
    const texts = fc.array(fc.constantFrom("\n", "\r\n", "a", "é", "")).map((pieces) => pieces.join(""));
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 3 }), async (text, limit) => {
        await writeFile(path, text);
        let all = "";
        for (let line = 1; line <= text.split("\n").length; line += limit)
          all += await read(path, { line, limit });
        expect(all).toBe(text);
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    ["a relative path", { path: "a.txt" }, -32602],
    ["no path", {}, -32602],
    ["a line that is none", { path: "/a", line: 1.5 }, -32602],
    ["a limit below nothing", { path: "/a", limit: -1 }, -32602],
    ["a session that is not there", { sessionId: "s2", path: "/a" }, -32002],
    ["no session", { sessionId: 5, path: "/a" }, -32602],
  ])("refuses a read with %s, and asks nobody", async (_, params, code) => {
    const { service, asked } = await served({ "a.txt": "x" });
    await expect(service.readTextFile({ sessionId, ...params }, NEVER)).rejects.toMatchObject({ code });
    expect(asked).toEqual([]);
  });

  test("reports a missing file and a file that is no text", async () => {
    const { root, read } = await served({ "b.bin": "a\0b" });
    await expect(read(join(root, "none.txt"))).rejects.toMatchObject({ code: -32002 });
    await expect(read(join(root, "b.bin"))).rejects.toThrow("NUL");
    await expect(read(root)).rejects.toThrow("folder");
  });

  test("a link is decided on by what it leads to, and what is denied is not read", async () => {
    const { folder, root, asked, read } = await served({}, async () => ({ no: "not outside." }));
    await writeFile(join(folder, "secret"), "hidden");
    await symlink(join(folder, "secret"), join(root, "innocent.txt"));
    await expect(read(join(root, "innocent.txt"))).rejects.toThrow("Refused: not outside. Nothing was done.");
    expect(asked).toMatchObject([
      { tool: "read_file", kind: "read", paths: [{ path: join(folder, "secret"), access: "read" }] },
    ]);
  });

  test("a link that is put in the way while someone is asked makes it another question", async () => {
    let swap = async (): Promise<void> => undefined;
    const { folder, root, asked, read } = await served({ "a.txt": "harmless" }, async ({ paths }) => {
      if (!paths[0]?.path.endsWith("a.txt")) return { no: "not that." };
      await swap();
      return "yes";
    });
    await writeFile(join(folder, "secret"), "hidden");
    swap = async () => {
      await rm(join(root, "a.txt"));
      await symlink(join(folder, "secret"), join(root, "a.txt"));
    };
    await expect(read(join(root, "a.txt"))).rejects.toThrow("not that");
    expect(asked).toHaveLength(2);
  });
});

describe("writing", () => {
  test("makes the folders on the way, and keeps the mode of what it replaces", async () => {
    const { root, write } = await served({ "run.sh": "old" });
    await chmod(join(root, "run.sh"), 0o755);
    await write(join(root, "new/deep/a.txt"), "text");
    await write(join(root, "run.sh"), "new");
    expect(await readFile(join(root, "new/deep/a.txt"), "utf8")).toBe("text");
    expect((await stat(join(root, "run.sh"))).mode & 0o777).toBe(0o755);
  });

  test("writes nothing when a rule denies it", async () => {
    const { root, write } = await served({ "a.txt": "old" }, async () => ({ no: "read only." }));
    await expect(write(join(root, "a.txt"), "new")).rejects.toMatchObject({
      code: -32603,
      data: { refused: true },
    });
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("old");
  });

  test("a file that changes while someone is asked is asked about again, as it is then", async () => {
    let times = 0;
    const { root, asked, write } = await served({ "a.txt": "old" }, async () => {
      times += 1;
      if (times === 1) await writeFile(join(root, "a.txt"), "changed");
      return "yes";
    });
    await write(join(root, "a.txt"), "new");
    expect(asked).toHaveLength(2);
    expect(asked[0]?.baseHashes).not.toEqual(asked[1]?.baseHashes);
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("new");
  });

  test("writes nothing when the file changes during every question", async () => {
    let times = 0;
    const { root, write } = await served({ "a.txt": "old" }, async () => {
      await writeFile(join(root, "a.txt"), `changed ${(times += 1)}`);
      return "yes";
    });
    await expect(write(join(root, "a.txt"), "new")).rejects.toThrow("changed each time");
    expect(await readFile(join(root, "a.txt"), "utf8")).toMatch(/^changed/);
  });

  test("judges the second of two writes by the result of the first", async () => {
    const { root, asked, write } = await served({ "a.txt": "old" });
    const path = join(root, "a.txt");
    await Promise.all([write(path, "one"), write(path, "two")]);
    // Each for what it replaced: the second was asked about again.
    expect(new Set(asked.map(({ baseHashes }) => baseHashes[path])).size).toBe(2);
    expect(asked).toHaveLength(3);
  });

  test("a request that was cancelled while someone was asked writes nothing", async () => {
    const stop = new AbortController();
    const { root, service } = await served({ "a.txt": "old" }, async () => {
      stop.abort(new Error("cancelled"));
      return "yes";
    });
    const params = { sessionId, path: join(root, "a.txt"), content: "new" };
    await expect(service.writeTextFile(params, stop.signal)).rejects.toThrow("cancelled");
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("old");
  });
});
