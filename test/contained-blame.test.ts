/** Whether the result of a contained command says when the sandbox was in its way: real programs in a real sandbox. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LocalWorkspace, NoSandbox, openSandbox } from "../src/tools/index.js";
import { childProgram } from "./child-programs.js";
import { git } from "../src/tools/git/repository.samples.js";
import { systemRefusals } from "../src/tools/sandbox/system-refusals.js";
import { aWorkspace } from "../src/tools/tools.samples.js";

const containing = await openSandbox().catch((error: unknown) => {
  if (error instanceof NoSandbox) return undefined;
  throw error;
});

async function contained(root: string, command: string, cwd = root): Promise<string> {
  const workspace = await LocalWorkspace.open(root, { ...(containing && { containing }) });
  let output = "";
  const { exitCode } = await workspace.runCommand(command, {
    signal: new AbortController().signal,
    onOutput: (text) => void (output += text),
    contained: { guards: [] },
    cwd,
  });
  expect(exitCode).not.toBe(0);
  return output;
}

const AGAIN = "make the same call again at once";

test.skipIf(!containing).each([
  ["add -A", "", ".env"],
  ["stash -u", "", ".env"],
  ["add .", "a folder", "a folder/.env"],
  ["commit -qam more", "", "tracked/.env"],
])("names the hidden file when git %s fails because of it", async (act, folder, secret) => {
  const { root } = await aWorkspace({ "a.txt": "a" });
  for (const name of ["a folder", "tracked"]) mkdirSync(join(root, name));
  writeFileSync(join(root, "tracked/.env"), "K=1");
  git(root, "init", "-q");
  git(root, "add", "-A");
  git(root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one");
  writeFileSync(join(root, secret), "K=secret");
  writeFileSync(join(root, "b.txt"), "b");
  const output = await contained(root, `git -c user.name=a -c user.email=a@b ${act}`, join(root, folder));
  expect(output).toContain(`The sandbox hides ${join(root, secret)}, and the command tried to open it.`);
  expect(output).toContain(AGAIN);
  expect(execFileSync("git", ["log", "--oneline"], { cwd: root, encoding: "utf8" }).split("\n")).toHaveLength(
    2,
  );
});

const has = (program: string): boolean => ["/usr/bin", "/bin"].some((at) => existsSync(join(at, program)));

const SOCKET = "The sandbox refuses sockets of files (Unix sockets), and the command tried to use one.";
const TRACING = "The sandbox lets no process trace another one, and the command tried to.";
const RIGHTS =
  "The sandbox lets no command set the rights of an owner or a group (set-user-id, set-group-id), also not on a folder that has them.";
const FULL = "The sandbox has a /tmp of its own, which takes 1 GiB and was full.";
const MANAGER = "import multiprocessing as m\nif __name__ == '__main__': m.Manager()";

test.skipIf(!containing).each([
  ["node", `node -e 'require("net").createServer().listen("/tmp/a.sock")'`, SOCKET],
  ["node", `node -e 'require("net").connect("/var/run/docker.sock")'`, SOCKET],
  ["python3", `printf "%s" "${MANAGER}" >m.py; python3 m.py`, SOCKET],
  ["tmux", "tmux -L toolgate-test new -d true", SOCKET],
  ["perl", `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) or die "socket: $!"'`, SOCKET],
  ["gdb", "gdb -batch -ex run /bin/true", TRACING],
  ["strace", "strace true", TRACING],
  ["gcc", "echo 'int main(){return 0;}' >a.c; gcc -fsanitize=address a.c && ./a.out", TRACING],
  ["chmod", "mkdir shared; chmod g+s shared", RIGHTS],
  ["mkdir", "mkdir -m 2775 shared", RIGHTS],
  ["dd", "dd if=/dev/zero of=/tmp/big bs=1M count=1030", FULL],
])("says that the system refuses it when %s runs: %s", async (program, command, text) => {
  // Not every machine has each of them.
  if (program !== "node" && !has(program)) return;
  const { root } = await aWorkspace();
  const output = await contained(root, command);
  expect(output).toContain(text);
  expect(output).toContain(AGAIN);
});

test.each([
  "listen unix /tmp/a.sock: socket: operation not permitted",
  "dial unix /var/run/docker.sock: socket: operation not permitted",
  "error connecting to /tmp/tmux-1000/default (Operation not permitted)",
  'psql: error: connection to server on socket "/var/run/x" failed: could not create socket: Operation not permitted',
  "unix_listener: socket: Operation not permitted",
])("takes a line for one about a socket of a file: %s", (line) => {
  expect(systemRefusals(`one\n${line}\n`).map(({ text }) => text)).toEqual([SOCKET]);
});

test.each([
  "chown: changing ownership of 'socket/connect': Operation not permitted",
  "Error: EPERM: operation not permitted, chmod 'src/socket/listen'",
  "Error: EPERM: operation not permitted, open src/listen",
  "chmod: src/socket/listen: Operation not permitted",
  "Error: connect EPERM 10.0.0.1:443",
  "bind: Address already in use",
  'PermissionError: [Errno 1] Operation not permitted: "socket"',
])("takes no line for one about a socket of a file: %s", (line) => {
  expect(systemRefusals(`Traceback\n${line}\n`)).toEqual([]);
});

const DIFFERENCE = `AssertionError: expected 'Permission denied: /etc/shadow' to equal 'ok'

- Expected
+ Received
- ok
+ Permission denied: /etc/shadow
`;

test.skipIf(!containing)("is not blamed for an error in a text that a test compared", async () => {
  const { root } = await aWorkspace({ out: DIFFERENCE });
  expect(await contained(root, "cat out; exit 1")).toBe(DIFFERENCE);
  // The error itself still counts.
  expect(await contained(root, "cat out /etc/shadow")).toContain("The sandbox hides /etc/shadow");
});

test.skipIf(!containing)(
  "is not blamed for a file that an ordinary user may not open outside either",
  async () => {
    if (process.getuid?.() !== 0) return;
    const { root, outside } = await aWorkspace();
    execFileSync("chown", ["-R", "65534:65534", join(root, ".."), outside]);
    const program = [process.execPath, childProgram("contained-command.mjs"), root, join(outside, "state")];
    const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    const [first, ...words] = [...asNobody, ...program, "cat /etc/shadow"];
    const env = { PATH: process.env["PATH"], HOME: outside };
    const output = execFileSync(first, words, { env, encoding: "utf8" });
    expect(output).toMatch(/^cat: \/etc\/shadow: Permission denied\n$/);
  },
);
