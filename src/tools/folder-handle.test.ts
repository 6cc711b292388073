import { readdirSync, readFileSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test, vi } from "vitest";
import { FolderHandle, inFolderOf, LinkInTheWay } from "./folder-handle.js";
import type * as localWorkspace from "./local-workspace.js";
import { ToolFailure } from "./tool.js";
import { aWorkspace, failureOf } from "./tools.samples.js";

const ROUNDS = process.env["TOOLGATE_LONG"] ? 1000 : 150;

/**
 * Renames the folder and puts a link to the outside in its place, and back, as fast as it can. Where our own side has
 * made the folder again in the moment between, that one is put aside.
 */
const RACER = `
  const { renameSync, symlinkSync, unlinkSync } = require("node:fs");
  const { workerData: { folder, outside }, parentPort } = require("node:worker_threads");
  let aside = 0;
  const linger = (turns) => { for (let pause = 0; pause < 3000 * turns; pause++); };
  function tryTo(act, otherwise) {
    for (;;) try { return act(); } catch { otherwise(); }
  }
  const putAside = () => { try { renameSync(folder, folder + "-aside" + aside++); } catch {} };
  function swap() {
    for (let turn = 0; turn < 50; turn++) {
      renameSync(folder, folder + "-moved");
      tryTo(() => symlinkSync(outside, folder), putAside);
      linger(turn % 5);
      unlinkSync(folder);
      tryTo(() => renameSync(folder + "-moved", folder), putAside);
      linger(turn % 7);
    }
    setImmediate(swap);
  }
  parentPort.postMessage("ready");
  swap();
`;

test("changes nothing outside while a folder is swapped for a link again and again", async () => {
  const { outside, root, workspace } = await aWorkspace({ "src/a.ts": "inside", "elsewhere/x": "" });
  const evil = join(outside, "evil");
  await mkdir(join(evil, "tree/deep"), { recursive: true });
  for (const name of ["a.ts", "b.ts", "tree/deep/c.ts", "tree/d.ts"])
    await writeFile(join(evil, name), "outside");
  const before = contentsOf(evil);
  const racer = new Worker(RACER, { eval: true, workerData: { folder: join(root, "src"), outside: evil } });
  const trouble = vi.fn<(error: Error) => void>();
  racer.on("error", trouble);
  onTestFinished(async () => void (await racer.terminate()));
  await new Promise((resolve) => racer.once("message", resolve));
  const src = (name: string) => join(root, "src", name);
  let [done, refused] = [0, 0];
  const seen = new Set<string | undefined>();
  // Until both have happened often enough: how often depends on how the cores are shared.
  for (let round = 0; round < ROUNDS || Math.min(done, refused) <= ROUNDS / 20; round++) {
    const acts = [
      () => workspace.write(src("a.ts"), `inside ${round}`),
      async () => void seen.add(await workspace.readText(src("tree/d.ts"))),
      () => workspace.makeFolder(src("tree/deep")),
      () => workspace.makeLink(src("tree/deep/link"), "x"),
      () => workspace.write(src("tree/deep/c.ts"), "inside"),
      () => workspace.remove(src("tree")),
      () => workspace.move(src("a.ts"), src("b.ts")),
      () => workspace.remove(src("b.ts")),
      () => workspace.move(join(root, "elsewhere/x"), src("x")),
      () => workspace.move(src("x"), join(root, "elsewhere/x")),
    ];
    try {
      await acts[(round * 7) % acts.length]?.();
      done++;
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      refused++;
    }
  }
  await racer.terminate();
  expect(contentsOf(evil)).toEqual(before);
  expect(seen).not.toContain("outside");
  expect(trouble).not.toHaveBeenCalled();
});

test("keeps the same folder after it was moved, and notices the move", async () => {
  const { outside, root } = await aWorkspace({ "src/a.ts": "inside" });
  const folder = await FolderHandle.open(join(root, "src"));
  try {
    await folder.mustBeInPlace();
    await rename(join(root, "src"), join(root, "moved"));
    await symlink(outside, join(root, "src"));
    expect(await readFile(folder.at("a.ts"), "utf8")).toBe("inside");
    await expect(folder.mustBeInPlace()).rejects.toThrow(LinkInTheWay);
  } finally {
    await folder.close();
  }
});

test("passes a folder that may be entered but not listed, and reports one that may not be entered", async () => {
  const { outside, root, workspace } = await aWorkspace({ "passage/a.txt": "text", "closed/a.txt": "text" });
  await chmod(outside, 0o711);
  await chmod(join(root, "passage"), 0o111);
  await chmod(join(root, "closed"), 0);
  const wasRoot = process.geteuid?.() === 0;
  // Root may do all.
  if (wasRoot) process.seteuid?.(65_534);
  try {
    expect(await workspace.readText(join(root, "passage/a.txt"))).toBe("text");
    const closed = join(root, "closed/a.txt");
    for (const act of [
      () => workspace.list(join(root, "passage")),
      () => workspace.look(closed),
      () => workspace.readLink(closed),
      () => workspace.readText(closed),
      () => workspace.readBytes(closed, { length: 1 }),
      () => workspace.write(closed, "x"),
      () => workspace.write(join(root, "passage/new.txt"), "x"),
      () => workspace.makeFolder(closed),
      () => workspace.makeLink(closed, "x"),
      () => workspace.remove(closed),
      () => workspace.move(closed, join(root, "x")),
    ])
      expect(await failureOf(act())).toMatch(
        /^ToolFailure: .* cannot be .*: permission denied \(EACCES\)\. /,
      );
    expect(await failureOf(workspace.resolve("closed/a.txt"))).toContain("permission denied (EACCES)");
  } finally {
    if (wasRoot) process.seteuid?.(0);
    await chmod(join(root, "closed"), 0o700);
    await chmod(join(root, "passage"), 0o700);
  }
});

test("thousands of acts, most of them failing, leave no descriptor open", async () => {
  const { outside, root, workspace } = await aWorkspace({ "a/b/c.txt": "text", latin: Uint8Array.of(0xe9) });
  await symlink(outside, join(root, "link"));
  const at = (path: string) => join(root, path);
  const acts: readonly (() => Promise<unknown>)[] = [
    () => workspace.readText(at("a/b/c.txt")),
    () => workspace.readText(at("latin")),
    () => workspace.readText(at("link/x")),
    () => workspace.readText(at("none/none/x")),
    () => workspace.readText(at("latin/x")),
    () => workspace.readText(at("a")),
    () => workspace.readBytes(at("a/b/c.txt"), { from: 1, length: 2 }),
    () => workspace.list(at("a")),
    () => workspace.list(at("link")),
    () => workspace.look(at("a/b")),
    () => workspace.write(at("new/x"), "x"),
    () => workspace.write(at("link/x"), "x"),
    () => workspace.write(at("a"), "x"),
    () => workspace.makeFolder(at("made/deep"), { mode: 0o700 }),
    () => workspace.makeLink(at("made/link"), "x"),
    () => workspace.move(at("new/x"), at("made/deep/x")),
    () => workspace.move(at("none"), at("made/none")),
    () => workspace.remove(at("made")),
    () => workspace.remove(root),
    () => workspace.remove(at("link/x")),
  ];
  const rounds = process.env["TOOLGATE_LONG"] ? 500 : 25;
  const round = () => Promise.allSettled(acts.map((act) => act()));
  await round();
  const before = openDescriptors();
  for (let count = 0; count < rounds; count++) await round();
  expect(openDescriptors()).toBe(before);
});

test.runIf(process.platform === "linux")(
  "holds few folders open, however many acts come at once",
  async () => {
    const { root, workspace } = await aWorkspace({ "a.txt": "a" });
    const before = openDescriptors();
    let most = 0;
    const act = async () => {
      most = Math.max(most, openDescriptors() - before);
      await setImmediate();
    };
    await Promise.all(Array.from({ length: 500 }, () => inFolderOf(join(root, "a.txt"), act)));
    expect(most).toBeLessThan(100);
    // A move is an act inside another: it needs no second turn.
    const names = Array.from({ length: 100 }, (_, number) => join(root, `${number}`));
    await Promise.all(names.map((path) => workspace.write(path, "x")));
    await Promise.all(names.map((path) => workspace.move(path, `${path}-moved`)));
    expect(await workspace.readText(`${names[99]}-moved`)).toBe("x");
  },
);

test("checks a path again before each act when folders cannot be held open", async () => {
  const { platform } = process;
  const { outside, root } = await aWorkspace({ "src/a.ts": "inside", "tree/deep/b": "" });
  vi.resetModules();
  Object.defineProperty(process, "platform", { value: "darwin" });
  try {
    const { LocalWorkspace } = await vi.importActual<typeof localWorkspace>("./local-workspace.js");
    const workspace = await LocalWorkspace.open(root);
    const at = (path: string) => join(root, path);
    expect(await workspace.readText(at("src/a.ts"))).toBe("inside");
    await workspace.write(at("new/deep/c"), "c");
    await workspace.move(at("new/deep/c"), at("other/c"));
    await symlink(outside, at("tree/link"));
    await workspace.remove(at("tree"));
    expect((await workspace.list(root)).map(({ name }) => name)).toEqual(["new", "other", "src"]);
    await mkdir(join(outside, "evil"));
    await writeFile(join(outside, "evil/a.ts"), "outside");
    await rename(at("src"), at("moved"));
    await symlink(join(outside, "evil"), at("src"));
    for (const act of [
      () => workspace.readText(at("src/a.ts")),
      () => workspace.write(at("src/a.ts"), "x"),
      () => workspace.remove(at("src/a.ts")),
      () => workspace.write(at("src/new/a.ts"), "x"),
    ])
      expect(await failureOf(act())).toContain("a link was put in its way");
    expect(contentsOf(join(outside, "evil"))).toEqual(["/a.ts: outside"]);
    const cancel = new AbortController();
    const exit = await workspace.runCommand("echo up; exec sleep 60", {
      signal: cancel.signal,
      onOutput: () => cancel.abort(),
    });
    expect(exit).toEqual({ signal: "SIGTERM" });
    expect(await readdir(at("moved"))).toEqual(["a.ts"]);
  } finally {
    Object.defineProperty(process, "platform", { value: platform });
    vi.resetModules();
  }
});

function contentsOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map(
      (entry) =>
        join(entry.parentPath, entry.name).slice(folder.length) +
        (entry.isFile() ? `: ${readFileSync(join(entry.parentPath, entry.name), "utf8")}` : ""),
    )
    .toSorted();
}

function openDescriptors(): number {
  return readdirSync("/proc/self/fd").length;
}
