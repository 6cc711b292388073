import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { LocalWorkspace } from "../src/tools/index.js";
import { OutputTail } from "../src/acp/client/output-tail.js";
import { ServedTerminals } from "../src/acp/client/served-terminals.js";
import type { TerminalName } from "../src/acp/client/served-terminals.js";
import { NEVER, servedSession } from "./served-kit.js";
import type { Allow } from "./served-kit.js";

const sessionId = "s1";

async function served(allow: Allow = async () => "yes", maxTerminals = 32) {
  const root = await realpath(await mkdtemp(join(tmpdir(), "served-terminals-")));
  const workspace = await LocalWorkspace.open(root);
  const { session, asked } = await servedSession(workspace, allow);
  const received: { name: TerminalName; text: string }[] = [];
  const terminals = new ServedTerminals({
    sessions: (id) => (id === sessionId || id === "s2" ? session : undefined),
    onOutput: (name, text) => received.push({ name, text }),
    maxTerminals,
  });
  onTestFinished(async () => {
    await terminals.endAll();
    await rm(root, { recursive: true, force: true });
  });
  const open = async (params: object) => ({
    sessionId,
    terminalId: (await terminals.create({ sessionId, ...params }, NEVER)).terminalId,
  });
  const shell = (text: string, more: object = {}) =>
    open({ command: "/bin/sh", args: ["-c", text], ...more });
  const ran = async (params: object) => {
    const name = await open(params);
    const exit = await terminals.waitForExit(name);
    return { ...(terminals.output(name) as { output: string; truncated: boolean }), exit };
  };
  return { root, terminals, asked, received, open, shell, ran };
}

const isGone = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z ");
  } catch {
    return true;
  }
};

async function until(condition: () => boolean): Promise<void> {
  const end = Date.now() + 120_000;
  while (!condition()) {
    if (Date.now() > end) throw new Error("it did not happen within two minutes");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test("runs a command that prints in colour", async () => {
  const { ran } = await served();
  const { output, exit } = await ran({ command: "printf", args: ["\\033[31mred\\033[0m\\n"] });
  expect(output).toContain("red");
  expect(exit).toEqual({ exitCode: 0 });
});

describe("an invalid terminal id", () => {
  test("is an error for every request after a release", async () => {
    const { terminals, open } = await served();
    const name = await open({ command: "true" });
    await terminals.release(name);
    const notFound = { code: -32002 };
    expect(() => terminals.output(name)).toThrow(expect.objectContaining(notFound));
    await expect(terminals.release(name)).rejects.toMatchObject(notFound);
    await expect(terminals.kill(name)).rejects.toMatchObject(notFound);
    await expect(terminals.waitForExit(name)).rejects.toMatchObject(notFound);
  });

  test.each([
    [{ terminalId: "none" }, -32002],
    [{ terminalId: "__proto__" }, -32002],
    [{ terminalId: 5 }, -32602],
    [{}, -32602],
  ])("%j", async (params, code) => {
    const { terminals } = await served();
    expect(() => terminals.output({ sessionId, ...params })).toThrow(expect.objectContaining({ code }));
  });

  test("is an error for a terminal of another session", async () => {
    const { terminals, shell } = await served();
    const { terminalId } = await shell("sleep 30");
    const other = { sessionId: "s2", terminalId };
    await expect(terminals.kill(other)).rejects.toMatchObject({ code: -32002 });
    await expect(terminals.release(other)).rejects.toMatchObject({ code: -32002 });
    expect(() => terminals.output(other)).toThrow("no such terminal");
    expect(terminals.output({ sessionId, terminalId })).toEqual({ output: "", truncated: false });
  });
});

describe("the output of a terminal", () => {
  test("keeps the last bytes up to its limit, and cuts between characters", async () => {
    const { ran } = await served();
    expect(await ran({ command: "printf", args: ["éééé€"], outputByteLimit: 5 })).toMatchObject({
      output: "é€",
      truncated: true,
    });
  });

  test("stays valid text within its limit wherever it is cut", () => {
    const pieces = fc.array(fc.string({ unit: "grapheme", maxLength: 40 }), { maxLength: 30 });
    fc.assert(
      fc.property(pieces, fc.nat(120), (texts, limit) => {
        const tail = new OutputTail(limit);
        for (const text of texts) tail.add(text);
        const { output, truncated } = tail.read();
        const whole = texts.join("");
        expect(Buffer.byteLength(output)).toBeLessThanOrEqual(limit);
        expect(whole.endsWith(output)).toBe(true);
        expect(truncated).toBe(Buffer.byteLength(whole) > limit);
        // Not a character less than fits.
        const next = Array.from(whole.slice(0, whole.length - output.length)).at(-1) ?? "";
        if (truncated) expect(Buffer.byteLength(next + output)).toBeGreaterThan(limit);
        expect(tail.read()).toEqual({ output, truncated });
      }),
    );
  });

  test("stays bounded when one line has 100 MB", async () => {
    const { ran } = await served();
    const { output, truncated } = await ran({
      command: "/bin/sh",
      args: ["-c", "head -c 100000000 /dev/zero | tr '\\0' x"],
    });
    expect(truncated).toBe(true);
    expect(output).toHaveLength(1024 * 1024);
  });

  test("joins a character that arrives in two pieces", async () => {
    const { ran } = await served();
    const { output } = await ran({
      command: "/bin/sh",
      args: ["-c", "printf '\\342'; sleep 0.2; printf '\\202\\254'"],
    });
    expect(output).toBe("€");
  });

  test("is recorded as it arrives, also after the terminal is released", async () => {
    const { terminals, received, shell } = await served();
    const name = await shell("echo here; sleep 30");
    await until(() => received.length > 0);
    await terminals.release(name);
    expect(received).toEqual([{ name, text: "here\n" }]);
  });
});

describe("the end of a terminal", () => {
  test("a kill ends everything it started, and the terminal stays valid", async () => {
    const { terminals, shell } = await served();
    const name = await shell("sleep 1000 & echo $!; echo $$; sleep 1000");
    const output = () => (terminals.output(name) as { output: string }).output;
    await until(() => output().split("\n").length > 2);
    const waiting = terminals.waitForExit(name);
    await terminals.kill(name);
    for (const pid of output().trim().split("\n")) expect(isGone(Number(pid))).toBe(true);
    expect(await waiting).toMatchObject({ signal: "SIGTERM" });
    expect(terminals.output(name)).toMatchObject({ exitStatus: { signal: "SIGTERM" } });
    await terminals.kill(name);
  });

  test("kills a command that ignores the request to end", async () => {
    const { terminals, received, shell } = await served();
    const name = await shell("trap '' TERM; echo up; while :; do sleep 1; done");
    await until(() => received.length > 0);
    await terminals.kill(name);
    expect(await terminals.waitForExit(name)).toEqual({ signal: "SIGKILL" });
  });

  test("comes when the command reads its empty input", async () => {
    const { ran } = await served();
    expect((await ran({ command: "cat" })).exit).toEqual({ exitCode: 0 });
  });

  test("lets a caller stop waiting for it", async () => {
    const { terminals, shell } = await served();
    const name = await shell("sleep 30");
    const stop = new AbortController();
    const waiting = terminals.waitForExit(name, stop.signal);
    stop.abort(new Error("not wanted"));
    await expect(waiting).rejects.toThrow("not wanted");
    expect(terminals.output(name)).not.toHaveProperty("exitStatus");
  });

  test("the agent is gone: all are ended, and what is still asked about does not run", async () => {
    const answers: ((answer: "yes") => void)[] = [];
    const { root, terminals, received, shell } = await served(({ input }) =>
      JSON.stringify(input).includes("touch")
        ? new Promise<"yes">((resolve) => answers.push(resolve))
        : Promise.resolve("yes"),
    );
    await shell("echo $$; sleep 1000");
    await until(() => received.length > 0);
    const late = shell("touch ran");
    await until(() => answers.length > 0);
    await terminals.endAll();
    expect(isGone(Number(received[0]?.text))).toBe(true);
    answers[0]?.("yes");
    await expect(late).rejects.toThrow("Nothing was run");
    await expect(shell("true")).rejects.toThrow("Nothing was run");
    expect(existsSync(join(root, "ran"))).toBe(false);
  });

  test("a session is cancelled: its own are ended, and it can open others", async () => {
    const { terminals, shell, open } = await served();
    const name = await shell("sleep 1000");
    await terminals.endAll(sessionId);
    expect(() => terminals.output(name)).toThrow("no such terminal");
    expect(await terminals.waitForExit(await open({ command: "true" }))).toEqual({ exitCode: 0 });
  });
});

describe("the command of a terminal", () => {
  test("runs its words as they are, and the rules decide on the same words", async () => {
    const { asked, ran } = await served();
    expect((await ran({ command: "echo", args: ["a b", "$HOME;ls"] })).output).toBe("a b $HOME;ls\n");
    expect(asked).toMatchObject([
      { tool: "terminal", kind: "execute", command: ["echo", "a b", "$HOME;ls"] },
    ]);
  });

  test("a whole line as the command is decided on as one", async () => {
    const { root, asked, open } = await served(async () => ({ no: "not that." }));
    await expect(open({ command: "ls; touch PWNED", args: [] })).rejects.toThrow("Refused: not that.");
    expect(asked).toMatchObject([{ command: "ls; touch PWNED" }]);
    expect(existsSync(join(root, "PWNED"))).toBe(false);
  });

  test("a folder and variables are part of what is decided on", async () => {
    const { root, asked, ran } = await served();
    const { output } = await ran({
      command: "/bin/sh",
      args: ["-c", "echo $WORD; pwd"],
      cwd: root,
      env: [{ name: "WORD", value: "x" }],
    });
    expect(output).toBe(`x\n${root}\n`);
    expect(asked).toMatchObject([{ cwd: root, env: { WORD: "x" } }]);
  });

  test("reports a missing program in the output", async () => {
    const { ran } = await served();
    const { output, exit } = await ran({ command: "no-such-program-here" });
    expect(output).toContain("there is no program");
    expect(exit).toEqual({ exitCode: 127 });
  });

  test.each([
    ["a limit below nothing", { command: "ls", outputByteLimit: -1 }],
    ["no command", { args: [] }],
    ["an empty command", { command: "" }],
    ["words that are none", { command: "ls", args: [5] }],
    ["too many words", { command: "echo", args: Array.from({ length: 200_000 }, () => "x") }],
    ["a relative folder", { command: "ls", cwd: "src" }],
    ["variables that are none", { command: "ls", env: { A: "b" } }],
    ["a variable with a name that none has", { command: "ls", env: [{ name: "A=B", value: "" }] }],
  ])("%s: -32602, and nobody is asked", async (_, params) => {
    const { asked, open } = await served();
    await expect(open(params)).rejects.toMatchObject({ code: -32602 });
    expect(asked).toEqual([]);
  });

  test("a session has so many, those that are still asked about counted, until it releases some", async () => {
    const { terminals, open, shell } = await served(async () => "yes", 2);
    const [first] = await Promise.all([shell("sleep 30"), shell("sleep 30")]);
    await expect(open({ command: "true" })).rejects.toThrow("Release some first");
    await terminals.release(first);
    await open({ command: "true" });
    const many = await Promise.allSettled([open({ command: "true" }), open({ command: "true" })]);
    expect(many.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });
});
