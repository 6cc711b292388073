/** A small edit of a large file costs in proportion to the edit: in the ledger, on the wire, and in what is kept for undo. */
import { execFile } from "node:child_process";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import * as acp from "@agentclientprotocol/sdk";
import { expect, onTestFinished, test } from "vitest";
import { agentHost } from "../src/acp/index.js";
import { readAll } from "../src/call/index.js";
import type { Ledger, SessionEvent } from "../src/call/index.js";
import { exportSession, openArchive, openLedger, redactEvent, replaySession } from "../src/history/index.js";
import { openGate } from "../src/run/index.js";
import { builtInTools, LocalWorkspace } from "../src/tools/index.js";
import { sessionMarkdown, sessionText } from "../src/view/index.js";
import { editor, says } from "./acp-kit.js";
import { folder, scripted } from "./agent-kit.js";
import { childProgram } from "./child-programs.js";

const LINES = 100_000;
/** About 5 MB. */
const LARGE = Array.from(
  { length: LINES },
  (_, line) => `line ${line} of a file with ordinary lines of text\n`,
).join("");
const OLD = "line 50000 of a file";
const NEW = "line 50000 of an edited file";
const EDITED = LARGE.replace(OLD, NEW);
/** An empty ledger and its index take a few hundred kilobytes on disk. */
const MAX_LEDGER_BYTES = 1024 * 1024;
const MAX_WIRE_BYTES = 16 * 1024;
const MAX_EVENTS_BYTES = 8 * 1024;

async function storeIn(place: string): Promise<{ readonly file: string; readonly ledger: Ledger }> {
  const file = join(place, "ledger.sqlite");
  const ledger = await openLedger(file);
  onTestFinished(() => ledger.close());
  return { file, ledger };
}

/** The ledger, its write-ahead log and its index. */
async function bytesOf(place: string): Promise<number> {
  const sizes = (await readdir(place)).map(async (name) => (await stat(join(place, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function gateOn(root: string, ledger: Ledger) {
  const gate = await openGate({
    ledger,
    workspace: root,
    sessionId: "s",
    tools: builtInTools,
    rules: [{ allow: "edit" }],
  });
  onTestFinished(() => gate.close());
  return gate;
}

const lengthOf = (events: readonly SessionEvent[]): number => JSON.stringify(events).length;

test("an edit over ACP that is asked about stores and sends its hunk, and is undone to the byte", async () => {
  const cwd = await folder({ "large.txt": LARGE });
  const place = await folder();
  const { file, ledger } = await storeIn(place);
  const empty = await bytesOf(place);
  const path = join(cwd, "large.txt");
  const host = agentHost({
    agent: scripted(
      [{ calls: [{ tool: "edit_file", input: { path, oldText: OLD, newText: NEW } }] }, { say: "Done." }],
      {
        policy: () => ({ rules: [] }),
      },
    ),
    ledger,
    openWorkspace: (root, roots) => LocalWorkspace.open(root, { roots }),
  });
  const { agent, updates, questions, leave } = await editor(host);
  const { session } = acp.methods.agent;
  const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
  await agent.request(session.prompt, { sessionId, prompt: says("Edit it.") });
  expect(await readFile(path, "utf8")).toBe(EDITED);

  // A person sees the changed line with three around it, and where it is.
  expect(questions).toHaveLength(1);
  const { content, locations } = questions[0]?.toolCall ?? {};
  expect(locations).toEqual([{ path, line: 50_001 }]);
  expect(content?.filter(({ type }) => type === "diff")).toEqual([
    {
      type: "diff",
      path,
      oldText: LARGE.split("\n").slice(49_997, 50_004).join("\n").concat("\n"),
      newText: EDITED.split("\n").slice(49_997, 50_004).join("\n").concat("\n"),
      _meta: { toolgate: { excerpt: { oldLine: 49_998, newLine: 49_998 } } },
    },
  ]);
  expect(Buffer.byteLength(JSON.stringify([updates, questions]))).toBeLessThan(MAX_WIRE_BYTES);

  const recorded = await readAll(ledger, sessionId);
  expect(lengthOf(recorded.map(({ event }) => event))).toBeLessThan(MAX_EVENTS_BYTES);
  // The end does not repeat the diff of the question.
  expect(recorded.find(({ event }) => event.type === "call-done")?.event).not.toHaveProperty("content");

  const { session: replayed } = replaySession(sessionId, recorded);
  expect(sessionText(replayed)).toContain(`+ ${NEW} with ordinary lines of text`);
  expect([...sessionMarkdown(replayed)].join("")).toContain(`+ ${NEW}`);
  expect([...exportSession(replayed, "ndjson")].join("")).toContain(NEW);
  await leave();
  const archive = await openArchive(file);
  expect((await archive.search({ text: "an edited file" })).items.length).toBeGreaterThan(0);
  await archive.close();
  expect((await bytesOf(place)) - empty).toBeLessThan(MAX_LEDGER_BYTES);

  const gate = await openGate({ ledger, workspace: cwd, sessionId, tools: builtInTools });
  onTestFinished(() => gate.close());
  const [call] = [...gate.book.calls()];
  await gate.undo(call?.toolCallId ?? "");
  expect(await readFile(path, "utf8")).toBe(LARGE);
});

test("edits of one large file one after another add no copy of it, and are undone one by one", async () => {
  const root = await folder({ "large.txt": LARGE });
  const place = await folder();
  const { ledger } = await storeIn(place);
  const gate = await gateOn(root, ledger);
  const calls: string[] = [];
  const states = [LARGE];
  for (let line = 0; line < 5; line += 1) {
    const input = { path: "large.txt", oldText: `line ${line * 20_000} of`, newText: `changed ${line} of` };
    const { toolCallId, state } = await gate.call({ name: "edit_file", input });
    expect(state.status).toBe("done");
    calls.push(toolCallId);
    states.push(await readFile(join(root, "large.txt"), "utf8"));
  }
  expect(await bytesOf(place)).toBeLessThan(MAX_LEDGER_BYTES);
  for (const toolCallId of calls.toReversed()) {
    await gate.undo(toolCallId);
    states.pop();
    expect((await readFile(join(root, "large.txt"), "utf8")) === states.at(-1)).toBe(true);
  }
});

test("edits of one large file keep less than one copy of it in memory while the session is open", async () => {
  const root = await folder({ "large.txt": LARGE });
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--expose-gc",
    childProgram("many-edits.mjs"),
    root,
    "12",
  ]);
  const { grownBytes } = JSON.parse(stdout) as { readonly grownBytes: number };
  expect(grownBytes).toBeLessThan(LARGE.length);
});

test("a large file that is written again with a line more is shown as that line", async () => {
  const text = LARGE.split("\n").slice(0, 3_000).join("\n").concat("\n");
  const root = await folder({ "large.txt": text });
  const { ledger } = await storeIn(await folder());
  const gate = await gateOn(root, ledger);
  const input = { path: "large.txt", content: `${text}one more\n` };
  const { toolCallId, content } = await gate.call({ name: "write_file", input });
  expect(content).toMatchObject([{ type: "diff", hunks: [{ oldLine: 2_998, newLine: 2_998 }] }]);
  await gate.undo(toolCallId);
  expect(await readFile(join(root, "large.txt"), "utf8")).toBe(text);
});

test("redaction finds in a hunk the secret that it finds in the file", async () => {
  const body = Array.from({ length: 24 }, (_, line) => `MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj${line}`);
  const key = ["-----BEGIN PRIVATE KEY-----", ...body, "-----END PRIVATE KEY-----"].join("\n");
  const text = `${LARGE}${key}\nbefore\npassword:\n  correct-horse-7\nb\nc\nthe last line\n`;
  const minified = `{${Array.from({ length: 9_000 }, (_, field) => `"api_key":"s3cret-${field}","n${field}":${field}`).join(",")}}`;
  const root = await folder({ "large.txt": text, "large.json": minified });
  const { ledger } = await storeIn(await folder());
  const gate = await gateOn(root, ledger);
  const edits = [
    { path: "large.txt", oldText: "SCBKcwggSj20", newText: "SCBKcwggSjxx" },
    { path: "large.txt", oldText: "the last line", newText: "the very last line" },
    { path: "large.json", oldText: '"n4500":4500', newText: '"n4500":0' },
  ];
  for (const input of edits)
    expect((await gate.call({ name: "edit_file", input })).state.status).toBe("done");
  const shown = (await readAll(ledger, "s")).flatMap(({ event }) =>
    event.type === "call-revised" && event.fields.content ? [JSON.stringify(redactEvent(event))] : [],
  );
  expect(shown).toHaveLength(3);
  expect(shown.join("")).toContain("the very last line");
  expect(shown.join("")).not.toMatch(/MIIEvQ|SCBKcwggSj|correct-horse|s3cret/);
});
