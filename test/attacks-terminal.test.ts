/**
 * Escape sequences from outside: a model, a command's output, names and contents of files, an MCP server, a provider
 * and a project's rules send sequences that a terminal would obey, and every command that shows them runs at a real
 * terminal. The output is checked byte by byte. The history keeps the original text.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Session } from "../src/call/index.js";
import type { ScriptStep } from "../src/model/index.js";
import { childProgram } from "./child-programs.js";

const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const mcpServer = childProgram("mcp-tools.mjs");

/** The output of the catalogue's cases, and the bytes that would reach the terminal unfiltered. */
const CASES = [
  ["OSC 8 link with javascript:", "\u001b]8;;javascript:alert(1)\u0007x\u001b]8;;\u0007"],
  ["OSC 8 file link", "\u001b]8;;file:///etc/passwd\u0007x"],
  ["window title", "\u001b]0;title\u0007"],
  ["DCS request", "\u001bP$q\u001b\\"],
  ["8-bit C1 CSI", "\u009b2J"],
  ["CR overwrite", "safe\rEVIL"],
  ["concealed text", "\u001b[8mhidden\u001b[0m"],
] as const;
const ALL = CASES.map(([, text]) => text).join(" ");
/** As the name of a file: all of it but the slash. */
const NAME = `n${ALL.replaceAll("/", "_")}`;

/** The sequences that our own program and Node's line reader may send: colours, the cursor and its place, clearing. */
const OURS =
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about.
  /\u001b\[(?:\?(?:25|2004|2026)[hl]|(?:[0-79]|[1-4]\d|9\d)?(?:;\d+)*m|\d+A\r|\d*[ABCDGJK])|\u001b7(?=\u001b\[\d+B)|\u001b8|\r+(?=\n|\u001b|\d+ events? indexed)/g;

const home = mkdtempSync(join(tmpdir(), "toolgate-escapes-"));
const project = join(home, NAME);
const shown = new Map<string, string>();
let remembered: Session;

beforeAll(async () => {
  mkdirSync(join(project, ".toolgate"), { recursive: true });
  writeFileSync(join(project, NAME), `${ALL}\nneedle\n`);
  writeFileSync(join(project, "raw.txt"), ALL);
  writeFileSync(join(project, "byte.txt"), Buffer.from([0x9b, 0x32, 0x4a]));
  writeFileSync(
    join(project, ".toolgate", "rules.json"),
    JSON.stringify({ rules: [{ deny: "execute", command: "forbidden *", reason: ALL }] }),
  );
  const tools = { command: process.execPath, args: [mcpServer, join(home, "notes"), ALL] };
  writeFileSync(join(home, "mcp.json"), JSON.stringify({ mcpServers: { tools } }));
  const dying = { command: "sh", args: ["-c", "cat raw.txt >&2; exit 3"] };
  writeFileSync(join(home, "dying.json"), JSON.stringify({ mcpServers: { dying } }));
  const short = script("short", [{ say: "ok" }]);
  const call = (tool: string, input: object) => ({ calls: [{ tool, input }] });
  await seen("run", [
    "run",
    "--mcp",
    join(home, "mcp.json"),
    "--script",
    script("long", [
      { think: ALL, say: `Look: ${ALL}`, ...call("terminal", { command: "cat raw.txt byte.txt" }) },
      call("terminal", { command: `printf '%s' '${ALL}'` }),
      call("terminal", { command: `forbidden '${ALL}'` }),
      call("terminal", { command: "forbidden to do" }),
      call("list_directory", {}),
      call("read_file", { path: NAME }),
      call("read_file", { path: `not there ${ALL}` }),
      call("grep", { pattern: "needle" }),
      call("write_file", { path: `new ${NAME}`, content: `${ALL}\n` }),
      call(`no such tool ${ALL}`, {}),
      call("todo_write", { todos: [{ content: ALL, status: "pending" }] }),
      call("tools__echo", { words: ALL }),
      call("fetch", { url: `https://example.invalid/${ALL}` }),
      { say: `${ALL} the end` },
    ]),
    `please ${ALL}`,
  ]);
  const asJson = ["history", "show", "--json", "--secrets"];
  await seen("as JSON", asJson);
  // Not from the terminal: on a busy machine that is given up when the program has ended, read or not.
  remembered = JSON.parse(
    execFileSync(process.execPath, [main, ...asJson], { cwd: project, env: at(home) }).toString(),
  );
  const other = ["--ledger", join(home, "other.sqlite")];
  await Promise.all([
    seenTogether([
      ["history", "list"],
      ["history", "show"],
      ["history", "search", "hidden"],
      ["history", "search", ALL],
      ["history", "export", "--format", "text"],
      ["history", "export", "--format", "markdown"],
      ["history", "export", "--format", "ndjson"],
      ["history", "export", `session ${ALL}`],
      ["stats", "--by", "rule"],
      ["rules", "list"],
      ["rules", "test", "--", "forbidden", ALL],
      ["config"],
      ["undo", "call_9"],
      ["undo", `call ${ALL}`],
    ]),
    seen("a script that is none", ["run", "--script", join(project, "raw.txt"), ...other, "go"]),
    seen("a script that is not there", ["run", "--script", `not there ${NAME}`, ...other, "go"]),
    seen("a server that dies", ["run", "--mcp", join(home, "dying.json"), "--script", short, ...other, "go"]),
    providerThatFails(other),
  ]);
}, 90_000);

afterAll(() => rmSync(home, { recursive: true, force: true }));

function script(name: string, steps: readonly ScriptStep[]): string {
  const file = join(home, `${name}.json`);
  writeFileSync(file, JSON.stringify({ steps }));
  return file;
}

/** Somebody whose home this is, at a terminal with colours. */
function at(folder: string): Record<string, string | undefined> {
  const { NO_COLOR: _no, FORCE_COLOR: _force, CI: _ci, ...inherited } = process.env;
  return {
    ...inherited,
    TERM: "xterm-256color",
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    XDG_STATE_HOME: folder,
  };
}

/** The same for commands that only show something, in one process: a start of the program costs more than they do. */
async function seenTogether(commands: readonly (readonly string[])[]): Promise<void> {
  const file = join(home, "commands.json");
  writeFileSync(file, JSON.stringify(commands));
  const mark = "=== command";
  const text = await atTerminal([childProgram("command-lines.mjs"), file, mark]);
  const [, ...parts] = text.split(new RegExp(`${mark} \\d+\r\n`));
  expect(parts).toHaveLength(commands.length);
  for (const [index, words] of commands.entries())
    shown.set(words.join(" ").replace(ALL, "…"), parts[index] ?? "");
}

/** Runs a command at a terminal, says yes to all it asks, and keeps every byte that came out. */
async function seen(
  name: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  shown.set(name, await atTerminal([main, ...words], env));
}

function atTerminal(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const pty = spawn(process.execPath, [...words], {
    cwd: project,
    cols: 120,
    rows: 40,
    env: { ...at(home), ...env },
  });
  return new Promise((resolve) => {
    let text = "";
    let answered = 0;
    pty.onData((data) => {
      text += data;
      const asked = text.split(/with your reason: |\[n\]o: /).length - 1;
      for (; answered < asked; answered += 1) pty.write("y\r");
    });
    pty.onExit(() => resolve(text));
  });
}

/** A provider whose error message is what a terminal would obey. */
async function providerThatFails(other: readonly string[]): Promise<void> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: ALL, type: "invalid_request_error", code: null } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // The server listens on a port by now.
  const { port } = server.address() as AddressInfo;
  const words = [
    "run",
    "--model",
    "openai-compatible/x",
    "--base-url",
    `http://127.0.0.1:${port}/v1`,
    ...other,
    "go",
  ];
  await seen("a provider that fails", words, { TOOLGATE_MODEL_KEY: "k" });
  server.close();
}

test.each(CASES)("never prints it to the terminal: %s", (_why, raw) => {
  const through = [...shown].filter(([, text]) => text.includes(raw)).map(([name]) => name);
  expect(through).toEqual([]);
});

test("prints no control characters but Toolgate's own", () => {
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about.
  const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f].{0,20}/u;
  const found = [...shown].flatMap(([name, text]) => {
    const rest = CONTROL.exec(text.replaceAll(OURS, ""));
    return rest ? [`${name}: ${JSON.stringify(rest[0])}`] : [];
  });
  expect(found).toEqual([]);
});

test.each(CASES)("the history keeps the bytes as they came: %s", (_why, raw) => {
  const outputs = remembered.timeline.flatMap((entry) =>
    entry.type === "call" ? [JSON.stringify(entry.call.rawOutput ?? "")] : [],
  );
  expect(
    outputs.filter((output) => output.includes(JSON.stringify(raw).slice(1, -1))).length,
  ).toBeGreaterThan(2);
});

test("shows a readable replacement", () => {
  expect(shown.get("run")).toContain(" the end");
  for (const name of ["run", "history show", "history export --format text", "a provider that fails"])
    expect(shown.get(name), name).toContain("⟨U+001B⟩]0;title⟨U+0007⟩");
});
