/**
 * MCP servers as tools, with real programs and real sockets: a server made with the protocol's library, one
 * written by hand to misbehave, and the public one that has everything.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { TestContext } from "vitest";
import { visibleText } from "../src/call/index.js";
import { McpServers } from "../src/mcp/index.js";
import type { McpServerConfig, McpServersOptions, ServerToApprove } from "../src/mcp/index.js";
import { decide } from "../src/policy/index.js";
import type { Intent, Rule } from "../src/policy/index.js";
import { ApprovedServers } from "../src/settings/approved-servers.js";
import { settingsFolder } from "../src/settings/index.js";
import { LocalWorkspace } from "../src/tools/index.js";
import type { AskReply, AskRequest, Tool } from "../src/tools/index.js";
import { aContext, aWorkspace, failureOf, resultOf } from "../src/tools/tools.samples.js";
import { childProgram } from "./child-programs.js";
import { isAlive } from "./is-alive.js";
import { until } from "./until.js";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolgate-mcp-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const everything = childProgram("mcp-everything.mjs");

type Finished = TestContext["onTestFinished"];

let workspace: LocalWorkspace;
beforeAll(async () => {
  workspace = await LocalWorkspace.open(folder);
});

let files = 0;
function newNotes(): string {
  files += 1;
  const path = join(folder, `notes-${files}`);
  writeFileSync(path, "");
  return path;
}

const notesIn = (path: string) => readFileSync(path, "utf8").split("\n").slice(0, -1);
const startsIn = (path: string) => notesIn(path).filter((line) => line.startsWith("started ")).length;

function toolsServer(...args: readonly string[]) {
  const notes = newNotes();
  return {
    notes,
    config: { command: process.execPath, args: [childProgram("mcp-tools.mjs"), notes, ...args] },
  };
}

function byHand(behaviour: string) {
  const notes = newNotes();
  return {
    notes,
    config: { command: process.execPath, args: [childProgram("mcp-by-hand.mjs"), behaviour, notes] },
  };
}

/** Tests that run side by side must say which one it is for. */
async function start(
  configs: Record<string, McpServerConfig>,
  options: Partial<McpServersOptions> = {},
  finished: Finished = onTestFinished,
) {
  const problems: string[] = [];
  const servers = await McpServers.start(configs, {
    approve: () => Promise.resolve(true),
    onProblem: (text) => problems.push(text),
    startTimeoutMs: 60_000,
    ...options,
  });
  finished(() => servers.close());
  return { servers, problems };
}

function toolOf(servers: McpServers, name: string): Tool {
  const tool = servers.get(name);
  if (!tool) throw new Error(`No tool ${name} in ${JSON.stringify(servers.tools().map((one) => one.name))}`);
  return tool;
}

/** Runs the tool as the gate would. */
async function call(
  servers: McpServers,
  name: string,
  input: unknown = {},
  options: { readonly signal?: AbortSignal; readonly ask?: (request: AskRequest) => Promise<AskReply> } = {},
) {
  const { context, shown } = aContext(workspace, options.signal);
  const asking = { ...context, ...(options.ask && { ask: options.ask }) };
  return { result: await resultOf(toolOf(servers, name), input, asking), shown };
}

const outputOf = async (...args: Parameters<typeof call>) => (await call(...args)).result.output;

/** A server of the protocol's own library, for tests that leave it as it was. */
let shared: McpServers;
const sharedProblems: string[] = [];
beforeAll(async () => {
  shared = await McpServers.start(
    { tools: toolsServer().config },
    { approve: () => Promise.resolve(true), onProblem: (text) => sharedProblems.push(text) },
  );
});
afterAll(() => shared.close());
beforeEach(() => void sharedProblems.splice(0));

describe("a server of the protocol's own library", () => {
  test("lists, calls and describes a server's tools, and maps the model's names to the real ones", async () => {
    expect(shared.status()).toEqual([{ server: "tools", status: "ready" }]);
    const echo = toolOf(shared, "tools__echo");
    expect(shared.tools()).toContain(echo);
    expect(echo).toMatchObject({ description: "echo", origin: { server: "tools", tool: "echo" } });
    expect(echo.title?.({})).toBe("tools/echo");
    expect(echo.parameters).toMatchObject({ type: "object", required: ["words"] });
    expect(await outputOf(shared, "tools__echo", { words: "hello" })).toBe("hello");
    expect(sharedProblems).toEqual([]);
  });

  test("sends no invalid input to the server", async () => {
    expect(toolOf(shared, "tools__echo").parse({ words: 7 })).toEqual({
      ok: false,
      problem: "tools/echo: the input is not valid. data/words must be string. Nothing was run.",
    });
  });

  test("passes images, sound and resources on as they came, with text for the model", async () => {
    const { result } = await call(shared, "tools__image");
    expect(result.content).toEqual([
      { type: "content", content: { type: "text", text: "a dot" } },
      { type: "content", content: { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" } },
      { type: "content", content: { type: "audio", data: "UklGRg==", mimeType: "audio/wav" } },
      {
        type: "content",
        content: {
          type: "resource",
          resource: { uri: "demo://one", mimeType: "text/plain", text: "inside" },
        },
      },
      { type: "content", content: { type: "resource", resource: { uri: "demo://two", blob: "AAEC" } } },
    ]);
    expect(result.output).toBe("a dot\n[image image/png]\n[audio audio/wav]\ninside\n[resource demo://two]");
  });

  test("returns a structured result as the output, and a failed one as a failure", async () => {
    const { result } = await call(shared, "tools__structured", { n: 21 });
    expect(result).toMatchObject({ output: { twice: 42 }, content: [{ content: { text: "42" } }] });
    expect(result.isError).toBeUndefined();
    const { result: failed } = await call(shared, "tools__fail");
    expect(failed).toMatchObject({ output: "there is no such city", isError: true });
  });

  test("ends a cancelled call with the cancel, and notifies the server", async () => {
    const { notes, config } = toolsServer();
    const { servers } = await start({ tools: config });
    const cancel = new AbortController();
    const running = call(servers, "tools__hang", {}, { signal: cancel.signal });
    const ended = failureOf(running);
    await until(() => notesIn(notes).includes("hanging"));
    cancel.abort(new Error("enough"));
    expect(await ended).toBe("Error: enough");
    await until(() => notesIn(notes).includes("cancelled"));
    expect(await outputOf(servers, "tools__echo", { words: "still there" })).toBe("still there");
  });

  test("offers a tool that appears later, and notifies listeners", async () => {
    const { servers } = await start({ tools: toolsServer().config });
    let changes = 0;
    servers.onChange(() => (changes += 1));
    expect(servers.get("tools__grown")).toBeUndefined();
    await call(servers, "tools__grow");
    await until(() => servers.get("tools__grown") !== undefined);
    expect(changes).toBeGreaterThan(0);
    expect(await outputOf(servers, "tools__grown")).toBe("new here");
  });

  test("asks the person a server's question visibly, and returns the answer", async () => {
    const asked: AskRequest[] = [];
    const ask = (request: AskRequest): Promise<AskReply> => {
      asked.push(request);
      return Promise.resolve({ action: "accept", content: { city: "Ulm" } });
    };
    expect(await outputOf(shared, "tools__ask", {}, { ask })).toBe(
      `{"action":"accept","content":{"city":"Ulm"}}`,
    );
    expect(asked).toMatchObject([
      {
        message: "tools/ask asks: Which ⟨U+202E⟩city?",
        schema: { properties: { city: { type: "string", title: "City⟨U+200B⟩" } }, required: ["city"] },
      },
    ]);
    const decline = () => Promise.resolve({ action: "decline" } as const);
    expect(await outputOf(shared, "tools__ask", {}, { ask: decline })).toBe(`{"action":"decline"}`);
  });

  test("passes on no answer that does not fit the form", async () => {
    const ask = () => Promise.resolve({ action: "accept", content: { city: 7 } } as const);
    expect(await outputOf(shared, "tools__ask", {}, { ask })).toBe(`{"action":"cancel"}`);
    expect(sharedProblems).toEqual([expect.stringContaining("does not fit the form")]);
  });

  test("uses the newer protocol with a server that supports only that, also for questions", async () => {
    const { servers } = await start({ tools: toolsServer("newer").config });
    expect(servers.status()).toEqual([{ server: "tools", status: "ready" }]);
    expect(await outputOf(servers, "tools__echo", { words: "hello" })).toBe("hello");
    const ask = () => Promise.resolve({ action: "accept", content: { city: "Ulm" } } as const);
    expect(await outputOf(servers, "tools__ask", {}, { ask })).toContain("Ulm");
  });

  test("cuts a result that is too large, and says so", async () => {
    const { result } = await call(shared, "tools__huge", { blocks: 6 });
    const output = String(result.output);
    expect(output).toContain("[200000 more characters were left out]");
    expect(output.length).toBeLessThan(4_001_000);
  });

  test("passes the configured variables to the server, and only the safe part of our environment", async () => {
    vi.stubEnv("TOOLGATE_TEST_SECRET", "s3cret");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { config } = toolsServer();
    const { servers } = await start({ tools: { ...config, env: { GIVEN: "yes" } } });
    const names = String(await outputOf(servers, "tools__environment")).split(" ");
    expect(names).toContain("GIVEN");
    expect(names).toContain("PATH");
    expect(names).not.toContain("TOOLGATE_TEST_SECRET");
  });
});

describe("a server that misbehaves", () => {
  test("survives garbage, lines without end and a flood on stderr during a call", async () => {
    const { servers, problems } = await start({ hand: byHand("writes garbage").config });
    expect(await outputOf(servers, "hand__one")).toBe("one");
    expect(problems).toContainEqual(expect.stringContaining("The server wrote a message that is too large"));
    expect(problems).toContainEqual(expect.stringContaining("not JSON: Listening…"));
    for (const problem of problems) expect(visibleText(problem)).toBe(problem);
  });

  test("blocks that nobody knows are named, and the rest is kept with its extras", async () => {
    const { servers } = await start({ hand: byHand("odd blocks").config });
    const { result } = await call(servers, "hand__one");
    expect(result.content).toEqual([
      textBlock(`[a block of the type "hologram⟨U+202E⟩" cannot be read here and was left out]`),
      textBlock(`[a block of the type "undefined" cannot be read here and was left out]`),
      {
        type: "content",
        content: { type: "text", text: "kept", _meta: { from: "afar" }, annotations: { priority: 1 } },
      },
      textBlock(`[a block of the type "image" cannot be read here and was left out]`),
    ]);
  });

  test("explains an error and an invalid response in a sentence", async () => {
    const { servers } = await start({ errors: byHand("errors").config, none: byHand("no result").config });
    expect(await failureOf(call(servers, "errors__one"))).toBe(
      "ToolFailure: errors/one answered with an error (-32000): out of ⟨U+001B⟩[31mpaper",
    );
    expect(await failureOf(call(servers, "none__one"))).toMatch(
      /^ToolFailure: none\/one sent a response that cannot be read: .* The call may have taken effect\.$/s,
    );
  });

  test("ends a list of tools that does not end", async () => {
    const { servers, problems } = await start({ hand: byHand("endless list").config });
    expect(servers.tools()).toHaveLength(50);
    expect(problems).toEqual([expect.stringContaining("its list of tools does not end")]);
  });

  test("asks nobody a question that may belong to either of two calls", async () => {
    const { servers } = await start({ hand: byHand("asks for either of two").config });
    const ask = () => Promise.reject(new Error("nobody should be asked"));
    const both = await Promise.all([
      outputOf(servers, "hand__one", {}, { ask }),
      outputOf(servers, "hand__two", {}, { ask }),
    ]);
    expect(both).toEqual([`{"action":"decline"}`, `{"action":"decline"}`]);
  });

  test("fails the call and restarts the server when it is killed in mid-call, and lets a call meanwhile wait", async () => {
    const { notes, config } = toolsServer();
    const { servers } = await start({ tools: config });
    const ended = failureOf(call(servers, "tools__hang"));
    await until(() => notesIn(notes).includes("hanging"));
    process.kill(Number(notesIn(notes)[0]?.split(" ")[1]), "SIGKILL");
    expect(await ended).toContain("it was ended by SIGKILL");
    expect(servers.status()).toMatchObject([
      { status: "restarting", reason: expect.stringContaining("SIGKILL") },
    ]);
    expect(servers.tools().length).toBeGreaterThan(0);
    expect(await outputOf(servers, "tools__echo", { words: "back" })).toBe("back");
    expect(startsIn(notes)).toBe(2);
  });
});

describe("rules, approvals and failures of servers", () => {
  const decision = ({ origin, name, kind }: Tool, rules: readonly Rule[]) => {
    const intent: Intent = {
      tool: origin?.tool ?? name,
      kind,
      input: {},
      cwd: "/ws",
      paths: [],
      hosts: [],
      baseHashes: {},
      ...(origin && { server: origin.server }),
    };
    return decide(intent, { rules, roots: ["/ws"], home: "/home/user" }).effect;
  };

  test("runs a tool unasked when a rule allows it by its server and name", async () => {
    expect(decision(toolOf(shared, "tools__echo"), [{ allow: "echo", server: "tools" }])).toBe("allow");
    expect(await outputOf(shared, "tools__echo", { words: "1" })).toBe("1");
  });

  test("starts an approved server with another configuration only after a new approval", async () => {
    const store = new ApprovedServers(mkdtempSync(join(folder, "settings-")));
    const seen: ServerToApprove[] = [];
    const approve = (server: ServerToApprove) => {
      seen.push(server);
      return Promise.resolve(store.isApproved(server.name, server.fingerprint, folder));
    };
    const { notes, config } = byHand("");
    const { servers: unknown } = await start({ tools: config }, { approve });
    expect(unknown.status()).toMatchObject([{ server: "tools", status: "not-approved" }]);
    expect(unknown.tools()).toEqual([]);
    const [{ name, fingerprint } = { name: "", fingerprint: "" }] = seen;
    await store.approve({ name, fingerprint, projectRoot: folder, approvedAt: 1 });
    expect(await unknown.restart("tools")).toBe(true);
    expect(unknown.status()).toEqual([{ server: "tools", status: "ready" }]);

    for (const changed of [
      { ...config, args: [...config.args, "--more"] },
      { ...config, env: { NODE_OPTIONS: "--require ./evil.cjs" } },
      { ...config, command: "node" },
      { ...config, cwd: folder },
    ]) {
      const { servers } = await start(
        { tools: changed, other: byHand("").config },
        {
          approve: async (server) => server.name === "other" || (await approve(server)),
        },
      );
      expect(servers.status()).toMatchObject([
        { server: "tools", status: "not-approved", reason: expect.stringContaining("nobody has approved") },
        { server: "other", status: "ready" },
      ]);
    }
    expect(startsIn(notes)).toBe(1);
  });

  test("starts the other servers when one has an invalid configuration", async () => {
    const { servers } = await start({ "a\u202E": { command: "node" }, hand: byHand("").config });
    expect(servers.status()).toMatchObject([
      {
        server: "a⟨U+202E⟩",
        status: "failed",
        reason: expect.stringContaining("The server was not started."),
      },
      { server: "hand", status: "ready" },
    ]);
  });

  test("counts an approval that cannot be read as none", async () => {
    const { notes, config } = byHand("");
    const { servers } = await start(
      { tools: config },
      { approve: () => Promise.reject(new Error("disk full")) },
    );
    expect(servers.status()).toMatchObject([
      { status: "not-approved", reason: expect.stringContaining("disk full") },
    ]);
    expect(startsIn(notes)).toBe(0);
  });

  test("reads no .env of the workspace for settings", async () => {
    const { root } = await aWorkspace({ ".env": "TOOLGATE_CONFIG=/tmp/evil\nHOME=/tmp/evil\n" });
    const before = process.cwd();
    process.chdir(root);
    onTestFinished(() => process.chdir(before));
    const home = mkdtempSync(join(folder, "home-"));
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv("HOME", home);
    vi.stubEnv("XDG_CONFIG_HOME", undefined);
    vi.stubEnv("TOOLGATE_CONFIG", undefined);
    expect(settingsFolder()).toBe(join(home, ".config", "toolgate"));
    const { servers } = await start({ tools: { ...toolsServer().config, cwd: root } });
    const names = String(await outputOf(servers, "tools__environment")).split(" ");
    expect(names).not.toContain("TOOLGATE_CONFIG");
  });

  test("asks about a tool that claims only to read, by its name", async () => {
    const { servers } = await start({ hand: byHand("poisoned").config });
    const kinds = ["delete_all", "frobnicate", "read_it", "wipe__get_it"].map((tool) =>
      toolOf(servers, `hand__${tool}`),
    );
    expect(kinds.map(({ kind }) => kind)).toEqual(["delete", "other", "other", "delete"]);
    expect(kinds.map(({ kindSource }) => kindSource)).toEqual(Array(4).fill("inferred"));
    for (const tool of kinds) expect(decision(tool, [{ allow: "read" }])).toBe("ask");
  });

  test("covers no similarly named tool of another server by a rule for one server's tool", async () => {
    const { servers } = await start({ a: byHand("").config, a__o: byHand("").config });
    const rule: Rule = { allow: "one", server: "a" };
    expect(decision(toolOf(servers, "a__one"), [rule])).toBe("allow");
    const other = servers.tools().find(({ origin }) => origin?.server === "a__o" && origin.tool === "one");
    expect(other && decision(other, [rule])).toBe("ask");
    const named = { ...toolOf(servers, "a__one"), origin: { server: "a__b", tool: "c" } };
    expect(decision(named, [{ allow: "b__c", server: "a" }])).toBe("ask");
    const names = servers.tools().map(({ name }) => name);
    expect(new Set(names).size).toBe(4);
  });

  test("names with characters that cannot be seen, or without end, are refused", async () => {
    const { servers, problems } = await start({ hand: byHand("poisoned").config });
    const names = servers.tools().map(({ name }) => name);
    expect(names).toEqual([
      "hand__notes",
      "hand__delete_all",
      "hand__frobnicate",
      "hand__read_it",
      "hand__wipe__get_it",
      expect.stringMatching(/^hand__a_name_with_spaces_and_more_[0-9a-f]{10}$/),
    ]);
    for (const { name, origin } of servers.tools()) {
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(origin?.tool.length).toBeLessThanOrEqual(128);
    }
    expect(problems).toHaveLength(9);
    expect(problems).toContainEqual(
      `MCP server "hand": its tool "x⟨U+001B⟩[2J⟨U+202E⟩⟨U+200B⟩" cannot be used: its name has invisible characters. This tool is left out; the server's other tools are available.`,
    );
    expect(problems).toContainEqual(
      expect.stringContaining(`"broken schema" cannot be used: its inputSchema`),
    );
    expect(problems).toContainEqual(expect.stringContaining("hand__notes twice"));
    for (const problem of problems) expect(visibleText(problem)).toBe(problem);
  });

  test("shows a poisoned description with its hidden characters, bounded, and decides nothing by it", async () => {
    const { servers } = await start({ hand: byHand("poisoned").config });
    const tool = toolOf(servers, "hand__notes");
    expect(tool.description).toContain("pass it in 'note'⟨U+E0041⟩⟨U+202E⟩ !!!");
    expect(tool.description.length).toBeLessThan(4200);
    expect(tool.parameters).toMatchObject({ properties: { note: { description: "put⟨U+E0041⟩ it" } } });
    expect(decision(tool, [{ allow: "read" }])).toBe("ask");
  });

  test("passes a resource link on and does not fetch it", async () => {
    const { result } = await call(shared, "tools__passwd");
    expect(result.content).toEqual([
      { type: "content", content: { type: "resource_link", name: "passwd", uri: "file:///etc/passwd" } },
    ]);
    expect(result.output).toBe("[link to passwd: file:///etc/passwd]");
  });

  test("fails a call without a response in time, notifies the server, and continues the others", async () => {
    const { notes, config } = toolsServer();
    const { servers } = await start({ tools: { ...config, timeout: 300 }, other: byHand("").config });
    const ended = failureOf(call(servers, "tools__hang"));
    expect(await outputOf(servers, "other__one")).toBe("one");
    expect(await ended).toBe(
      "ToolFailure: tools/hang took too long and was asked to stop. The call may have taken effect in part or in whole: check before you try again.",
    );
    await until(() => notesIn(notes).includes("cancelled"));
    expect(await outputOf(servers, "tools__echo", { words: "still there" })).toBe("still there");
  });

  test("fails a call within a second when the server crashes, with its last output, and restarts it", async () => {
    const { notes, config } = toolsServer();
    const { servers } = await start({ tools: config, other: byHand("").config });
    const hanging = failureOf(call(servers, "tools__hang"));
    await until(() => notesIn(notes).includes("hanging"));
    const from = performance.now();
    const failure = await failureOf(call(servers, "tools__die", { code: 1 }));
    expect(performance.now() - from).toBeLessThan(10_000);
    expect(failure).toBe(
      `ToolFailure: tools/die: the MCP server "tools" ended while the call was running; it ended with code 1 and last wrote to stderr:\na word to the log\nthe disk is ⟨U+001B⟩[31mfull\nThe call may have taken effect: check before you try again.`,
    );
    expect(await hanging).toContain("tools/hang: the MCP server");
    expect(await outputOf(servers, "other__one")).toBe("one");
    expect(await outputOf(servers, "tools__echo", { words: "back" })).toBe("back");
    expect(startsIn(notes)).toBe(2);
  });

  test("accepts a response once, and reports and ignores one that matches no request", async () => {
    const { servers, problems } = await start({ hand: byHand("answers twice").config });
    const [one, two] = await Promise.all([outputOf(servers, "hand__one"), outputOf(servers, "hand__two")]);
    expect([one, two]).toEqual(["one", "two"]);
    await until(() => problems.length >= 6);
    expect(problems.filter((text) => text.includes("unknown message ID"))).toHaveLength(4);
    expect(problems.filter((text) => text.includes("not a protocol message"))).toHaveLength(2);
  });

  test("runs no shell for a command, which is one program", async () => {
    const { servers } = await start({ evil: { command: "npx foo; touch PWNED", cwd: folder } });
    expect(servers.status()).toMatchObject([
      { server: "evil", status: "failed", reason: expect.stringContaining("ENOENT") },
    ]);
    expect(servers.status()).toMatchObject([{ reason: expect.stringContaining("Nothing was run.") }]);
    expect(existsSync(join(folder, "PWNED"))).toBe(false);
  });

  test("offers no sampling, and opens a page only by http or https", async () => {
    expect(await outputOf(shared, "tools__sample")).toMatch(/^refused: /);
    const asked: AskRequest[] = [];
    const ask = (request: AskRequest): Promise<AskReply> => {
      asked.push(request);
      return Promise.resolve({ action: "accept", content: {} });
    };
    for (const url of ["javascript:alert(1)", "file:///etc/passwd", "https://me:pw@bank.test/"]) {
      expect(await outputOf(shared, "tools__ask", { url }, { ask })).toBe(`{"action":"decline"}`);
    }
    expect(asked).toEqual([]);
    expect(sharedProblems).toHaveLength(3);
    const url = "https://login.example/start";
    expect(await outputOf(shared, "tools__ask", { url }, { ask })).toBe(`{"action":"accept"}`);
    expect(asked).toEqual([{ message: "tools/ask asks: Log in", url }]);
  });
});

describe.concurrent("a slow server or call", () => {
  test("shows progress, which keeps a call alive past the silence limit", async (task) => {
    const { servers } = await start(
      { tools: toolsServer().config },
      { callTimeoutMs: 2500 },
      task.onTestFinished,
    );
    const { result, shown } = await call(servers, "tools__count", { to: 12, every: 250 });
    expect(result.output).toBe("counted");
    const steps = Array.from({ length: 12 }, (_, index) => index + 1);
    expect(shown).toEqual(steps.map((done) => ({ done, total: 12, message: `step ${done}` })));
  });

  test("cancels a call whose progress goes on past its maximum time", async (task) => {
    const { servers } = await start(
      { tools: toolsServer().config },
      { callTimeoutMs: 1500, maxCallTime: 800 },
      task.onTestFinished,
    );
    expect(await failureOf(call(servers, "tools__count", { to: 100, every: 100 }))).toContain(
      "took too long",
    );
  });

  test("gives a person more time than a silent call", async (task) => {
    const { servers } = await start(
      { tools: toolsServer().config },
      { callTimeoutMs: 2000, maxCallTime: 3000 },
      task.onTestFinished,
    );
    const ask = async (): Promise<AskReply> => {
      await new Promise((resolve) => setTimeout(resolve, 3500));
      return { action: "accept", content: { city: "Ulm" } };
    };
    expect(await outputOf(servers, "tools__ask", {}, { ask })).toContain("Ulm");
  });

  test("ends the server and all that it started on close, even when it ignores SIGTERM", async (task) => {
    const { notes, config } = byHand("will not die");
    const { servers } = await start({ hand: config }, {}, task.onTestFinished);
    const pids = notesIn(notes).flatMap((line) => /^(?:started|child) (\d+)$/.exec(line)?.[1] ?? []);
    expect(pids).toHaveLength(2);
    expect(pids.map(Number).every(isAlive)).toBe(true);
    await servers.close();
    await until(() => !pids.map(Number).some(isAlive));
    expect(notesIn(notes)).toContain("SIGTERM");
    expect(servers.status()).toEqual([{ server: "hand", status: "closed" }]);
  });

  test("ends a child in its own process session on close", async (task) => {
    const { notes, config } = byHand("starts a session of its own");
    const { servers } = await start({ hand: config }, {}, task.onTestFinished);
    const pids = notesIn(notes).flatMap((line) => /^(?:started|child) (\d+)$/.exec(line)?.[1] ?? []);
    expect(pids).toHaveLength(2);
    expect(pids.map(Number).every(isAlive)).toBe(true);
    await servers.close();
    expect(pids.map(Number).filter(isAlive)).toEqual([]);
  });

  test("restarts a server that always dies five times a minute, ever later, until a call needs it", async (task) => {
    const { notes, config } = byHand("dies at once");
    const { servers } = await start(
      { hand: config, other: byHand("").config },
      { startTimeoutMs: 5000 },
      task.onTestFinished,
    );
    await until(() => servers.status()[0]?.status === "failed");
    expect(startsIn(notes)).toBe(6);
    expect(servers.status()).toMatchObject([
      { reason: expect.stringMatching(/^it ended too often within a minute.* code 3 .*no licence/s) },
      { status: "ready" },
    ]);
    await servers.restart("hand");
    expect(startsIn(notes)).toBe(7);
    expect(servers.status()).toMatchObject([{ status: "failed" }, { status: "ready" }]);
  });

  test("starts the session without a server that hangs in its handshake", async (task) => {
    const { notes, config } = byHand("hangs in initialize");
    const { servers } = await start(
      { hand: config, other: byHand("").config },
      { startTimeoutMs: 4000 },
      task.onTestFinished,
    );
    expect(servers.status()).toEqual([
      { server: "hand", status: "starting" },
      { server: "other", status: "ready" },
    ]);
    expect(await outputOf(servers, "other__one")).toBe("one");
    const pid = Number(notesIn(notes)[0]?.split(" ")[1]);
    await servers.close();
    await until(() => !isAlive(pid));
  });
});

describe.concurrent("the public server that has everything", () => {
  async function everythingWorks(servers: McpServers) {
    expect(servers.tools().length).toBeGreaterThan(8);
    expect(await outputOf(servers, "all__echo", { message: "hello" })).toBe("Echo: hello");
    const { result: image } = await call(servers, "all__get-tiny-image");
    expect(image.content).toContainEqual({
      type: "content",
      content: expect.objectContaining({ type: "image", mimeType: "image/png" }),
    });
    const { result, shown } = await call(servers, "all__trigger-long-running-operation", {
      duration: 0.3,
      steps: 3,
    });
    expect(result.output).toContain("completed");
    expect(shown).toEqual([1, 2, 3].map((done) => ({ done, total: 3, message: undefined })));
    expect(toolOf(servers, "all__get-sum").parse({ a: "one" }).ok).toBe(false);
    const unparsed = {
      ...toolOf(servers, "all__get-sum"),
      parse: (input: unknown) => ({ ok: true, input }) as const,
    };
    const refused = await resultOf(unparsed, { a: "one" }, aContext(workspace).context);
    expect(refused).toMatchObject({ isError: true, output: expect.stringContaining("Invalid") });
  }

  test("over stdio", async (task) => {
    const { servers } = await start(
      { all: { command: process.execPath, args: [everything, "stdio"] } },
      {},
      task.onTestFinished,
    );
    expect(servers.status()).toEqual([{ server: "all", status: "ready" }]);
    await everythingWorks(servers);
  });

  /** A call that lasts until its server stops. */
  async function diesInMidCall(servers: McpServers, stop: () => Promise<void>) {
    const { context, shown } = aContext(workspace);
    const tool = toolOf(servers, "all__trigger-long-running-operation");
    const ended = failureOf(resultOf(tool, { duration: 60, steps: 600 }, context));
    await until(() => shown.length > 0);
    await stop();
    return { ended };
  }

  test("over SSE, by its type and where nothing else is known, until the server dies in mid-call", async (task) => {
    const port = await freePort();
    const stop = await run("sse", port);
    task.onTestFinished(stop);
    const url = `http://127.0.0.1:${port}/sse`;
    const { servers } = await start({ all: { url, type: "sse" }, guessed: { url } }, {}, task.onTestFinished);
    expect(servers.status()).toMatchObject([{ status: "ready" }, { status: "ready" }]);
    await everythingWorks(servers);
    expect(await outputOf(servers, "guessed__echo", { message: "hello" })).toBe("Echo: hello");
    // Long before the call's time is up.
    const { ended } = await diesInMidCall(servers, stop);
    expect(await ended).toContain("ended while the call was running");
  });

  test("over streamable HTTP, where a server that goes away fails its calls, and one that comes back is used again", async (task) => {
    const port = await freePort();
    const stop = await run("streamableHttp", port);
    task.onTestFinished(stop);
    const { servers } = await start(
      { all: { url: `http://127.0.0.1:${port}/mcp` } },
      {},
      task.onTestFinished,
    );
    expect(servers.status()).toEqual([{ server: "all", status: "ready" }]);
    await everythingWorks(servers);
    const { ended } = await diesInMidCall(servers, stop);
    expect(await failureOf(call(servers, "all__echo", { message: "hello" }))).toContain(
      "ToolFailure: all/echo",
    );
    expect(await ended).toContain("The call may have taken effect");
    expect(servers.status()).toMatchObject([{ status: "restarting" }]);
    const stopSecond = await run("streamableHttp", port);
    await until(() => servers.status()[0]?.status === "ready");
    expect(await outputOf(servers, "all__echo", { message: "hello" })).toBe("Echo: hello");

    // Another client: on a busy machine the first one has used up its restarts of this minute.
    const { servers: others } = await start(
      { all: { url: `http://127.0.0.1:${port}/mcp` } },
      {},
      task.onTestFinished,
    );
    expect(await outputOf(others, "all__echo", { message: "hello" })).toBe("Echo: hello");
    await stopSecond();
    task.onTestFinished(await run("streamableHttp", port));
    // The server is back, and has lost our session.
    expect(await failureOf(call(others, "all__echo", { message: "hello" }))).toContain("HTTP 400");
    expect(await outputOf(others, "all__echo", { message: "again" })).toBe("Echo: again");
  });
});

describe("over HTTP", () => {
  test("sends the headers to the server, and to no other that it points to", async () => {
    const seen: { readonly at: string; readonly headers: IncomingHttpHeaders }[] = [];
    const elsewhere = await http((request) => void seen.push({ at: "elsewhere", headers: request.headers }));
    const home = await http((request, response) => {
      seen.push({ at: "home", headers: request.headers });
      response.writeHead(307, { location: `http://127.0.0.1:${elsewhere}/mcp` });
    });
    const { servers } = await start({
      away: {
        url: `http://127.0.0.1:${home}/mcp`,
        type: "http",
        headers: { authorization: "Bearer s3cret" },
      },
    });
    expect(servers.status()).toMatchObject([
      { status: "failed", reason: expect.stringContaining("Redirect") },
    ]);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.every(({ at, headers }) => at === "home" && headers.authorization === "Bearer s3cret")).toBe(
      true,
    );
  });

  test("breaks off a response without end", async () => {
    const port = await http((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write("[".repeat(20 * 1024 * 1024));
      return "goes on";
    });
    const { servers } = await start(
      { big: { url: `http://127.0.0.1:${port}/mcp`, type: "http" } },
      { startTimeoutMs: 60_000 },
    );
    expect(servers.status()).toMatchObject([{ reason: expect.stringContaining("too large") }]);
  });

  test("uses the newer protocol with a server that has it: results, progress, questions and cancels", async () => {
    const { notes, config } = toolsServer("http");
    const program = spawn(config.command, config.args, { stdio: "ignore" });
    onTestFinished(() => void program.kill("SIGKILL"));
    const portOf = () =>
      notesIn(notes)
        .find((line) => line.startsWith("port "))
        ?.split(" ")[1];
    await until(() => portOf() !== undefined);
    const { servers } = await start({ tools: { url: `http://127.0.0.1:${portOf()}/` } });
    expect(await outputOf(servers, "tools__echo", { words: "hello" })).toBe("hello");
    const { shown } = await call(servers, "tools__count", { to: 2, every: 10 });
    expect(shown).toEqual([1, 2].map((done) => ({ done, total: 2, message: `step ${done}` })));
    const ask = () => Promise.resolve({ action: "accept", content: { city: "Ulm" } } as const);
    expect(await outputOf(servers, "tools__ask", {}, { ask })).toContain("Ulm");
    const cancel = new AbortController();
    const ended = failureOf(call(servers, "tools__hang", {}, { signal: cancel.signal }));
    await until(() => notesIn(notes).includes("hanging"));
    cancel.abort(new Error("enough"));
    expect(await ended).toBe("Error: enough");
    await until(() => notesIn(notes).includes("cancelled"));
    expect(servers.status()).toEqual([{ server: "tools", status: "ready" }]);
  });
});

function textBlock(text: string) {
  return { type: "content", content: { type: "text", text } };
}

async function http(
  answer: (...args: Parameters<Exclude<Parameters<typeof createServer>[1], undefined>>) => unknown,
): Promise<number> {
  const server = createServer((request, response) => {
    if (answer(request, response) !== "goes on") response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has an address of this form.
  return (server.address() as AddressInfo).port;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Runs the public server until what is returned is called. */
async function run(transport: string, port: number): Promise<() => Promise<void>> {
  const server = spawn(process.execPath, [everything, transport], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  server.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  await until(() => said.includes(`port ${port}`));
  return async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill("SIGKILL");
    await once(server, "exit");
  };
}

test("checks a server's schema although the checker takes long to load", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [childProgram("slow-checker.mjs")]);
  expect(stdout).toBe("true\n");
});
