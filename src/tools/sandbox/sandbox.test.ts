import { readdirSync, readFileSync } from "node:fs";
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { git } from "../git/repository.samples.js";
import { LocalWorkspace } from "../local-workspace.js";
import { NoSandbox } from "./no-sandbox.js";
import { openSandbox } from "./sandbox.js";
import { openSandboxFolder } from "./sandbox-folder.js";
import type { Sandbox } from "./sandbox.js";
import { aWorkspace, failureOf } from "../tools.samples.js";
import type { CommandOptions } from "../workspace.js";

/** Opened once: each opening tests the sandbox. */
const opened = new Map<boolean, Promise<Sandbox>>();
function opening(network = false): Promise<Sandbox> {
  const sandbox = opened.get(network) ?? openSandbox({ network });
  opened.set(network, sandbox);
  return sandbox;
}

async function sandboxed(network = false) {
  const { outside, root } = await aWorkspace({ "a.txt": "inside" });
  const workspace = await LocalWorkspace.open(root, { sandbox: await opening(network) });
  const run = async (command: string | readonly string[], options: Partial<CommandOptions> = {}) => {
    let output = "";
    const onOutput = (text: string) => void (output += text);
    const signal = new AbortController().signal;
    const exit = await workspace.runCommand(command, { signal, onOutput, ...options });
    return { exit, output };
  };
  return { outside, root, run, workspace };
}

test("a command in the sandbox works in the workspace, also where that lies in /tmp", async () => {
  const { root, run } = await sandboxed();
  expect(await run("pwd; cat a.txt; mkdir -p x; echo new > x/b.txt; exit 4")).toEqual({
    exit: { exitCode: 4 },
    output: `${root}\ninside`,
  });
  expect(await readFile(join(root, "x/b.txt"), "utf8")).toBe("new\n");
  expect((await run(["printf", "<%s>", "$HOME", "; id"])).output).toBe("<$HOME><; id>");
});

test("nothing outside of the workspace can be written", async () => {
  const { outside, run } = await sandboxed();
  // A place that is not in /tmp, where anyone may write.
  const open = await realpath(await mkdtemp("/var/tmp/toolgate-sandbox-"));
  onTestFinished(() => rm(open, { recursive: true }));
  await chmod(open, 0o777);
  await writeFile(join(open, "file"), "kept");
  await mkdir(join(outside, "more"));
  const { output } = await run(
    `for place in ${open}/new ${open}/file /etc/toolgate-test ${process.cwd()}/toolgate-test; do (echo x > $place) 2>/dev/null && echo "wrote $place"; done; rm ${open}/file 2>/dev/null && echo removed; mount -o remount,rw / 2>/dev/null && echo remounted; true`,
  );
  expect(output).toBe("");
  expect(await readdir(open)).toEqual(["file"]);
  // This /tmp is its own: nothing that is written there is ever seen outside.
  await run(`mkdir -p ${outside}/more; echo x > ${outside}/more/x; echo x > /tmp/toolgate-test-x`);
  expect(await readdir(join(outside, "more"))).toEqual([]);
  expect(await readdir("/tmp")).not.toContain("toolgate-test-x");
});

test("a cache belongs to one workspace, and agents have another one", async () => {
  const [one, other] = [await sandboxed(), await sandboxed()];
  const look = "cat ~/.cache/left 2>/dev/null || echo nothing";
  await one.run("echo mine >~/.cache/left");
  expect((await one.run(look)).output).toBe("mine\n");
  expect((await other.run(look)).output).toBe("nothing\n");
  const { caches } = openSandboxFolder();
  expect(caches.of([one.root], true)).not.toBe(caches.of([one.root], false));
});

test("a command that ran cannot say that it was not started", async () => {
  const { run } = await sandboxed();
  const command =
    'trap "" PIPE; for f in /proc/[0-9]*/fd/*; do for said in missing there; do echo "mounts $said" >$f; done; done 2>/dev/null; echo ran >b.txt; exit 1';
  const { exit, output } = await run(command);
  expect([exit, output]).toEqual([{ exitCode: 1 }, ""]);
});

test("the descriptor by which the sandbox reports leads to no file", async () => {
  const { run } = await sandboxed();
  const { output } = await run("stat -L -c %F /proc/[0-9]*/fd/* 2>/dev/null");
  expect(output).toContain("fifo");
  expect(output).not.toContain("regular");
});

test("all folders of the workspace can be written, one inside of another too", async () => {
  const { outside, root } = await aWorkspace({ "inner/a": "" });
  await mkdir(join(outside, "more"));
  const roots = [join(root, "inner"), join(outside, "more")];
  const workspace = await LocalWorkspace.open(root, { roots, sandbox: await opening() });
  const exit = await workspace.runCommand("touch b inner/b ../more/b", {
    signal: new AbortController().signal,
    onOutput: () => {},
  });
  expect(exit).toEqual({ exitCode: 0 });
  expect(await readdir(join(outside, "more"))).toEqual(["b"]);
});

test("a pack that is too large to be copied for an undo can only be read", async () => {
  const { root, run } = await sandboxed();
  git(root, "init", "-q");
  git(root, "add", "-A");
  git(root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one");
  git(root, "gc", "-q");
  const pack = ".git/objects/pack/pack-0123456789.pack";
  await writeFile(join(root, pack), "large");
  await truncate(join(root, pack), 257 * 1024 * 1024);
  const { output } = await run(
    `for act in "chmod u+w" "mv -f a.txt" "rm -f" "truncate -s0"; do $act ${pack} 2>/dev/null && echo "$act"; done; mv .git/objects/pack .git/objects/moved 2>/dev/null && echo moved; echo b > b.txt; git add b.txt && (git gc -q && git repack -q -a -d) 2>/dev/null && git status --short`,
  );
  expect(output).toBe("A  b.txt\n");
  expect((await stat(join(root, pack))).size).toBe(257 * 1024 * 1024);
});

test("other processes are neither seen nor reached", async () => {
  const { run } = await sandboxed();
  const { output } = await run(
    `kill -0 ${process.pid} 2>/dev/null && echo reached; ls /proc | grep -c '^[0-9]'`,
  );
  expect(Number(output)).toBeLessThan(8);
});

test("the sockets of the services outside are not there", async () => {
  const { run } = await sandboxed();
  expect((await run("ls -A /run; find /run /var /tmp -type s")).output).toBe("");
});

test("no pair of sockets can send to a socket file", async () => {
  const { run } = await sandboxed();
  const pair = (type: string): string =>
    `perl -MSocket -e 'print socketpair(my $a, my $b, AF_UNIX, ${type}, 0) ? "made " : "refused "'; `;
  const types = ["SOCK_STREAM", "SOCK_SEQPACKET", "SOCK_DGRAM", "SOCK_DGRAM | SOCK_CLOEXEC", "SOCK_RAW"];
  expect((await run(types.map(pair).join(""))).output).toBe("made made refused refused refused ");
});

test("there is no network unless it was asked for", async () => {
  const server = createServer((_, response) => response.end("hello")).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  try {
    // The server's own address: a TCP server always has one of this form.
    const { port } = server.address() as AddressInfo;
    const fetching = [
      process.execPath,
      "-e",
      `fetch("http://127.0.0.1:${port}").then((r) => r.text()).then(console.log, () => console.log("none"))`,
    ];
    expect((await (await sandboxed()).run(fetching)).output).toBe("none\n");
    expect((await (await sandboxed(true)).run(fetching)).output).toBe("hello\n");
  } finally {
    server.close();
  }
});

test("a command finds its machine's own name, and no server of names on the loopback", async () => {
  const { run } = await sandboxed();
  expect((await run("getent hosts $(hostname)")).output).toMatch(/^127\.0\.0\.1\s+sandbox/);
  // A refused question to the loopback would look like a server that is not started, not like a missing network.
  expect((await run("cat /etc/resolv.conf")).output).toMatch(/^nameserver 192\.0\.2\.1\n(?!.*nameserver)/);
  expect((await (await sandboxed(true)).run("cat /etc/resolv.conf")).output).toBe(
    await readFile("/etc/resolv.conf", "utf8").catch(() => ""),
  );
});

test("a cancel leaves nothing of the sandbox behind", async () => {
  const { run } = await sandboxed();
  const cancel = new AbortController();
  const name = `toolgate-${process.pid}-${Date.now()}`;
  const script = `trap "" TERM; echo up; while :; do sleep 0.1; done # ${name}`;
  const started = performance.now();
  await run(`setsid sh -c '${script}' & sh -c '${script}'`, {
    signal: cancel.signal,
    onOutput: () => cancel.abort(),
  });
  expect(performance.now() - started).toBeLessThan(60_000);
  const left = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && commandLine(pid).includes(name));
  expect(left).toEqual([]);
});

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

test("a command in the sandbox can have a terminal", async () => {
  const { run } = await sandboxed();
  const { exit, output } = await run("test -t 1 && stty size", { pty: { columns: 90, rows: 20 } });
  expect([exit, output]).toEqual([{ exitCode: 0 }, "20 90\r\n"]);
});

test("a workspace that is the whole disk cannot be held in a sandbox", async () => {
  const workspace = await LocalWorkspace.open("/", { sandbox: await opening() });
  const running = workspace.runCommand("true", { signal: new AbortController().signal, onOutput: () => {} });
  expect(await failureOf(running)).toContain("a sandbox around that would confine nothing. Nothing was run.");
});

test("a variable that is set for the command holds inside only, and cannot change the sandbox itself", async () => {
  const { root, run } = await sandboxed();
  const env = { PATH: `${root}:/usr/bin:/bin`, LD_PRELOAD: "/nowhere/evil.so", GREETING: "hello\nworld" };
  await writeFile(join(root, "bwrap"), "#!/bin/sh\necho fooled\n");
  await chmod(join(root, "bwrap"), 0o755);
  const { output } = await run('echo "$GREETING"; echo "$PATH"', { env });
  expect(output).toContain(`hello\nworld\n${root}:/usr/bin:/bin\n`);
  expect(output).not.toContain("fooled");
  // The loader complains once for each program that has the variable, the shell around the command being one: the shell, and not bwrap.
  expect(output.split("evil.so").length - 1).toBe(2);
  expect(await failureOf(run("true", { env: { "A=B": "" } }))).toContain("a name that none can have");
});

/** Like a folder that is a link just when bubblewrap opens it: the one in the file `swap` is taken from the second folder. */
const SWAPPING = `#!/bin/sh
place=$(dirname "$0")
[ -e "$place/swap" ] || exec /usr/bin/bwrap "$@"
read -r folder other <"$place/swap"
left=$#
while [ $left -gt 0 ]; do
  case "$before $1" in "--bind $folder"|"--ro-bind $folder") set -- "$@" "$other" ;; *) set -- "$@" "$1" ;; esac
  before=$1; shift; left=$((left - 1))
done
exec /usr/bin/bwrap "$@"
`;

test.each(["sub", "sub/.vscode"])("starts nothing when %s was another folder for a moment", async (name) => {
  const { outside, root } = await aWorkspace({ "sub/.vscode/a": "", "a.txt": "inside" });
  const place = await realpath(await mkdtemp(join(tmpdir(), "toolgate-swap-")));
  onTestFinished(() => rm(place, { recursive: true }));
  const program = join(place, "bwrap");
  await writeFile(program, SWAPPING, { mode: 0o755 });
  const workspace = await LocalWorkspace.open(root, { sandbox: await openSandbox({ program }) });
  const run = async (): Promise<string> => {
    let output = "";
    const onOutput = (text: string) => void (output += text);
    await workspace.runCommand("cat a.txt", { signal: new AbortController().signal, onOutput });
    return output;
  };
  expect(await run()).toBe("inside");
  await writeFile(join(place, "swap"), `${join(root, name)} ${outside}\n`);
  // The first may find a sandbox that was made before.
  await run();
  expect(await run()).toMatch(/^\[The command was not started: the workspace changed/);
});

test("a folder of the workspace that a command swaps for a link leads nowhere new", async () => {
  const { outside, root } = await aWorkspace({ "a/inner/x": "" });
  const open = await realpath(await mkdtemp("/var/tmp/toolgate-sandbox-"));
  onTestFinished(() => rm(open, { recursive: true }));
  const roots = [join(root, "a/inner")];
  const workspace = await LocalWorkspace.open(root, { roots, sandbox: await opening() });
  const options = { signal: new AbortController().signal, onOutput: () => {} };
  await workspace.runCommand(`mv a b; mkdir a; ln -s ${relative(join(root, "a"), open)} a/inner`, options);
  await workspace.runCommand("echo x > a/inner/escaped", options);
  expect(await readdir(open)).toEqual([]);
  expect(await readdir(outside)).toEqual(["ws"]);
});

test("says so and runs nothing when bubblewrap is missing or broken", async () => {
  const { root } = await aWorkspace({
    bwrap: "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n",
  });
  await chmod(join(root, "bwrap"), 0o755);
  const missing = openSandbox({ program: join(root, "none") });
  await expect(missing).rejects.toThrow(NoSandbox);
  await expect(missing).rejects.toThrow(
    "There is no sandbox: bubblewrap (bwrap) is not installed. Nothing was run. Install it, or continue without a sandbox.",
  );
  await expect(openSandbox({ program: join(root, "bwrap") })).rejects.toThrow(
    "does not work here (bwrap: No permissions to create new namespace).",
  );
});
