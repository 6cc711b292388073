/**
 * Finds out from a command's output whether it failed because of a call of the system that the filter refuses (sockets of
 * files, tracing other processes, rights of a file's owner), or because `/tmp` is full. The filter says no more than "not
 * permitted".
 */
import type { SandboxRefusal } from "../../call/index.js";

const MAX_LINES = 2_000;
const NOT_PERMITTED = /Operation not permitted|\bEPERM\b/i;
const OF_TRACING = /\bptrace\b|\bPTRACE_/;
/** A leak check traces its own process, and reports no more than this. */
const LEAK_CHECK = /LeakSanitizer (?:has encountered a fatal error|does not work under ptrace)/;
/** A change of the permissions of a file or folder that has, or should get, its owner's or group's rights. */
const OF_RIGHTS = /^(?:chmod|mkdir|install|cp|tar)\b.*(?:chang(?:e|ing) permissions of|Cannot change mode)/i;
const DISK_FULL = /No space left on device|\bENOSPC\b/i;
/** The name of the call, or of a socket; not a part of another path. */
const OF_SOCKET =
  /(?<![\w/.-])(?:listen|connect(?:ing)?|bind|dial|socket|unix_listener)(?![\w/-])|\.sock(?:et)?(?![\w.])/i;
/** An address of a network: sockets of networks are not refused, and packets are counted elsewhere. */
const OF_NETWORK = /\b\d{1,3}(?:\.\d{1,3}){3}\b|\[[\da-f:]*\]:\d/i;
/** Node says so when a call on a file failed. */
const OF_FILE = /operation not permitted, (?!listen|connect|bind|socket)\w/i;
/** Python names the call only in the lines of its stack before the error. */
const OF_PYTHON = /^PermissionError: \[Errno 1\] Operation not permitted$/;
const STACK_LINES = 2;

const SOCKET: SandboxRefusal = {
  type: "system",
  text: "The sandbox refuses sockets of files (Unix sockets), and the command tried to use one.",
};
const TRACING: SandboxRefusal = {
  type: "system",
  text: "The sandbox lets no process trace another one, and the command tried to.",
};

const RIGHTS: SandboxRefusal = {
  type: "system",
  text: "The sandbox lets no command set the rights of an owner or a group (set-user-id, set-group-id), also not on a folder that has them.",
};
const SMALL_DISK: SandboxRefusal = {
  type: "system",
  text: "The sandbox has a /tmp of its own, which takes 1 GiB and was full.",
};

export function systemRefusals(output: string): readonly SandboxRefusal[] {
  const lines = output.split("\n").slice(-MAX_LINES);
  const refused = lines.flatMap((line, index) => {
    if (LEAK_CHECK.test(line)) return [TRACING];
    if (DISK_FULL.test(line) && line.includes("/tmp")) return [SMALL_DISK];
    if (!NOT_PERMITTED.test(line)) return [];
    if (OF_TRACING.test(line)) return [TRACING];
    if (OF_RIGHTS.test(line)) return [RIGHTS];
    const stack = OF_PYTHON.test(line) ? lines.slice(Math.max(0, index - STACK_LINES), index) : [];
    return isOfSocket(line) || stack.some((one) => one.includes("socket")) ? [SOCKET] : [];
  });
  return [...new Set(refused)];
}

function isOfSocket(line: string): boolean {
  // Names of files are mostly quoted.
  const said = line.replaceAll(/(["'`]).*?\1/g, "");
  return OF_SOCKET.test(said) && !OF_NETWORK.test(line) && !OF_FILE.test(line);
}
