/**
 * The shell scripts around a contained command. The first sets limits, enters the control groups, opens the files that
 * bubblewrap reads and writes, and becomes bubblewrap. The second runs inside, starts the command and reports how many
 * packets had nowhere to go: the network namespace is the command's own, so that the kernel's counters are too.
 */
import { MAX_PROCESSES } from "./control-group.js";

export type StartFiles = {
  /** The filter of system calls. */
  readonly filter: string;
  /** Bubblewrap reports here that the command itself ended. */
  readonly status: string;
  /** The counters of the network. */
  readonly counters: string;
  readonly controlGroups: readonly string[];
};

const SHELL = "/bin/sh";
/** In blocks of 512 bytes: 16 GiB in one file. */
const MAX_FILE_BLOCKS = 32 * 1024 * 1024;

/**
 * The command reaches the descriptor of the counters through /proc, and could write a file of ours without a bound. So
 * it is a pipe, of which this much is read.
 */
const MAX_COUNTER_BYTES = 4096;

const OUTSIDE = `
filter=$1 status=$2 counters=$3 groups=$4
shift 4
ulimit -c 0
ulimit -f ${MAX_FILE_BLOCKS} 2>/dev/null
ulimit -u ${MAX_PROCESSES} 2>/dev/null || ulimit -p ${MAX_PROCESSES} 2>/dev/null
for group in $groups; do echo 0 >"$group/cgroup.procs" || exit 1; done
pipe=$counters.pipe
mkfifo -m 600 "$pipe" || exit 1
{ rm -f "$pipe"; head -c ${MAX_COUNTER_BYTES}; } <"$pipe" >"$counters" &
exec "$@" 7<"$filter" 8>"$status" 9>"$pipe"
`;

const INSIDE = `
"$@" 9>&-
code=$?
while read -r line; do
  case $line in Ip:*) echo "$line" ;; esac
done </proc/net/snmp >&9
exit $code
`;

/** The words that start `bubblewrap` with the descriptors that {@link DESCRIPTORS} names. */
export function startWords(
  bubblewrap: readonly string[],
  { filter, status, counters, controlGroups }: StartFiles,
): readonly string[] {
  return [
    SHELL,
    "-c",
    OUTSIDE,
    "toolgate-sandbox",
    filter,
    status,
    counters,
    controlGroups.join(" "),
    ...bubblewrap,
  ];
}

export const DESCRIPTORS = { filter: "7", status: "8" } as const;

export function insideWords(argv: readonly string[]): readonly string[] {
  return [SHELL, "-c", INSIDE, "sh", ...argv];
}

/** Packets that had no route: the command wanted to reach something outside. */
export function packetsRefused(counters: string): number {
  const [names = [], values = []] = counters
    .split("\n")
    .filter((line) => line.startsWith("Ip:"))
    .map((line) => line.split(" "));
  return Number(values[names.indexOf("OutNoRoutes")] ?? 0);
}
