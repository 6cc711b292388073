import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { LocalWorkspace } from "../../tools/index.js";
import type { Workspace } from "../../tools/index.js";
import { RpcError } from "../connection/message.js";
import { terminalDialect } from "./editor-capabilities.js";
import { FakeEditor } from "./fake-editor.samples.js";
import { runContents } from "../../tools/built-in/run-contents.js";
import { executorFor } from "../../tools/git/executor-for.js";
import { editorWorkspace } from "./editor-workspace.js";

const READS = { fs: { readTextFile: true } };
const WRITES = { fs: { writeTextFile: true } };

async function opened(files: Record<string, string | Uint8Array>, capabilities?: object) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "editor-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const root = join(folder, "project");
  await mkdir(root);
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), text);
  const local = await LocalWorkspace.open(root);
  const editor = new FakeEditor(capabilities);
  const workspace = editorWorkspace(local, editor, "s1", { requestTimeoutMs: 300 });
  const at = (name: string) => join(root, name);
  return { folder, root, local, editor, workspace, at };
}

async function bytesOf(workspace: Workspace, path: string, length = 1000): Promise<string | undefined> {
  const read = await workspace.readBytes(path, { length });
  return read && Buffer.from(read.bytes).toString();
}

describe("does not use capabilities that the client does not offer", () => {
  test.each([[{}], [{ fs: {} }], [{ fs: { readTextFile: "yes" }, terminal: 1 }], [null], ["all"]])(
    "%j leaves our own workspace as it is",
    async (capabilities) => {
      const { local } = await opened({});
      const client = { request: () => Promise.reject(new Error("asked")), capabilities };
      expect(editorWorkspace(local, client, "s1")).toBe(local);
    },
  );

  test("sends our own terminals in _meta only to a client that asks for it", () => {
    expect(terminalDialect({ _meta: { terminal_output: true } })).toBe("meta");
    expect(terminalDialect({ _meta: { terminal_output: "true" }, terminal: true })).toBe("text");
    expect(terminalDialect(undefined)).toBe("text");
  });

  test("a client that only reads is not asked to write, and one that only writes is not asked to read", async () => {
    const reads = await opened({ "a.txt": "one" }, READS);
    await reads.workspace.write(reads.at("a.txt"), "two");
    expect(reads.editor.asked).not.toContain("fs/write_text_file");
    const writes = await opened({ "a.txt": "one" }, WRITES);
    await writes.workspace.readText(writes.at("a.txt"));
    await writes.workspace.write(writes.at("a.txt"), "two");
    expect(writes.editor.asked).toEqual(["fs/write_text_file"]);
  });

  test("runs commands in the sandbox, and reports it", async () => {
    const { local, editor } = await opened({});
    const workspace = editorWorkspace(local, editor, "s1", { ownCommands: true });
    let said = "";
    const exit = await workspace.runCommand("echo here", {
      signal: new AbortController().signal,
      onOutput: (text) => (said += text),
    });
    expect({ exit, said, asked: editor.asked }).toEqual({ exit: { exitCode: 0 }, said: "here\n", asked: [] });
  });
});

test("does not run a contained command in the editor's terminal", async () => {
  const { local, editor } = await opened({});
  const workspace = editorWorkspace(local, editor, "s1");
  const options = { signal: new AbortController().signal, onOutput: () => undefined };
  // Here is no sandbox either, so nothing runs it.
  const running = workspace.runCommand("touch ran", { ...options, contained: { guards: [] } });
  await expect(running).rejects.toThrow("it was to run in a sandbox, and there is none. Nothing was run.");
  expect(editor.asked).toEqual([]);
  expect(workspace.containing).toBeUndefined();
});

describe("reading", () => {
  test("reads the unsaved buffer, in every way", async () => {
    const { editor, workspace, at } = await opened({ "a.txt": "saved" });
    editor.buffers.set(at("a.txt"), "not saved, and longer");
    expect(await workspace.readText(at("a.txt"))).toBe("not saved, and longer");
    expect(await bytesOf(workspace, at("a.txt"))).toBe("not saved, and longer");
    expect(await workspace.readBytes(at("a.txt"), { from: 4, length: 5 })).toMatchObject({ size: 21 });
  });

  test("reads a file that is no text from the disk, without the editor", async () => {
    const bytes = Buffer.from([0xff, 0xd8, 0xff, 0xe0]);
    const { editor, workspace, at } = await opened({ "a.jpg": bytes });
    expect(await workspace.readBytes(at("a.jpg"), { length: 100 })).toMatchObject({ size: 4 });
    await expect(workspace.readText(at("a.jpg"))).rejects.toThrow("not valid UTF-8");
    expect(editor.asked).toEqual([]);
  });

  test("does not ask the editor for files outside the workspace", async () => {
    const { folder, editor, workspace } = await opened({});
    await writeFile(join(folder, "notes"), "outside");
    expect(await workspace.readText(join(folder, "notes"))).toBe("outside");
    await workspace.write(join(folder, "notes"), "changed");
    expect(await readFile(join(folder, "notes"), "utf8")).toBe("changed");
    expect(editor.asked).toEqual([]);
  });

  test("reads from the disk when the editor has no file", async () => {
    const { editor, workspace, at } = await opened({ "a.txt": "saved" });
    editor.instead.set("fs/read_text_file", () => Promise.reject(refused()));
    expect(await workspace.readText(at("a.txt"))).toBe("saved");
    expect(await workspace.readText(at("none.txt"))).toBeUndefined();
    expect(await workspace.look(at("none.txt"))).toBeUndefined();
  });

  test("a file that is only in the editor is there, and an empty answer is no file", async () => {
    const { editor, workspace, at } = await opened({});
    editor.buffers.set(at("new.txt"), "only here");
    expect(await workspace.look(at("new.txt"))).toMatchObject({ type: "file", size: 9 });
    expect(await workspace.readText(at("new.txt"))).toBe("only here");
    editor.instead.set("fs/read_text_file", () => ({ content: "" }));
    expect(await workspace.look(at("new.txt"))).toBeUndefined();
    expect(await workspace.readText(at("new.txt"))).toBeUndefined();
  });

  test.each([
    ["a number", () => ({ content: 5 }), "no text"],
    ["nothing", () => null, "no text"],
    ["too much", () => ({ content: "x".repeat(11 * 1024 * 1024) }), "more than 10 MB"],
    ["never", () => new Promise(() => undefined), "did not answer fs/read_text_file within 0.3 s"],
    ["a connection that is gone", () => Promise.reject(new Error("closed")), "The editor is gone"],
  ])("an editor that answers with %s is an error in words", async (_, answer, words) => {
    const { editor, workspace, at } = await opened({ "a.txt": "saved" });
    editor.instead.set("fs/read_text_file", answer);
    await expect(workspace.readText(at("a.txt"))).rejects.toThrow(words);
  });

  test("drops the text when a link appears while the editor reads", async () => {
    const { folder, editor, workspace, at } = await opened({ "a.txt": "mine" });
    await writeFile(join(folder, "secret"), "hidden");
    editor.instead.set("fs/read_text_file", async ({ path }) => {
      await rm(path);
      await symlink(join(folder, "secret"), path);
      return { content: await readFile(path, "utf8") };
    });
    await expect(workspace.readText(at("a.txt"))).rejects.toThrow("leads elsewhere");
  });

  test("reads all pieces of one read from one text", async () => {
    const { editor, workspace, at } = await opened({ "a.txt": "aabb" });
    await workspace.readBytes(at("a.txt"), { length: 2 });
    editor.buffers.set(at("a.txt"), "xxyy");
    expect(
      Buffer.from((await workspace.readBytes(at("a.txt"), { from: 2, length: 2 }))?.bytes ?? []).toString(),
    ).toBe("bb");
    expect(await bytesOf(workspace, at("a.txt"))).toBe("xxyy");
  });
});

describe("writing", () => {
  test("goes through the editor, the folders on the way made before", async () => {
    const { editor, workspace, at } = await opened({ "a.txt": "one" });
    editor.buffers.set(at("a.txt"), "not saved");
    await workspace.write(at("a.txt"), "two");
    await workspace.write(at("deep/er/b.txt"), Buffer.from("bytes that are text"));
    expect(editor.times("fs/write_text_file")).toBe(2);
    expect(await workspace.readText(at("a.txt"))).toBe("two");
    expect(await readFile(at("deep/er/b.txt"), "utf8")).toBe("bytes that are text");
  });

  test("writes a file that is no text or has a mode of its own itself", async () => {
    const { editor, workspace, at } = await opened({ "run.sh": "one" });
    await workspace.write(at("b.bin"), new Uint8Array([0, 1, 2]));
    await workspace.write(at("run.sh"), "two", { mode: 0o755 });
    expect(editor.asked).not.toContain("fs/write_text_file");
    expect((await stat(at("run.sh"))).mode & 0o777).toBe(0o755);
    await chmod(at("run.sh"), 0o755);
    await workspace.write(at("run.sh"), "three", { mode: 0o755 });
    expect(editor.times("fs/write_text_file")).toBe(1);
  });

  test("fails when the editor refuses, and does not write to the disk", async () => {
    const { editor, workspace, at } = await opened({ "a.txt": "one" });
    editor.instead.set("fs/write_text_file", () => Promise.reject(refused()));
    await expect(workspace.write(at("a.txt"), "two")).rejects.toThrow("the editor refused it (not today)");
    expect(await readFile(at("a.txt"), "utf8")).toBe("one");
  });

  test("does not give the editor a path that leads elsewhere", async () => {
    const { folder, editor, workspace, at } = await opened({});
    await symlink(join(folder, "outside"), at("a.txt"));
    await expect(workspace.write(at("a.txt"), "two")).rejects.toThrow("link");
    expect(editor.asked).not.toContain("fs/write_text_file");
  });

  test("does not overwrite unsaved text of an editor that cannot write", async () => {
    const { editor, workspace, at } = await opened({ "a.txt": "one" }, READS);
    editor.buffers.set(at("a.txt"), "not saved");
    await expect(workspace.write(at("a.txt"), "two")).rejects.toThrow("not saved");
    expect(await readFile(at("a.txt"), "utf8")).toBe("one");
  });

  test("ignores stale text of an editor that has not noticed our write", async () => {
    const { editor, workspace, at } = await opened({ "a.txt": "one" }, READS);
    const stale = (content: string) => editor.instead.set("fs/read_text_file", () => ({ content }));
    stale("one");
    await workspace.write(at("a.txt"), "two");
    expect(await workspace.readText(at("a.txt"))).toBe("two");
    await workspace.write(at("a.txt"), "three");
    stale("two");
    expect(await workspace.readText(at("a.txt"))).toBe("three");
    stale("three");
    expect(await workspace.readText(at("a.txt"))).toBe("three");
    stale("one");
    expect(await workspace.readText(at("a.txt"))).toBe("one");
  });
});

describe("commands in an editor's terminal", () => {
  async function terminal(files: Record<string, string> = {}) {
    const place = await opened(files);
    onTestFinished(() => place.editor.endAll());
    const stop = new AbortController();
    const seen = { output: "", terminals: [] as string[] };
    const run = (command: string | readonly string[], more: object = {}) =>
      place.workspace.runCommand(command, {
        signal: stop.signal,
        onOutput: (text) => (seen.output += text),
        onTerminal: (terminalId) => seen.terminals.push(terminalId),
        ...more,
      });
    return { ...place, stop, seen, run };
  }

  test("runs a command in the editor's terminal and releases it", async () => {
    const { root, editor, seen, run } = await terminal();
    expect(await run("echo $WORD; pwd; exit 3", { env: { WORD: "hi" } })).toEqual({ exitCode: 3 });
    expect(seen).toEqual({ output: `hi\n${root}\n`, terminals: ["window-1"] });
    expect(editor.released).toEqual(["window-1"]);
  });

  test("emits a command's output while it runs", async () => {
    const { seen, stop, run } = await terminal();
    const running = run("echo first; sleep 60");
    await until(() => seen.output === "first\n");
    stop.abort();
    expect(await running).toEqual({ signal: "SIGKILL" });
  });

  test("kills a cancelled command, reads its last output and releases its terminal", async () => {
    const { editor, seen, stop, run } = await terminal();
    const running = run("printf 'no line end'; sleep 60");
    await until(
      () => seen.terminals.length > 0 && editor.terminals.get("window-1")?.output === "no line end",
    );
    stop.abort();
    await running;
    expect(seen.output).toBe("no line end");
    expect(editor.asked.slice(-3)).toEqual(["terminal/kill", "terminal/output", "terminal/release"]);
  });

  test("releases a terminal that opens after its command was cancelled", async () => {
    const { editor, stop, run } = await terminal();
    let open = (): void => undefined;
    editor.instead.set("terminal/create", async () => {
      await new Promise<void>((resolve) => (open = resolve));
      return { terminalId: "late" };
    });
    editor.instead.set("terminal/release", ({ terminalId }) => void editor.released.push(terminalId));
    const running = run("sleep 60");
    await until(() => editor.asked.length > 0);
    stop.abort(new Error("cancelled"));
    await expect(running).rejects.toThrow("cancelled");
    open();
    await until(() => editor.released.includes("late"));
  });

  test("ends a cancelled command when the editor is gone", async () => {
    const { editor, stop, run } = await terminal();
    const running = run("sleep 60");
    await until(() => editor.terminals.size > 0);
    const gone = () => Promise.reject(new Error("closed"));
    for (const method of ["output", "kill", "release"]) editor.instead.set(`terminal/${method}`, gone);
    stop.abort();
    expect(await running).toEqual({});
  });

  test("passes the words of a command to the editor's terminal unchanged", async () => {
    const { seen, run } = await terminal();
    await run(["printf", "%s|", "a b", "$HOME", "'"]);
    expect(seen.output).toBe("a b|$HOME|'|");
    await expect(run("echo a\0b")).rejects.toThrow("a character that no command can have");
  });

  test("does not run a command in a folder that was replaced by a link", async () => {
    const { folder, editor, at, run } = await terminal();
    await symlink(folder, at("src"));
    await expect(run("ls", { cwd: at("src") })).rejects.toThrow("a link was put in its way");
    await expect(run("ls", { cwd: at("none") })).rejects.toThrow("no such folder");
    expect(editor.asked).toEqual([]);
  });

  test("polls a terminal for its end when the editor cannot wait for one", async () => {
    const { editor, seen, run } = await terminal();
    editor.instead.set("terminal/wait_for_exit", () => Promise.reject(refused()));
    expect(await run("echo done; exit 4")).toEqual({ exitCode: 4 });
    expect(seen.output).toBe("done\n");
  });

  test.each([
    [
      "no terminal",
      "terminal/create",
      () => Promise.reject(refused()),
      "opened no terminal for it (not today)",
    ],
    ["a terminal without a name", "terminal/create", () => ({ terminalId: 7 }), "without an id"],
    [
      "an answer too late",
      "terminal/create",
      () => new Promise(() => undefined),
      "did not open a terminal within 0.3 s",
    ],
    ["output that is none", "terminal/output", () => ({ output: 5 }), "no terminal's output"],
    [
      "a terminal that it has lost",
      "terminal/output",
      () => Promise.reject(refused()),
      "no longer has the command's terminal",
    ],
  ])(
    "reports %s of an editor in words and releases the terminal that is open",
    async (_, method, answer, words) => {
      const { editor, run } = await terminal();
      editor.instead.set(method, answer);
      await expect(run("sleep 60")).rejects.toThrow(words);
      expect(editor.released).toEqual(method === "terminal/create" ? [] : ["window-1"]);
    },
  );

  test("keeps the end of a terminal's output when the editor returns more than was asked for", async () => {
    const { editor, seen, run } = await terminal();
    editor.instead.set("terminal/output", () => ({
      output: `${"x".repeat(1_000_000)}\nend\n`,
      exitStatus: { exitCode: "0", signal: 5 },
    }));
    await run("true");
    expect(seen.output.length).toBeLessThan(300_000);
    expect(seen.output.endsWith("\nend\n")).toBe(true);
  });
});

test("hashes the text that the editor shows", async () => {
  const { editor, workspace, at } = await opened({ "a.txt": "saved" });
  editor.buffers.set(at("a.txt"), "not saved");
  const read = await workspace.readBytes(at("a.txt"), { length: 100 });
  expect(
    createHash("sha256")
      .update(read?.bytes ?? "")
      .digest("hex"),
  ).toBe(createHash("sha256").update("not saved").digest("hex"));
});

const refused = () => new RpcError(-32603, "not today");

async function until(condition: () => boolean): Promise<void> {
  const end = Date.now() + 120_000;
  while (!condition()) {
    if (Date.now() > end) throw new Error("it did not happen within two minutes");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test("reads the code that a command runs from the disk, and tries no names at the editor", async () => {
  const { editor, workspace, at, local } = await opened({ "run.js": "console.log(1)\n" });
  editor.buffers.set(at("run.js"), "what nobody saved, and so nobody runs");
  const planned = { command: "node run.js && git status", cwd: local.root };
  const contents = await runContents(
    { ...planned, executor: await executorFor(planned, workspace) },
    workspace,
  );
  expect(contents).toEqual({ [at("run.js")]: sha256("console.log(1)\n") });
  expect(editor.asked).toEqual([]);
});

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
