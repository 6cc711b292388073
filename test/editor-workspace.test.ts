/** Calls that work in the client's workspace: what is asked about, what runs and what is undone is what the editor shows. */
import { createHash } from "node:crypto";
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { FakeEditor } from "../src/acp/agent/fake-editor.samples.js";
import { editorWorkspace } from "../src/acp/agent/editor-workspace.js";
import { V1Encoder } from "../src/acp/index.js";
import { SessionBook, shownText } from "../src/call/index.js";
import type { SessionEvent } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { openGate } from "../src/run/index.js";
import type { Ask } from "../src/run/index.js";
import type { Rule } from "../src/policy/index.js";
import { builtInTools } from "../src/tools/index.js";
import { workspace } from "./agent-kit.js";

const ALLOW: readonly Rule[] = [{ allow: "*", anyFlags: true }, { allow: "edit" }, { allow: "delete" }];

async function gateIn(files: Record<string, string>, rules: readonly Rule[] = ALLOW, ask?: Ask) {
  const local = await workspace(files);
  const editor = new FakeEditor();
  const ledger = new MemoryLedger();
  const gate = await openGate({
    ledger,
    ...(ask && { ask }),
    workspace: editorWorkspace(local, editor, "s"),
    sessionId: "s",
    tools: builtInTools,
    rules,
  });
  onTestFinished(async () => {
    editor.endAll();
    await gate.close();
  });
  const at = (name: string) => join(local.root, name);
  const call = (name: string, input: object) => gate.call({ name, input });
  const events = async () => (await ledger.read("s")).map(({ event }) => event);
  return { gate, editor, at, call, events };
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
/** The updates that a v1 client gets of a call, event by event. */
function updatesFor(events: readonly SessionEvent[]): readonly object[] {
  const book = new SessionBook("s");
  const encoder = new V1Encoder();
  return events.flatMap((event) => {
    book.apply(event);
    return [...book.calls()].flatMap((call) => encoder.encode(call));
  });
}

const onDisk = (path: string) => readFile(path, "utf8");

describe("edits of an unsaved file", () => {
  test("edits what the editor shows, and undoes it there", async () => {
    const { gate, editor, at, call } = await gateIn({ "a.txt": "saved\n" });
    editor.buffers.set(at("a.txt"), "saved\nand more that is not saved\n");
    const { toolCallId, state, content } = await call("edit_file", {
      path: "a.txt",
      oldText: "not saved",
      newText: "edited",
    });
    expect(state.status).toBe("done");
    expect(content).toMatchObject([
      { oldText: "saved\nand more that is not saved\n", newText: "saved\nand more that is edited\n" },
    ]);
    expect(await onDisk(at("a.txt"))).toBe("saved\nand more that is edited\n");
    await gate.undo(toolCallId);
    expect(await onDisk(at("a.txt"))).toBe("saved\nand more that is not saved\n");
    expect(editor.times("fs/write_text_file")).toBe(2);
  });

  test("asks about an edit as the editor shows it, and again when someone types on meanwhile", async () => {
    const hashes: string[] = [];
    let typed = (): void => undefined;
    const { editor, at, call, events } = await gateIn({ "a.txt": "one" }, [], async ({ intentHash }) => {
      hashes.push(intentHash);
      if (hashes.length === 1) typed();
      return { outcome: { type: "selected", optionId: "allow_once" }, by: "person" };
    });
    editor.buffers.set(at("a.txt"), "one two");
    typed = () => void editor.buffers.set(at("a.txt"), "one two three");
    const { state, content } = await call("edit_file", { path: "a.txt", oldText: "one", newText: "1" });
    expect(state.status).toBe("done");
    expect(new Set(hashes).size).toBe(2);
    expect(content).toMatchObject([{ oldText: "one two three", newText: "1 two three" }]);
    expect(await onDisk(at("a.txt"))).toBe("1 two three");
    const started = (await events()).find(({ type }) => type === "run-started");
    expect(started).toMatchObject({ intent: { baseHashes: { [at("a.txt")]: sha256("one two three") } } });
  });

  test("does not overwrite what someone types at the last moment", async () => {
    const { editor, at, call } = await gateIn({ "a.txt": "one" });
    let reads = 0;
    editor.instead.set("fs/read_text_file", ({ path }) => {
      reads += 1;
      const content = editor.buffers.get(path) ?? "one";
      // Checked and decided on: and only then is something typed.
      if (reads >= 1) editor.buffers.set(path, `${content}!`);
      return { content };
    });
    const { state } = await call("write_file", { path: "a.txt", content: "two" });
    expect(state).toMatchObject({
      status: "failed",
      error: expect.stringContaining("changed by someone else"),
    });
    expect(editor.asked).not.toContain("fs/write_text_file");
    expect(await onDisk(at("a.txt"))).toBe("one");
  });
});

describe("requests to the editor for a text", () => {
  const yes: Ask = async () => ({ outcome: { type: "selected", optionId: "allow_once" }, by: "person" });
  const reads = (editor: FakeEditor) => editor.times("fs/read_text_file");

  test("requests a text once for a read, also when it is longer than on the disk", async () => {
    const { editor, at, call } = await gateIn({ "a.txt": "one" });
    editor.buffers.set(at("a.txt"), "one two three");
    expect((await call("read_file", { path: "a.txt" })).rawOutput).toContain("one two three");
    expect(reads(editor)).toBe(1);
  });

  test.each([
    ["that a rule allows", ALLOW, undefined],
    ["that a person allows", [], yes],
  ])("requests a text twice for an edit %s", async (_, rules, ask) => {
    const { editor, at, call } = await gateIn({ "a.txt": "one" }, rules, ask);
    editor.buffers.set(at("a.txt"), "one, not saved");
    const edited = await call("edit_file", { path: "a.txt", oldText: "one", newText: "1" });
    expect(edited.state.status).toBe("done");
    expect(await onDisk(at("a.txt"))).toBe("1, not saved");
    expect(reads(editor)).toBe(2);
    await call("write_file", { path: "b.txt", content: "new" });
    expect(reads(editor)).toBe(4);
    await call("write_file", { path: "b.txt", content: "newer" });
    expect(reads(editor)).toBe(6);
  });

  test("notices a change on the disk between the check and the write", async () => {
    const { editor, at, call } = await gateIn({ "a.txt": "one" });
    editor.instead.set("fs/read_text_file", async ({ path }) => {
      const content = await onDisk(path);
      await writeFile(path, "changed by git");
      return { content };
    });
    const { state } = await call("write_file", { path: "a.txt", content: "two" });
    expect(state.status).not.toBe("done");
    expect(await onDisk(at("a.txt"))).toBe("changed by git");
  });

  test("requests a text again for the second of two edits at once", async () => {
    const { gate, editor, at } = await gateIn({ "a.txt": "one two" });
    const edit = (oldText: string) => ({
      name: "edit_file",
      input: { path: "a.txt", oldText, newText: oldText.toUpperCase() },
    });
    await gate.submit([edit("one"), edit("two")]);
    await gate.proceed(new AbortController().signal);
    expect(await onDisk(at("a.txt"))).toBe("ONE TWO");
    expect(reads(editor)).toBeLessThanOrEqual(5);
  });
});

test("a file that is only in the editor is not taken for a new one", async () => {
  const { editor, at, call } = await gateIn({});
  editor.buffers.set(at("new.txt"), "a draft");
  const { content } = await call("write_file", { path: "new.txt", content: "text" });
  expect(content).toMatchObject([{ operation: "modify", oldText: "a draft", newText: "text" }]);
});

test("requests no content from the editor for a denied read", async () => {
  const { editor, call } = await gateIn({ "a.txt": "x" }, [
    { deny: "read", path: "**/a.txt" },
    { allow: "*" },
  ]);
  expect((await call("read_file", { path: "a.txt" })).state.status).toBe("refused");
  expect(editor.asked).toEqual([]);
});

test("a script that is put back has its mode", async () => {
  const { gate, at, call } = await gateIn({ "run.sh": "echo" });
  await chmod(at("run.sh"), 0o755);
  const { toolCallId } = await call("delete_path", { path: "run.sh" });
  await gate.undo(toolCallId);
  expect(await onDisk(at("run.sh"))).toBe("echo");
  expect((await stat(at("run.sh"))).mode & 0o777).toBe(0o755);
});

describe("commands in the editor", () => {
  test("shows a command as the editor's terminal while it runs, and records what it printed", async () => {
    const { gate, editor, events } = await gateIn({});
    const call = await gate.call({ name: "terminal", input: { command: "echo hello; sleep 0.3; exit 2" } });
    const updates = updatesFor(await events());
    expect(call.state.status).toBe("done");
    expect(call.rawOutput).toMatchObject({ exitCode: 2, output: "hello\n" });
    const [shown] = call.content;
    expect(shown).toMatchObject({ type: "terminal", clientTerminalId: "window-1", exit: { exitCode: 2 } });
    expect(shown?.type === "terminal" && shown.output && shownText(shown.output)).toBe("hello\n");
    const contents = updates.flatMap((update) => ("content" in update ? [update.content] : []));
    expect(contents).toContainEqual([{ type: "terminal", terminalId: "window-1" }]);
    expect(JSON.stringify(contents)).not.toContain("hello");
    expect(editor.released).toEqual(["window-1"]);
  });

  test("kills a command in the editor when its time is up, and keeps its output", async () => {
    const { editor, call } = await gateIn({});
    const { state, rawOutput } = await call("terminal", { command: "echo started; sleep 60", timeout: 5 });
    expect(state).toMatchObject({ status: "failed" });
    expect(rawOutput).toMatchObject({ output: "started\n", timedOut: true });
    expect(editor.asked).toContain("terminal/kill");
    expect(editor.released).toEqual(["window-1"]);
  });

  test("kills a cancelled command in the editor, and releases its terminal", async () => {
    const { gate, editor, events } = await gateIn({});
    const stop = new AbortController();
    await gate.submit([{ name: "terminal", input: { command: "sleep 60" } }]);
    const going = gate.proceed(stop.signal);
    while (editor.terminals.size === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort();
    await going;
    expect((await events()).at(-1)).toMatchObject({ type: "call-cancelled" });
    expect(editor.released).toEqual(["window-1"]);
    expect(editor.terminals.get("window-1")?.child.signalCode).toBe("SIGKILL");
  });
});
