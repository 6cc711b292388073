/** A full disk over HTTP: 507 with a code, and the sentence that terminals and editors show, in every stream mode. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { serveAap } from "../src/aap/index.js";
import { createAgent } from "../src/agent/index.js";
import type { Loop } from "../src/agent/index.js";
import { externalAcpAgent } from "../src/cli/external-acp-agent.js";
import { openLedger } from "../src/history/index.js";
import { scriptedModel } from "../src/model/index.js";
import type { ScriptStep } from "../src/model/index.js";
import { defineTool, LocalWorkspace } from "../src/tools/index.js";
import { newSession, say, send, serving, TOKEN, turn } from "./aap-http-kit.js";
import { MODES } from "./aap-kit.js";
import type { Mode } from "./aap-kit.js";
import { folder } from "./agent-kit.js";
import { atHome } from "./cli-kit.js";
import { browser, startPage } from "./page-kit.js";
import { canMount, mountSmallDisk } from "./small-disk.js";
import { until } from "./until.js";

/** Without the path of the file: that is this machine's own. */
const SENTENCE =
  /^The ledger cannot grow: the disk is full \([^/]*\)\. Nothing was written, and what was written before is safe; make room and try again\.$/;
const FULL = { error: { code: "LEDGER_FULL", message: expect.stringMatching(SENTENCE) } };

async function onSmallDisk(steps: readonly ScriptStep[], beforeEnd: () => void = () => undefined) {
  const disk = mountSmallDisk();
  if (!disk) throw new Error("A disk could be mounted before, and not now.");
  const ledger = await openLedger(join(disk.path, "ledger.db"));
  onTestFinished(async () => {
    await ledger.close();
    disk.remove();
  });
  const errors: unknown[] = [];
  const act = defineTool({
    name: "act",
    description: "Acts.",
    kind: "think",
    input: z.object({}),
    run: async () => {
      beforeEnd();
      return "x".repeat(20_000);
    },
  });
  const { url } = await serving(
    steps,
    { ledger, onError: (error) => void errors.push(error) },
    { tools: [act] },
  );
  return { disk, url, errors };
}

const json = ({ status, text }: { readonly status: number; readonly text: string }) => ({
  status,
  body: JSON.parse(text) as unknown,
});
const TOOLS = [{ name: "act", trust: false }];

/** The `turn_stop` of a turn in any mode. */
function stopOf(text: string, mode: Mode): unknown {
  if (mode === "none") {
    const { stopReason, error } = JSON.parse(text) as { stopReason: string; error?: string };
    return { stopReason, error };
  }
  const [, data = "{}"] = /event: turn_stop\ndata: (.*)/u.exec(text) ?? [];
  return JSON.parse(data);
}

describe.skipIf(!canMount)("on a disk of four megabytes that is full", () => {
  test("refuses a session, a turn, a grant and an answer with 507, and takes each once there is room", async () => {
    const { disk, url, errors } = await onSmallDisk([
      { say: "One." },
      { say: "Two.", calls: [{ tool: "act", input: {} }] },
      { say: "Three." },
    ]);
    const sessionId = await newSession(url, TOOLS);
    const other = await newSession(url);
    expect(json(await turn(url, sessionId, say("one")))).toMatchObject({ body: { stopReason: "end_turn" } });
    disk.fill();
    const large = "x".repeat(100_000);
    const create = () =>
      send(url, { method: "POST", path: "/sessions", body: { agent: { name: "tester", tools: [] } } });
    expect(json(await create())).toEqual({ status: 507, body: FULL });
    // One session is open here since its last turn, the other is not.
    for (const mode of MODES)
      for (const id of [sessionId, other])
        expect(json(await turn(url, id, say(large, mode)))).toEqual({ status: 507, body: FULL });
    const list = await send(url, { method: "GET", path: "/sessions" });
    expect(list.status).toBe(200);
    expect(errors).not.toEqual([]);
    disk.makeRoom();
    expect((await create()).status).toBe(201);
    expect(json(await turn(url, sessionId, say("two")))).toMatchObject({ body: { stopReason: "tool_use" } });
    const asked = JSON.parse((await send(url, { method: "GET", path: "/questions" })).text) as {
      questions: { questionId: string; toolCallId: string }[];
    };
    const { questionId = "", toolCallId = "" } = asked.questions[0] ?? {};
    disk.fill();
    const grant = {
      stream: "none",
      messages: [{ role: "tool_permission", toolCallId, granted: true, reason: large }],
    };
    expect(json(await turn(url, sessionId, grant))).toEqual({ status: 507, body: FULL });
    const answer = () =>
      send(url, { method: "POST", path: `/questions/${questionId}`, body: { granted: true, reason: large } });
    expect(json(await answer())).toEqual({ status: 507, body: FULL });
    disk.makeRoom();
    expect(json(await turn(url, sessionId, grant))).toMatchObject({
      status: 200,
      body: { stopReason: "end_turn" },
    });
  });

  test("is not ready until there is room", async () => {
    const { disk, url } = await onSmallDisk([{ say: "One." }]);
    const readiness = async () => (await send(url, { method: "GET", path: "/readyz" })).status;
    expect(await readiness()).toBe(200);
    disk.fill();
    // The log beside the ledger may have some room left.
    await until(async () => (await readiness()) === 503);
    disk.makeRoom();
    await until(async () => (await readiness()) === 200);
  });

  test.each(MODES)("ends a turn with the reason, in mode %s", async (mode) => {
    const { disk, url } = await onSmallDisk([{ calls: [{ tool: "act", input: {} }] }, { say: "End." }], () =>
      disk.fill(),
    );
    const sessionId = await newSession(url, [{ name: "act", trust: true }]);
    const { status, text } = await turn(url, sessionId, say("go", mode));
    expect([status, stopOf(text, mode)]).toEqual([
      200,
      { stopReason: "error", error: expect.stringMatching(SENTENCE) },
    ]);
  });

  test("gives the terminal the same sentence, with the file", async () => {
    const disk = mountSmallDisk();
    onTestFinished(() => disk?.remove());
    const { run, script } = await atHome();
    disk?.fill();
    const { status, stderr } = await run([
      "run",
      "--ledger",
      join(disk?.path ?? "", "ledger.db"),
      "--script",
      script([{ say: "Hi." }]),
      "go",
    ]);
    const line = stderr.split("\n").find((one) => one.includes("The ledger")) ?? "";
    expect([status, line.replace(/^toolgate: The ledger \S+/u, "The ledger")]).toEqual([
      1,
      expect.stringMatching(SENTENCE),
    ]);
  });
});

describe.skipIf(!canMount)("an agent that somebody else runs, on a disk that is full", () => {
  const byHand = fileURLToPath(new URL("children/acp-agent-by-hand.mjs", import.meta.url));
  const CALL = JSON.stringify({
    toolCallId: "t1",
    title: "Write a.txt",
    kind: "edit",
    rawInput: { path: "a.txt", content: "1" },
  });

  async function served(kind: "loop" | "process", during: () => void = () => undefined) {
    const disk = mountSmallDisk();
    if (!disk) throw new Error("A disk could be mounted before, and not now.");
    const ledger = await openLedger(join(disk.path, "ledger.db"));
    const loop: Loop = {
      name: "tester",
      prompt: async ({ say: tell }) => {
        during();
        tell("x".repeat(20_000));
      },
    };
    const cwd = await folder();
    const agent = externalAcpAgent({
      name: "tester",
      argv: [process.execPath, byHand, "asks for the call of the prompt", join(cwd, "notes")],
      cwd,
      rules: createAgent({ name: "rules", model: scriptedModel({ steps: [] }), tools: [] }),
    });
    const { url, close } = await serveAap(kind === "loop" ? loop : agent, {
      port: 0,
      token: TOKEN,
      ledger,
      workspace: await LocalWorkspace.open(cwd),
      onError: () => undefined,
    });
    onTestFinished(async () => {
      await close();
      await agent.close();
      await ledger.close();
      disk.remove();
    });
    return { url, disk };
  }

  test.each(["loop", "process"] as const)(
    "refuses the turns of a %s with 507 until there is room",
    async (kind) => {
      const { url, disk } = await served(kind);
      const [open, closed] = [await newSession(url), await newSession(url)];
      const granted = {
        stream: "none",
        messages: [{ role: "tool_permission", toolCallId: "t1", granted: true }],
      };
      const ends = async (body: object) =>
        (JSON.parse((await turn(url, open, body)).text) as { stopReason: string }).stopReason;
      expect(await ends(say(CALL))).toBe(kind === "loop" ? "end_turn" : "tool_use");
      if (kind === "process") expect(await ends(granted)).toBe("end_turn");
      disk.fill();
      const large = "x".repeat(100_000);
      for (const mode of MODES)
        for (const id of [open, closed])
          expect(json(await turn(url, id, say(large, mode)))).toEqual({ status: 507, body: FULL });
      disk.makeRoom();
      expect(await ends(say(CALL))).toBe(kind === "loop" ? "end_turn" : "tool_use");
    },
  );

  test.each(MODES)("ends the turn of a loop with the reason, in mode %s", async (mode) => {
    const { url, disk } = await served("loop", () => disk.fill());
    const { status, text } = await turn(url, await newSession(url), say("go", mode));
    expect([status, stopOf(text, mode)]).toEqual([
      200,
      { stopReason: "error", error: expect.stringMatching(SENTENCE) },
    ]);
  });

  test("takes the page's answers on a full disk of settings, and says why a rule or a device is not stored", async () => {
    const disk = mountSmallDisk();
    onTestFinished(() => disk?.remove());
    const at = await atHome();
    const script = at.script([
      { calls: [{ tool: "write_file", input: { path: "a.txt", content: "a" } }] },
      { say: "End." },
    ]);
    const words = ["serve", "--port", "0", "--script", script];
    const server = await startPage(at, words, { XDG_CONFIG_HOME: disk?.path ?? "" });
    const page = browser(server.url);
    await page.login({ code: server.code, name: "Desk" });
    const { sessionId } = await page.createSession({ prompt: [{ type: "text", text: "go" }] });
    const open = async () => (await page.questions()).questions[0]?.questionId;
    await until(async () => (await open()) !== undefined);
    disk?.fill();
    const full = { status: 507, problem: "DISK_FULL", message: expect.stringContaining("the disk is full") };
    await expect(page.pair({ role: "all" })).rejects.toMatchObject(full);
    await expect(page.addRule({ rule: { allow: "read" } })).rejects.toMatchObject(full);
    expect(await page.answer((await open()) ?? "", { reply: "always" })).toMatchObject({
      counted: true,
      notStored: expect.stringContaining("the disk is full"),
    });
    await until(async () => (await page.session(sessionId)).state === "idle");
    expect(existsSync(join(at.project, "a.txt"))).toBe(true);
  });
});

test.skipIf(!canMount)(
  "shows what is on a disk that can only be read, and says so where something is to be written",
  async () => {
    const disk = mountSmallDisk();
    onTestFinished(() => disk?.remove());
    const at = await atHome();
    const env = { XDG_STATE_HOME: disk?.path ?? "" };
    const words = ["--script", at.script([{ say: "One." }, { say: "Two." }])];
    expect(await at.run(["run", ...words, "go"], { env })).toMatchObject({ status: 0 });
    disk?.makeReadOnly();
    const sentence = /The ledger( \S+)? can only be read \([^)]*\)\. Nothing was written; make the file/;
    const ran = await at.run(["run", ...words, "go"], { env });
    expect(ran).toMatchObject({ status: 1, stderr: expect.stringMatching(sentence) });
    const requests = [
      { id: 1, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } },
      { id: 2, method: "session/new", params: { cwd: at.project, mcpServers: [] } },
    ];
    const input = requests.map((request) => `${JSON.stringify({ jsonrpc: "2.0", ...request })}\n`).join("");
    const editor = await at.run(["acp", ...words], { env, input, openUntil: '"id":2' });
    expect(editor.stdout).toMatch(sentence);
    const server = await startPage(at, ["serve", "--port", "0", ...words], env);
    const page = browser(server.url);
    await page.login({ code: server.code, name: "Desk" });
    const { sessions } = await page.sessions();
    expect(sessions).toMatchObject([{ title: "go", messages: 2 }]);
    expect((await page.history()).calls).toEqual([]);
    const refused = { status: 507, problem: "LEDGER_READ_ONLY", message: expect.stringMatching(sentence) };
    const prompt = [{ type: "text" as const, text: "more" }];
    await expect(page.createSession({ prompt })).rejects.toMatchObject(refused);
    await expect(page.prompt(sessions[0]?.sessionId ?? "", { prompt })).rejects.toMatchObject(refused);
  },
);
