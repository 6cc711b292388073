import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { startChild, startChildWithStdin } from "./child.js";
import type { Child } from "./child.js";
import { collectOutput } from "./collect-output.js";
import { exitReport } from "./exit-report.js";
import { TailBuffer } from "./tail-buffer.js";

const env = process.env;

function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Reads the pids that the program prints, one a line. */
async function printedPids(child: Pick<Child, "stdout">, count: number): Promise<readonly number[]> {
  let text = "";
  child.stdout.on("data", (bytes: Buffer) => (text += bytes.toString()));
  return vi.waitFor(() => {
    const pids = text.split("\n").slice(0, -1).map(Number);
    expect(pids).toHaveLength(count);
    return pids;
  }, 60_000);
}

test.each([
  ["its child", "sleep 300 & echo $!; wait", 60_000],
  ["a child in a session of its own", "setsid sh -c 'echo $$; exec sleep 300' & wait", 60_000],
  ["an orphan in a session of its own", "(setsid sh -c 'echo $$; exec sleep 300' &); sleep 300", 60_000],
  ["a child that ignores SIGTERM", "(trap '' TERM; sh -c 'echo $$; sleep 300; sleep 300') & wait", 1_000],
])("ends %s", async (_, script, graceMs) => {
  const child = startChild(["/bin/sh", "-c", script], { env });
  const pids = await printedPids(child, 1);
  expect(pids.filter(isAlive)).toEqual(pids);
  await child.tree?.end({ graceMs });
  expect(pids.filter(isAlive)).toEqual([]);
  expect(await child.exit).toEqual({ signal: "SIGTERM" });
});

test("ends what is left of a tree whose leader has exited", async () => {
  const child = startChild(["/bin/sh", "-c", "setsid sh -c 'echo $$; exec sleep 300' & exit 3"], { env });
  const pids = await printedPids(child, 1);
  expect(await child.exit).toEqual({ exitCode: 3 });
  await child.tree?.end({ graceMs: 0 });
  expect(pids.filter(isAlive)).toEqual([]);
});

test("passes bytes to stdin and back", async () => {
  const child = startChildWithStdin(["cat"], { env });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (bytes: Buffer) => chunks.push(bytes));
  child.stdin.end(Buffer.from([0, 255, 10, 195]));
  await child.closed;
  expect(Buffer.concat(chunks)).toEqual(Buffer.from([0, 255, 10, 195]));
  expect(await child.exit).toEqual({ exitCode: 0 });
  child.tree?.release();
});

test("rejects the start of a program that does not exist", async () => {
  const child = startChild(["/no/such/program"], { env });
  await expect(child.started).rejects.toMatchObject({ code: "ENOENT" });
  await expect(child.exit).rejects.toMatchObject({ code: "ENOENT" });
  expect(child.tree).toBeUndefined();
});

test("captures the exit and both outputs", async () => {
  const argv = ["/bin/sh", "-c", "echo out; echo err >&2; exit 4"] as const;
  expect(await collectOutput(argv, { env, timeoutMs: 10_000 })).toEqual({
    exit: { exitCode: 4 },
    stdout: Buffer.from("out\n"),
    stderr: "err\n",
  });
});

test("kills a program that exceeds its time, with its tree", async () => {
  const argv = ["/bin/sh", "-c", "setsid sh -c 'echo $$; exec sleep 300' & sleep 300"] as const;
  const { exit, stdout } = await collectOutput(argv, { env, timeoutMs: 500 });
  expect(exit).toEqual({ signal: "SIGKILL" });
  expect(isAlive(Number(stdout))).toBe(false);
});

test("keeps the last bytes of a stream", () => {
  const tail = new TailBuffer(5);
  for (const text of ["one", "two", "", "three!"]) tail.add(Buffer.from(text));
  expect(tail.text).toBe("hree!");
  tail.add(Buffer.from("4"));
  expect(tail.text).toBe("ree!4");
});

test("reports the exit and the last lines of stderr", () => {
  expect(exitReport(undefined, "")).toBe("");
  expect(exitReport({ exitCode: 3 }, "")).toBe("it ended with code 3");
  expect(exitReport({ signal: "SIGKILL" }, "\n\na\n \nb\n")).toBe(
    "it was ended by SIGKILL and last wrote to stderr:\na\nb",
  );
  expect(exitReport(undefined, "a\n")).toBe("it last wrote to stderr:\na");
});
