import { readdirSync, readFileSync } from "node:fs";
import { readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { aWorkspace, failureOf } from "./tools.samples.js";
import type { CommandOptions } from "./workspace.js";

async function run(command: string | readonly string[], options: Partial<CommandOptions> = {}) {
  const { outside, root, workspace } = await aWorkspace();
  const chunks: string[] = [];
  const onOutput = (text: string) => void chunks.push(text);
  const signal = new AbortController().signal;
  const exit = await workspace.runCommand(command, { signal, onOutput, ...options });
  return { exit, outside, root, chunks, output: chunks.join("") };
}

test("runs a command in the workspace, and returns its output and exit code", async () => {
  const { exit, output, root } = await run("pwd; exit 3");
  expect(exit).toEqual({ exitCode: 3 });
  expect(output).toBe(`${root}\n`);
});

test("keeps stderr in its place among stdout", async () => {
  const { output } = await run("echo one; sleep 0.3; echo two >&2; sleep 0.3; echo three");
  expect(output).toBe("one\ntwo\nthree\n");
});

test("gives a command that reads its input an empty one instead of a wait", async () => {
  expect(await run("cat; echo read")).toMatchObject({ exit: { exitCode: 0 }, output: "read\n" });
});

test("reports the signal of a command that was killed from elsewhere", async () => {
  expect((await run("kill -9 $$")).exit).toEqual({ signal: "SIGKILL" });
});

test("receives a lot of fast output whole", async () => {
  const { output } = await run("seq 300000");
  expect(output.length).toBe(1_988_895);
  expect(output.endsWith("\n299999\n300000\n")).toBe(true);
});

test("keeps the end of the output when this process was too busy to read it", async () => {
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

test("joins a character that arrives in two pieces", async () => {
  const { chunks } = await run(String.raw`printf 'caf\303'; sleep 0.3; printf '\251!'`);
  expect(chunks.join("")).toBe("café!");
  expect(chunks.length).toBeGreaterThan(1);
});

test("shows half a character at the end as a broken one", async () => {
  expect((await run(String.raw`printf 'caf\303'`)).output).toBe("caf\uFFFD");
});

test("pieces of characters from both streams are not mixed", async () => {
  const both = String.raw`printf '\303'; sleep 0.3; printf '\342\202' >&2; sleep 0.3; printf '\251'; sleep 0.3; printf '\254' >&2`;
  expect((await run(both)).output).toBe("é€");
});

test("returns although a background process keeps the pipe open", async () => {
  const started = performance.now();
  const { exit, output } = await run("sleep 300 & echo $!");
  expect(exit).toEqual({ exitCode: 0 });
  expect(performance.now() - started).toBeLessThan(60_000);
  // The process was left running on purpose, so it is alive; the test ends it.
  expect(process.kill(Number(output), "SIGKILL")).toBe(true);
});

test("ends the command and all that it started on a cancel", async () => {
  const { root, workspace } = await aWorkspace();
  const cancel = new AbortController();
  const running = workspace.runCommand(
    "sleep 60 & echo $! > one; (sleep 60 & echo $! > two; wait) & echo $! > three; while ! test -s two; do sleep 0.02; done; echo up; wait",
    { signal: cancel.signal, onOutput: () => cancel.abort() },
  );
  expect(await running).toEqual({ signal: "SIGTERM" });
  for (const name of ["one", "two", "three"]) expect(await isGone(join(root, name))).toBe(true);
});

test("kills a command that ignores the cancel after two seconds", async () => {
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

test("returns the exit code and the last output of a command that ends well although it was cancelled", async () => {
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

test("signals a program once, so that it can clean up", async () => {
  const { workspace } = await aWorkspace();
  const cancel = new AbortController();
  let output = "";
  const program = `process.on("SIGTERM", () => { console.log("signalled"); setTimeout(() => process.exit(7), 300); }); setInterval(() => {}, 1000); console.log("up");`;
  const exit = await workspace.runCommand([process.execPath, "-e", program], {
    signal: cancel.signal,
    onOutput: (text) => {
      output += text;
      cancel.abort();
    },
  });
  expect([exit, output]).toEqual([{ exitCode: 7 }, "up\nsignalled\n"]);
});

test("runs no command that was cancelled before its start", async () => {
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

test("says why a command cannot be started", async () => {
  const nothing = "Nothing was run.";
  for (const [command, why] of [
    ["echo \0", "it holds a character that no command can have"],
    [["echo", "\uD800"], "it holds a character that no command can have"],
    [[], "no program is named"],
    [[""], "no program is named"],
    [`: ${"x".repeat(4_000_000)}`, "it is too long for the system (E2BIG)"],
    [["true", ...Array.from({ length: 200_000 }, () => "argument")], "it is too long for the system (E2BIG)"],
    [["no-such-program", "x"], 'there is no program "no-such-program" (ENOENT)'],
    [["/etc/passwd"], '"/etc/passwd" may not be run (EACCES)'],
    [["/etc/passwd/x"], 'there is no program "/etc/passwd/x" (ENOTDIR)'],
  ] as const)
    expect(await failureOf(run(command))).toContain(
      `ToolFailure: The command could not be started: ${why}. ${nothing} `,
    );
});

test("runs a list of words as it is, without a shell", async () => {
  const odd = ["$HOME", "a b", "; touch PWNED", "`id`", "*", "", "-n", "é\n😀"];
  expect((await run(["printf", "<%s>", ...odd])).output).toBe(odd.map((word) => `<${word}>`).join(""));
  const { root, workspace } = await aWorkspace();
  const options = { signal: new AbortController().signal, onOutput: () => {} };
  expect(await failureOf(workspace.runCommand(["ls; touch PWNED"], options))).toContain(
    'there is no program "ls; touch PWNED" (ENOENT)',
  );
  expect(await readdir(root)).toEqual([]);
  expect(await run(["cat"])).toMatchObject({ exit: { exitCode: 0 }, output: "" });
});

test("runs a command in the given folder, with the given variables beside our environment", async () => {
  const { outside, root, workspace } = await aWorkspace({ "src/a": "", file: "" });
  await symlink(outside, join(root, "link"));
  const inFolder = async (cwd: string) => {
    let output = "";
    const onOutput = (text: string) => void (output += text);
    const env = { PLAIN: "a=b\nc", API_KEY: "given on purpose" };
    const signal = new AbortController().signal;
    await workspace.runCommand(["sh", "-c", 'pwd; pwd -P; echo "$PLAIN $API_KEY $PATH"'], {
      signal,
      cwd,
      env,
      onOutput,
    });
    return output;
  };
  const src = join(root, "src");
  expect(await inFolder(src)).toBe(`${src}\n${src}\na=b\nc given on purpose ${process.env["PATH"]}\n`);
  expect(await inFolder("/")).toMatch(/^\/\n\/\n/);
  expect(await failureOf(inFolder(join(root, "none")))).toBe(
    `ToolFailure: The command could not be started in ${root}/none: nothing is there (ENOENT). Nothing was run. Give a folder that exists.`,
  );
  expect(await failureOf(inFolder(join(root, "file")))).toContain("a part of the path is a file");
  expect(await failureOf(inFolder(join(root, "link")))).toContain("a link was put in its way");
  expect(await failureOf(run("true", { env: { "A=B": "x" } }))).toContain(
    "a variable has a name that none can have",
  );
});

test("ends a shell with two sleeps at once on a cancel", async () => {
  const { root, workspace } = await aWorkspace();
  const cancel = new AbortController();
  const command = ["sh", "-c", "sleep 1000 & echo $! > one; sh -c 'echo $$ > two; echo up; exec sleep 1000'"];
  const running = workspace.runCommand(command, { signal: cancel.signal, onOutput: () => cancel.abort() });
  expect(await running).toEqual({ signal: "SIGTERM" });
  for (const name of ["one", "two"]) expect(await isGone(join(root, name))).toBe(true);
});

test.each([
  ["in a session of its own", "setsid sh -c 'echo $$ > far; exec sleep 1000' & "],
  ["that left its parent, too", "(setsid sh -c 'echo $$ > far; exec sleep 1000' &) ; "],
  ["that does not listen", `setsid sh -c 'trap "" TERM; echo $$ > far; while :; do sleep 0.1; done' & `],
  [
    "without our mark that does not listen",
    `env -i setsid sh -c 'trap "" TERM; echo $$ > far; while :; do sleep 0.1; done' & `,
  ],
  ["without our mark", "env -i setsid sh -c 'echo $$ > far; exec sleep 1000' & "],
])("ends on cancel also a process %s", async (_, far) => {
  const { root, workspace } = await aWorkspace();
  const cancel = new AbortController();
  await workspace.runCommand(`${far} while ! test -s far; do sleep 0.02; done; echo up; sleep 1000`, {
    signal: cancel.signal,
    onOutput: () => cancel.abort(),
  });
  expect(await isGone(join(root, "far"))).toBe(true);
});

test("ends only what the command started on a cancel", async () => {
  const { workspace } = await aWorkspace();
  const [one, other] = [new AbortController(), new AbortController()];
  let otherIsUp = () => {};
  const up = new Promise<void>((resolve) => (otherIsUp = resolve));
  const stays = workspace.runCommand("echo up; sleep 0.5; echo alive", {
    signal: other.signal,
    onOutput: otherIsUp,
  });
  await up;
  await workspace.runCommand("echo up; sleep 1000", { signal: one.signal, onOutput: () => one.abort() });
  expect(await stays).toEqual({ exitCode: 0 });
});

test("leaves no descriptor and no process behind after a hundred commands", async () => {
  const { workspace } = await aWorkspace();
  const mine = () => ({
    descriptors: readdirSync("/proc/self/fd").length,
    children: readFileSync(`/proc/self/task/${process.pid}/children`, "utf8"),
  });
  const once = async (number: number) => {
    const cancel = new AbortController();
    const options = { signal: cancel.signal, onOutput: () => number % 3 === 0 && cancel.abort() };
    const command = [["true"], ["no-such-program"], "echo up; exec sleep 0.01"][number % 3] ?? "";
    await workspace.runCommand(command, options).catch(() => undefined);
  };
  await once(2);
  const before = mine();
  const count = process.env["TOOLGATE_LONG"] ? 10_000 : 100;
  for (let number = 0; number < count; number += 2) await Promise.all([once(number), once(number + 1)]);
  expect(mine()).toEqual(before);
}, 600_000);

test("streams endless output without keeping it", async () => {
  const { workspace } = await aWorkspace();
  const before = process.memoryUsage().rss;
  let length = 0;
  const onOutput = (text: string) => void (length += text.length);
  await workspace.runCommand("head -c 300000000 /dev/zero", {
    signal: new AbortController().signal,
    onOutput,
  });
  expect(length).toBe(300_000_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(128 * 1024 * 1024);
});

function refuse(): never {
  throw new Error("the ledger is gone");
}

test("ends the command and reports the error when its output cannot be passed on", async () => {
  const { root, workspace } = await aWorkspace();
  const running = workspace.runCommand("echo $$ > pid; echo up; sleep 60", {
    signal: new AbortController().signal,
    onOutput: refuse,
  });
  await expect(running).rejects.toThrow("the ledger is gone");
  expect(await isGone(join(root, "pid"))).toBe(true);
});

test("passes our environment to a command, without our keys", async () => {
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
