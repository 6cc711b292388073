import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { aWorkspace, failureOf } from "./tools.samples.js";

async function run(command: string, signal: AbortSignal = new AbortController().signal) {
  const { root, workspace } = await aWorkspace();
  const chunks: string[] = [];
  const onOutput = (text: string) => void chunks.push(text);
  const exit = await workspace.runCommand(command, { signal, onOutput });
  return { exit, root, chunks, output: chunks.join("") };
}

test("a command runs in the workspace, and its output and exit code come back", async () => {
  const { exit, output, root } = await run("pwd; exit 3");
  expect(exit).toEqual({ exitCode: 3 });
  expect(output).toBe(`${root}\n`);
});

test("what it says to stderr comes in its place among the rest", async () => {
  const { output } = await run("echo one; sleep 0.3; echo two >&2; sleep 0.3; echo three");
  expect(output).toBe("one\ntwo\nthree\n");
});

test("a command that reads its input finds none instead of waiting for ever", async () => {
  expect(await run("cat; echo read")).toMatchObject({ exit: { exitCode: 0 }, output: "read\n" });
});

test("a command that was killed from elsewhere tells the signal", async () => {
  expect((await run("kill -9 $$")).exit).toEqual({ signal: "SIGKILL" });
});

test("a lot of fast output arrives whole", async () => {
  const { output } = await run("seq 300000");
  expect(output.length).toBe(1_988_895);
  expect(output.endsWith("\n299999\n300000\n")).toBe(true);
});

test("the end of the output is not lost when we were too busy to listen", async () => {
  const { workspace } = await aWorkspace();
  let output = "";
  const onOutput = (text: string) => {
    output += text;
    if (output.startsWith("busy") && output.length < 10) {
      const until = performance.now() + 900;
      while (performance.now() < until);
    }
  };
  await workspace.runCommand("echo busy; sleep 0.2; seq 5000", {
    signal: new AbortController().signal,
    onOutput,
  });
  expect(output.endsWith("\n5000\n")).toBe(true);
});

test("a character that arrives in two pieces is one character", async () => {
  const { chunks } = await run(String.raw`printf 'caf\303'; sleep 0.3; printf '\251!'`);
  expect(chunks.join("")).toBe("café!");
  expect(chunks.length).toBeGreaterThan(1);
});

test("half a character at the end is shown as a broken one", async () => {
  expect((await run(String.raw`printf 'caf\303'`)).output).toBe("caf\uFFFD");
});

test("pieces of characters from both streams are not mixed", async () => {
  const both = String.raw`printf '\303'; sleep 0.3; printf '\342\202' >&2; sleep 0.3; printf '\251'; sleep 0.3; printf '\254' >&2`;
  expect((await run(both)).output).toBe("é€");
});

test("a background process that keeps the pipe open does not keep us", async () => {
  const started = performance.now();
  const { exit, output } = await run("sleep 5 & echo $!");
  expect(exit).toEqual({ exitCode: 0 });
  expect(performance.now() - started).toBeLessThan(3000);
  // It was left running on purpose, so it is alive; the test ends it.
  expect(process.kill(Number(output), "SIGKILL")).toBe(true);
});

test("a cancel ends the command and all that it started", async () => {
  const { root, workspace } = await aWorkspace();
  const cancel = new AbortController();
  const running = workspace.runCommand(
    "sleep 60 & echo $! > one; (sleep 60 & echo $! > two; wait) & echo $! > three; while ! test -s two; do sleep 0.02; done; echo up; wait",
    { signal: cancel.signal, onOutput: () => cancel.abort() },
  );
  expect(await running).toEqual({ signal: "SIGTERM" });
  for (const name of ["one", "two", "three"]) expect(await isGone(join(root, name))).toBe(true);
});

test("what does not listen to the cancel is killed after two seconds", async () => {
  const { root, workspace } = await aWorkspace();
  const cancel = new AbortController();
  const started = performance.now();
  const exit = await workspace.runCommand(
    `(trap "" TERM; sh -c 'echo $$ > stubborn; echo up; while :; do sleep 0.1; done')`,
    { signal: cancel.signal, onOutput: () => cancel.abort() },
  );
  expect(exit.exitCode).toBeUndefined();
  expect(performance.now() - started).toBeGreaterThan(1900);
  expect(await isGone(join(root, "stubborn"))).toBe(true);
});

test("a command that ends well although it was cancelled has its exit code, and what it said last", async () => {
  const cancel = new AbortController();
  const { workspace } = await aWorkspace();
  let output = "";
  const exit = await workspace.runCommand(
    `exec 2>/dev/null; trap 'echo saved; exit 0' TERM; echo up; while :; do sleep 0.05; done`,
    {
      signal: cancel.signal,
      onOutput: (text) => {
        output += text;
        cancel.abort();
      },
    },
  );
  expect(exit).toEqual({ exitCode: 0 });
  expect(output).toBe("up\nsaved\n");
});

test("a command that was cancelled before it began is not run", async () => {
  const { root, workspace } = await aWorkspace();
  const reason = new Error("no longer wanted");
  const running = workspace.runCommand("touch ran", {
    signal: AbortSignal.abort(reason),
    onOutput: () => {},
  });
  await expect(running).rejects.toBe(reason);
  await setTimeout(50);
  await expect(readFile(join(root, "ran"))).rejects.toThrow("ENOENT");
});

test("a command that cannot be started says so", async () => {
  expect(await failureOf(run("echo \0"))).toMatch(
    /^ToolFailure: The command could not be started \(.+\)\. Nothing was run\./,
  );
  expect(await failureOf(run(`: ${"x".repeat(4_000_000)}`))).toMatch(/\(E2BIG\)/);
});

function refuse(): never {
  throw new Error("the ledger is gone");
}

test("when its output cannot be handed on, the command is ended and the trouble told", async () => {
  const { root, workspace } = await aWorkspace();
  const running = workspace.runCommand("echo $$ > pid; echo up; sleep 60", {
    signal: new AbortController().signal,
    onOutput: refuse,
  });
  await expect(running).rejects.toThrow("the ledger is gone");
  expect(await isGone(join(root, "pid"))).toBe(true);
});

test("a command sees our environment, but not our keys", async () => {
  vi.stubEnv("TOOLGATE_TEST_PLAIN", "plain").stubEnv("TOOLGATE_TEST_API_KEY", "sesame");
  try {
    const { output } = await run("env");
    expect(output).toContain("TOOLGATE_TEST_PLAIN=plain");
    expect(output).not.toContain("sesame");
  } finally {
    vi.unstubAllEnvs();
  }
});

/** Gone, or dead and only waiting for init to take note of it. */
async function isGone(pidFile: string): Promise<boolean> {
  const pid = Number(await readFile(pidFile, "utf8"));
  await writeFile(pidFile, "");
  if (!(pid > 1)) throw new Error(`No pid in ${pidFile}`);
  try {
    process.kill(pid, 0);
  } catch {
    return true;
  }
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ") Z");
  return / Z/.test(status.slice(status.lastIndexOf(")")));
}
