/**
 * The filter of system calls that bubblewrap installs before it starts a command (seccomp, classic BPF).
 *
 * The filter refuses what leads out of a sandbox or into other processes: namespaces, mounts, tracing, keys, kernel
 * modules; sockets other than those of the network, which is the sandbox's own; keys pressed for a terminal; leases of
 * files; and files that run with their owner's rights. A call that the filter does not name passes.
 */
import type { ModeCall, SystemCalls } from "./system-calls.js";

/** A check of one call; a check that objects gives the answer, and one that does not goes on to the next. */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number];

const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const KEEP_BITS = 0x54;
const RETURN = 0x06;

/** Offsets in the kernel's `seccomp_data`; of an argument only the lower half counts here. */
const NUMBER_AT = 0;
const AUDIT_AT = 4;
const argumentAt = (position: number): number => 16 + 8 * position;

const ALLOW = 0x7fff0000;
const REFUSE_EPERM = 0x00050001;
const REFUSE_ENOSYS = 0x00050026;

/** CLONE_NEW…: time, mount, cgroup, uts, ipc, user, pid and network namespaces. */
const NEW_NAMESPACE =
  0x00000080 | 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000;
/** TIOCSTI types into the terminal, TIOCLINUX pastes into it, TIOCSETD changes its line discipline. */
const TERMINAL_REQUESTS = [0x5412, 0x541c, 0x5423];
/** F_SETLEASE: a program outside that saves the file waits, up to 45 seconds each time. */
const LEASE = 1024;
/** AF_INET, AF_INET6, AF_NETLINK. Not AF_UNIX: a socket file leads to a service outside, without any network. */
const NETWORK_FAMILIES = [2, 10, 16];
/** SOCK_STREAM and SOCK_SEQPACKET. One of datagrams sends to any socket file, though it was made as one of a pair. */
const PAIR_TYPES = [1, 5];
/** The type itself: the bits above are flags. */
const SOCKET_TYPE = 0xf;
/** S_ISUID and S_ISGID. */
const OWNER_RIGHTS = 0o6000;
/** O_CREAT and O_TMPFILE: without them the mode is whatever the register held. */
const MAKES_A_FILE = 0x00000040 | 0x00400000;

/** The filter's bytes, as the kernel reads them. */
export function seccompFilter(calls: SystemCalls): Uint8Array {
  const { audit, secondConvention, clone, ioctl, fcntl, socket, socketPair, setsMode, absent, refused } =
    calls;
  const checks: readonly (readonly Instruction[])[] = [
    ...(secondConvention === undefined ? [] : [when([IF_AT_LEAST, secondConvention])]),
    ...absent.map((number) => when([IF_EQUAL, number], REFUSE_ENOSYS)),
    ...refused.map((number) => when([IF_EQUAL, number])),
    checkArgument(clone, 0, [[IF_ANY_BIT, NEW_NAMESPACE >>> 0]]),
    checkArgument(
      ioctl,
      1,
      TERMINAL_REQUESTS.map((request) => [IF_EQUAL, request] as const),
    ),
    checkArgument(fcntl, 1, [[IF_EQUAL, LEASE]]),
    refuseOthers(socket, { argument: 0, values: NETWORK_FAMILIES }),
    refuseOthers(socketPair, { argument: 1, bits: SOCKET_TYPE, values: PAIR_TYPES }),
    ...setsMode.map(checkMode),
  ];
  return bytesOf([
    [LOAD, 0, 0, AUDIT_AT],
    [IF_EQUAL, 1, 0, audit],
    [RETURN, 0, 0, REFUSE_EPERM],
    [LOAD, 0, 0, NUMBER_AT],
    ...checks.flat(),
    [RETURN, 0, 0, ALLOW],
  ]);
}

type Test = readonly [code: number, operand: number];

/** Answers where the test of the loaded value passes; goes on to the next check elsewhere. */
function when([code, operand]: Test, answer = REFUSE_EPERM): readonly Instruction[] {
  return [
    [code, 0, 1, operand],
    [RETURN, 0, 0, answer],
  ];
}

/** Refuses this call when one of the tests holds for its argument. */
function checkArgument(number: number, argument: number, tests: readonly Test[]): readonly Instruction[] {
  const body: readonly Instruction[] = [
    [LOAD, 0, 0, argumentAt(argument)],
    ...tests.flatMap((test) => when(test)),
    [RETURN, 0, 0, ALLOW],
  ];
  return [[IF_EQUAL, 0, body.length, number], ...body];
}

type Allowed = { readonly argument: number; readonly bits?: number; readonly values: readonly number[] };

/** Refuses this call unless its argument, or the named bits of it, has one of the values. */
function refuseOthers(number: number, { argument, bits, values }: Allowed): readonly Instruction[] {
  const body: readonly Instruction[] = [
    [LOAD, 0, 0, argumentAt(argument)],
    ...(bits === undefined ? [] : [[KEEP_BITS, 0, 0, bits] as const]),
    ...values.flatMap((value) => when([IF_EQUAL, value], ALLOW)),
    [RETURN, 0, 0, REFUSE_EPERM],
  ];
  return [[IF_EQUAL, 0, body.length, number], ...body];
}

/** Refuses permission bits that give a file its owner's rights. */
function checkMode({ call, mode, flags }: ModeCall): readonly Instruction[] {
  const onMode = [[LOAD, 0, 0, argumentAt(mode)], ...when([IF_ANY_BIT, OWNER_RIGHTS])] as const;
  const body: readonly Instruction[] =
    flags === undefined
      ? onMode
      : [[LOAD, 0, 0, argumentAt(flags)], [IF_ANY_BIT, 0, onMode.length, MAKES_A_FILE], ...onMode];
  return [[IF_EQUAL, 0, body.length + 1, call], ...body, [RETURN, 0, 0, ALLOW]];
}

const INSTRUCTION_BYTES = 8;

function bytesOf(program: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(program.length * INSTRUCTION_BYTES);
  // Not a Buffer, whose checks of each number would be compiled at every start.
  const view = new DataView(bytes.buffer);
  program.forEach(([code, ifTrue, ifFalse, operand], index) => {
    const at = index * INSTRUCTION_BYTES;
    view.setUint16(at, code, true);
    view.setUint8(at + 2, ifTrue);
    view.setUint8(at + 3, ifFalse);
    view.setUint32(at + 4, operand, true);
  });
  return bytes;
}
