/** Undo restores the files that a call changed, or touches nothing. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { Ledger } from "../src/call/index.js";
import { MemoryLedger, openLedger } from "../src/history/index.js";
import { openGate } from "../src/run/index.js";
import type { Gate } from "../src/run/index.js";
import { builtInTools, defineTool } from "../src/tools/index.js";
import type { Tool } from "../src/tools/index.js";
import { folder } from "./agent-kit.js";

const RUNS = Number(process.env["TOOLGATE_RUNS"] ?? 20);

async function gateOn(root: string, ledger: Ledger = new MemoryLedger(), more: readonly Tool[] = []) {
  return openGate({
    ledger,
    workspace: root,
    sessionId: "s",
    tools: [...builtInTools, ...more],
    rules: [{ allow: "*", anyFlags: true }, { allow: "edit" }, { allow: "delete" }, { allow: "move" }],
    loopLimit: 1_000,
  });
}

async function gateIn(files: Record<string, string> = {}, more: readonly Tool[] = []) {
  const root = await folder(files);
  const gate = await gateOn(root, new MemoryLedger(), more);
  onTestFinished(() => gate.close());
  return { root, gate };
}

/** A ledger with moves that were recorded before they had fingerprints. */
class OldLedger extends MemoryLedger {
  override append(...[lease, events, options]: Parameters<MemoryLedger["append"]>) {
    const old = events.map((event) => {
      if (event.type !== "file-kept" || event.change.type !== "moved") return event;
      const { fingerprint: _, ...change } = event.change;
      return { ...event, change };
    });
    return super.append(lease, old, options);
  }
}

async function gateWithoutFingerprints(files: Record<string, string>) {
  const root = await folder(files);
  const ledger = new OldLedger();
  const gate = await gateOn(root, ledger);
  onTestFinished(() => gate.close());
  return { root, gate, ledger };
}

/** Makes the call, which must end well, and returns its id. */
async function make(gate: Gate, name: string, input: object): Promise<string> {
  const { toolCallId, state } = await gate.call({ name, input });
  expect(state, `${name} ${JSON.stringify(input)}`).toMatchObject({ status: "done" });
  return toolCallId;
}

/** Everything in a folder: each path with its type, its mode and its content. */
async function treeOf(path: string, name = ""): Promise<Record<string, string>> {
  const all: Record<string, string> = {};
  for (const entry of (await readdir(path)).toSorted()) {
    const inner = join(path, entry);
    const shown = `${name}${entry}`;
    const stats = await lstat(inner);
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isSymbolicLink()) all[shown] = `link to ${await readlink(inner)}`;
    else if (stats.isDirectory())
      Object.assign(all, { [shown]: `folder ${mode}` }, await treeOf(inner, `${shown}/`));
    else
      all[shown] = `file ${mode} ${createHash("sha256")
        .update(await readFile(inner))
        .digest("hex")}`;
  }
  return all;
}

/** A folder with every type of entry. */
async function fill(root: string): Promise<void> {
  await mkdir(join(root, "tree/deep/empty"), { recursive: true });
  await mkdir(join(root, "tree/.hidden"));
  await writeFile(join(root, "tree/a.txt"), "a");
  await writeFile(join(root, "tree/run.sh"), "#!/bin/sh\n");
  await writeFile(join(root, "tree/deep/bytes"), Buffer.from([0, 255, 254, 10]));
  await writeFile(join(root, "tree/deep/nothing"), "");
  await writeFile(join(root, "tree/.hidden/é 🎈 name"), "n");
  await symlink("../a.txt", join(root, "tree/deep/link"));
  await symlink("nowhere", join(root, "tree/broken"));
  await symlink("deep", join(root, "tree/folder-link"));
  await chmod(join(root, "tree/run.sh"), 0o751);
  await chmod(join(root, "tree/a.txt"), 0o600);
  await chmod(join(root, "tree/deep/empty"), 0o750);
  await chmod(join(root, "tree/deep"), 0o711);
}

describe("an undo restores", () => {
  test.each<[string, string, object]>([
    ["a file that was overwritten", "write_file", { path: "tree/run.sh", content: "new" }],
    ["a file that was not there", "write_file", { path: "tree/new", content: "new" }],
    ["a file that is not text", "write_file", { path: "tree/deep/bytes", content: "text" }],
    [
      "a file that was edited in several places",
      "edit_file",
      {
        path: "tree/run.sh",
        edits: [
          { oldText: "#!", newText: "# !" },
          { oldText: "sh\n", newText: "bash\n" },
        ],
      },
    ],
    ["the file behind a link", "write_file", { path: "tree/deep/link", content: "through" }],
    ["a file that was deleted", "delete_path", { path: "tree/run.sh" }],
    ["a link that was deleted", "delete_path", { path: "tree/deep/link" }],
    ["a link that led nowhere", "delete_path", { path: "tree/broken" }],
    ["an empty folder", "delete_path", { path: "tree/deep/empty" }],
    ["a whole tree, with modes, links and empty folders", "delete_path", { path: "tree", recursive: true }],
    ["a file that was moved", "move_path", { from: "tree/run.sh", to: "moved.sh" }],
    ["a link that was moved", "move_path", { from: "tree/deep/link", to: "link" }],
    ["a whole tree that was moved", "move_path", { from: "tree", to: "forest" }],
  ])("%s", async (_, name, input) => {
    const { root, gate } = await gateIn();
    await fill(root);
    const before = await treeOf(root);
    const toolCallId = await make(gate, name, input);
    expect(await treeOf(root)).not.toEqual(before);
    const { paths } = await gate.undo(toolCallId);
    expect(await treeOf(root)).toEqual(before);
    expect(paths.length).toBeGreaterThan(0);
    expect(gate.book.call(toolCallId)?.times.undone).toBeGreaterThan(0);
  });

  test("a file that a call changed several times, and one that it removed beside it", async () => {
    const busy = defineTool({
      name: "busy",
      description: "Changes a lot.",
      kind: "edit",
      input: z.object({}),
      run: async (_, { workspace }) => {
        const at = (path: string) => `${workspace.root}/${path}`;
        await workspace.write(at("tree/a.txt"), "one");
        await workspace.write(at("tree/a.txt"), "two");
        await workspace.write(at("tree/run.sh"), "three");
        await workspace.remove(at("tree/run.sh"));
        await workspace.remove(at("tree/deep"));
        await workspace.write(at("new"), "new");
        await workspace.move(at("tree/.hidden"), at("seen"));
        return "done";
      },
    });
    const { root, gate } = await gateIn({}, [busy]);
    await fill(root);
    const before = await treeOf(root);
    await gate.undo(await make(gate, "busy", {}));
    expect(await treeOf(root)).toEqual(before);
  });

  test("a file that a call moved and then changed", async () => {
    const busy = defineTool({
      name: "busy",
      description: "Moves, and goes on.",
      kind: "edit",
      input: z.object({}),
      run: async (_, { workspace }) => {
        const at = (path: string) => `${workspace.root}/${path}`;
        await workspace.move(at("tree/run.sh"), at("run"));
        await workspace.write(at("run"), "changed");
        await workspace.move(at("tree/deep"), at("depth"));
        await workspace.write(at("depth/bytes"), "changed");
        await workspace.makeFolder(at("depth/made"));
        return "done";
      },
    });
    const { root, gate } = await gateIn({}, [busy]);
    await fill(root);
    const before = await treeOf(root);
    await gate.undo(await make(gate, "busy", {}));
    expect(await treeOf(root)).toEqual(before);
  });

  test("large files that a call wrote several times, wrote and removed, or wrote again", async () => {
    const lines = (word: string) => Array.from({ length: 9_000 }, (_, line) => `${word} ${line}\n`).join("");
    const large = lines("line");
    const busy = defineTool({
      name: "busy",
      description: "Writes a lot.",
      kind: "edit",
      input: z.object({}),
      run: async (_, { workspace }) => {
        const at = (path: string) => `${workspace.root}/${path}`;
        await workspace.write(at("a"), large.replace("line 4000\n", ""));
        await workspace.write(at("a"), large.replace("line 8000\n", "one more\nline 8000\n"));
        await workspace.write(at("a"), `first\n${large}`);
        await workspace.write(at("b"), large.slice(0, -1));
        await workspace.remove(at("b"));
        await workspace.write(at("c"), `${large}last\n`);
        await workspace.move(at("c"), at("moved"));
        await workspace.write(at("moved"), `${large}the very last\n`);
        await workspace.write(at("d"), lines("other"));
        return "done";
      },
    });
    const { root, gate } = await gateIn({ a: large, b: large, c: large, d: large }, [busy]);
    await chmod(join(root, "a"), 0o640);
    const before = await treeOf(root);
    const toolCallId = await make(gate, "busy", {});
    expect(await treeOf(root)).not.toEqual(before);
    await gate.undo(toolCallId);
    expect(await treeOf(root)).toEqual(before);
  });

  test("a move whose older record has no fingerprint", async () => {
    const { root, gate: first, ledger } = await gateWithoutFingerprints({ a: "one" });
    const toolCallId = await make(first, "move_path", { from: "a", to: "b" });
    expect(JSON.stringify(await ledger.read("s"))).not.toContain("fingerprint");
    await writeFile(join(root, "b"), "two");
    await first.undo(toolCallId);
    expect(await readFile(join(root, "a"), "utf8")).toBe("two");
  });

  test("a call of an ended process, from the file", async () => {
    const root = await folder();
    const file = join(await folder(), "ledger.sqlite");
    await fill(root);
    const before = await treeOf(root);
    const first = await openLedger(file);
    const gate = await gateOn(root, first);
    const deleted = await make(gate, "delete_path", { path: "tree", recursive: true });
    const written = await make(gate, "write_file", { path: "other", content: "x" });
    await gate.close();
    await first.close();
    const second = await openLedger(file);
    const again = await gateOn(root, second);
    await again.undo(written);
    await again.undo(deleted);
    expect(await treeOf(root)).toEqual(before);
    await expect(again.undo(deleted)).rejects.toThrow("it was undone already");
    await again.close();
    await second.close();
  });
});

describe("refused undos", () => {
  const write = { path: "tree/a.txt", content: "new" };
  const remove = { path: "tree", recursive: true };
  const move = { from: "tree", to: "forest" };

  test.each<[string, string, object, (root: string) => Promise<unknown>, string]>([
    [
      "when the file was edited",
      "write_file",
      write,
      (root) => writeFile(join(root, "tree/a.txt"), "mine"),
      "has changed since",
    ],
    [
      "when the file was deleted",
      "write_file",
      write,
      (root) => rm(join(root, "tree/a.txt")),
      "has changed since",
    ],
    [
      "when a folder took the file's place",
      "write_file",
      write,
      async (root) => {
        await rm(join(root, "tree/a.txt"));
        await mkdir(join(root, "tree/a.txt"));
      },
      "has changed since",
    ],
    [
      "when a new file was edited",
      "write_file",
      { path: "new", content: "x" },
      (root) => writeFile(join(root, "new"), "mine"),
      "has changed since",
    ],
    [
      "when the deleted file exists again",
      "delete_path",
      remove,
      (root) => writeFile(join(root, "tree"), "mine"),
      "has changed since",
    ],
    [
      "when one file of a deleted tree exists again",
      "delete_path",
      remove,
      async (root) => {
        await mkdir(join(root, "tree"));
        await writeFile(join(root, "tree/a.txt"), "mine");
      },
      "has changed since",
    ],
    [
      "when the moved file is gone",
      "move_path",
      move,
      (root) => rename(join(root, "forest"), join(root, "wood")),
      "is no longer there",
    ],
    [
      "when something stands at the old path",
      "move_path",
      move,
      (root) => mkdir(join(root, "tree")),
      "something else is at",
    ],
    [
      "when a file that was moved was edited",
      "move_path",
      { from: "tree/a.txt", to: "b.txt" },
      (root) => writeFile(join(root, "b.txt"), "mine"),
      "b.txt has changed since",
    ],
    [
      "when another link took the place of one that was moved",
      "move_path",
      { from: "tree/deep/link", to: "link" },
      async (root) => {
        await rm(join(root, "link"));
        await symlink("elsewhere", join(root, "link"));
      },
      "link has changed since",
    ],
    [
      "when a file in a folder that was moved was edited",
      "move_path",
      move,
      (root) => writeFile(join(root, "forest/deep/bytes"), "mine"),
      "forest has changed since",
    ],
    [
      "when something came into a folder that was moved",
      "move_path",
      move,
      (root) => mkdir(join(root, "forest/deep/new")),
      "forest has changed since",
    ],
  ])("refuses an undo and touches nothing %s", async (_, name, input, meanwhile, reason) => {
    const { root, gate } = await gateIn();
    await fill(root);
    const toolCallId = await make(gate, name, input);
    await meanwhile(root);
    const before = await treeOf(root);
    const refusal = await gate.undo(toolCallId).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ name: "UndoRefused", code: "UNDO_REFUSED" });
    expect(String(refusal)).toContain(reason);
    expect(await treeOf(root)).toEqual(before);
    expect(gate.book.call(toolCallId)?.times.undone).toBeUndefined();
  });

  test("refuses to undo a command, whose changes are not kept", async () => {
    const { gate } = await gateIn({ "a.txt": "one" });
    const toolCallId = await make(gate, "terminal", { command: "rm a.txt" });
    await expect(gate.undo(toolCallId)).rejects.toThrow("no earlier content of its files is stored");
  });

  test("refuses to undo the deletion of a tree with more files than are kept", async () => {
    const { root, gate } = await gateIn();
    await mkdir(join(root, "many"));
    for (let number = 0; number < 2_001; number += 1) writeFileSync(join(root, `many/${number}`), "");
    const toolCallId = await make(gate, "delete_path", { path: "many", recursive: true });
    await expect(gate.undo(toolCallId)).rejects.toThrow(
      /was not kept: it has too many files or too much data to keep/,
    );
    expect(await readdir(root)).toEqual([]);
  });

  test("refuses to undo the deletion of a folder with a name that is not valid text", async () => {
    const { root, gate } = await gateIn();
    await mkdir(join(root, "d"));
    await writeFile(join(root, "d/b"), "b");
    await writeFile(Buffer.concat([Buffer.from(`${root}/d/`), Buffer.from([0xff, 0x61])]), "precious");
    const toolCallId = await make(gate, "delete_path", { path: "d", recursive: true });
    await expect(gate.undo(toolCallId)).rejects.toThrow("may not be valid UTF-8. No file was touched.");
    expect(await readdir(root)).toEqual([]);
  });

  test("refuses to undo the deletion of a file with more bytes than are kept", async () => {
    const { root, gate } = await gateIn();
    await writeFile(join(root, "large"), Buffer.alloc(64 * 1024 * 1024 + 1));
    const toolCallId = await make(gate, "delete_path", { path: "large" });
    await expect(gate.undo(toolCallId)).rejects.toThrow(
      "was not kept: it has too many files or too much data to keep",
    );
  });

  test("refuses to undo a call that has not ended", async () => {
    const { gate } = await gateIn();
    const running = gate.call({ name: "terminal", input: { command: "sleep 0.2" } });
    await expect.poll(() => [...gate.book.calls()].length).toBe(1);
    const [call] = [...gate.book.calls()];
    await expect(gate.undo(call?.toolCallId ?? "")).rejects.toThrow("it has not ended yet");
    await running;
  });

  test("refuses the second of two undos at once", async () => {
    const { root, gate } = await gateIn();
    const toolCallId = await make(gate, "write_file", { path: "new", content: "x" });
    const both = await Promise.allSettled([gate.undo(toolCallId), gate.undo(toolCallId)]);
    expect(both).toMatchObject([{ status: "fulfilled" }, { reason: { name: "UndoRefused" } }]);
    expect(await readdir(root)).toEqual([]);
  });
});

const name = fc.constantFrom("a", "b", "c", "d");
// Missing parent folders are created too.
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
const content = fc.constantFrom("", "one\n", "two\ntwo\n", "é🎈");
const change = fc.oneof(
  fc.record({ tool: fc.constant("write_file"), input: fc.record({ path, content }) }),
  fc.record({
    tool: fc.constant("edit_file"),
    input: fc.record({
      path,
      oldText: fc.constantFrom("one", "two", ""),
      newText: content,
      replaceAll: fc.constant(true),
    }),
  }),
  fc.record({
    tool: fc.constant("delete_path"),
    input: fc.record({ path, recursive: fc.boolean() }),
  }),
  fc.record({ tool: fc.constant("move_path"), input: fc.record({ from: path, to: path }) }),
);

test(
  "restores everything when any changes are undone in reverse order",
  async () => {
    const root = await folder();
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 8 }), async (changes) => {
        await rm(join(root, "ws"), { recursive: true, force: true });
        const workspace = join(root, "ws");
        await mkdir(join(workspace, "a/b"), { recursive: true });
        await writeFile(join(workspace, "a/a"), "one\n");
        await writeFile(join(workspace, "a/b/c"), "two\ntwo\n");
        await writeFile(join(workspace, "c"), "one\n");
        await symlink("a", join(workspace, "d"));
        await chmod(join(workspace, "a/b/c"), 0o640);
        await chmod(join(workspace, "a/b"), 0o710);
        const gate = await gateOn(workspace);
        const trees: { toolCallId: string; before: Record<string, string> }[] = [];
        for (const { tool, input } of changes) {
          const before = await treeOf(workspace);
          const { toolCallId, state } = await gate.call({ name: tool, input });
          if (state.status === "done") trees.push({ toolCallId, before });
          else expect(await treeOf(workspace)).toEqual(before);
        }
        for (const { toolCallId, before } of trees.toReversed()) {
          if (JSON.stringify(await treeOf(workspace)) !== JSON.stringify(before)) await gate.undo(toolCallId);
          expect(await treeOf(workspace)).toEqual(before);
        }
        await gate.close();
      }),
      { numRuns: RUNS },
    );
  },
  Math.max(30_000, RUNS * 200),
);

test("reports that nothing is left to undo when the files already have their old content", async () => {
  const { root, gate } = await gateIn();
  const made = await gate.call({ name: "write_file", input: { path: "u.txt", content: "u" } });
  const moved = await gate.call({ name: "move_path", input: { from: "u.txt", to: "v.txt" } });
  await expect(gate.undo(made.toolCallId)).rejects.toThrow(
    "there is nothing to restore. No file was touched.",
  );
  await gate.undo(moved.toolCallId);
  await gate.undo(made.toolCallId);
  expect(await readdir(root)).toEqual([]);
});

describe("undo of single hunks", () => {
  const lines = (textOf: (line: number) => string = (line) => `line ${line}`) =>
    Array.from({ length: 40 }, (_, index) => `${textOf(index + 1)}\n`).join("");
  const edited = (...numbers: number[]) =>
    lines((line) => (numbers.includes(line) ? `edited ${line}` : `line ${line}`));

  async function edit() {
    const { root, gate } = await gateIn({ "a.txt": lines() });
    const { toolCallId } = await gate.call({
      name: "write_file",
      input: { path: "a.txt", content: edited(5, 20, 35) },
    });
    const file = join(root, "a.txt");
    return { gate, toolCallId, file, text: () => readFile(file, "utf8") };
  }

  test("undoes hunks one after another, and the rest with the call", async () => {
    const { gate, toolCallId, text } = await edit();
    expect((await gate.hunks(toolCallId)).map(({ newLine, isUndone }) => [newLine, isUndone])).toEqual([
      [2, false],
      [17, false],
      [32, false],
    ]);
    await gate.undo(toolCallId, { hunks: [2] });
    expect(await text()).toBe(edited(5, 35));
    expect(gate.book.call(toolCallId)).toMatchObject({ undoneHunks: [2], times: { undone: undefined } });
    await expect(gate.undo(toolCallId, { hunks: [2] })).rejects.toThrow("hunk 2 was undone already");
    await expect(gate.undo(toolCallId, { hunks: [4] })).rejects.toThrow("none is number 4");
    await gate.undo(toolCallId);
    expect(await text()).toBe(lines());
    expect(gate.book.call(toolCallId)?.times.undone).toBeDefined();
    await expect(gate.undo(toolCallId)).rejects.toThrow("it was undone already");
  });

  test("undoes a hunk beside later changes, and refuses one that has later changes in it", async () => {
    const { gate, toolCallId, file, text } = await edit();
    const later = (await text()).replace("edited 20", "mine");
    await writeFile(file, `above\n${later}`);
    await expect(gate.undo(toolCallId, { hunks: [1, 2] })).rejects.toThrow("has changed since in hunk 2");
    expect(await text()).toBe(`above\n${later}`);
    await gate.undo(toolCallId, { hunks: [3] });
    expect(await text()).toBe(`above\n${edited(5, 20).replace("edited 20", "mine")}`);
  });

  test("undoes hunks of no call but an edit of one file", async () => {
    const { gate } = await gateIn({});
    const { toolCallId } = await gate.call({ name: "write_file", input: { path: "new.txt", content: "x" } });
    await expect(gate.undo(toolCallId, { hunks: [1] })).rejects.toThrow("only an edit of one text file");
  });
});
