/**
 * The shell scripts around a contained command. The first sets limits, has the system end it before others when memory
 * runs out, enters the control groups, opens the files that bubblewrap reads and writes, and becomes bubblewrap. The
 * second runs inside, starts the command and reports how many packets had nowhere to go: the network namespace is the
 * command's own, so that the kernel's counters are too.
 */
import { MAX_PROCESSES } from "./control-groups.js";

export type StartFiles = {
  /** The filter of system calls. */
  readonly filter: string;
  /** Bubblewrap reports here that the command itself ended. */
  readonly status: string;
  /** The pipe for the counters of the network. */
  readonly counters: string;
  /** The namespace of processes that the command joins; none when it is left out. */
  readonly processes?: string;
  readonly controlGroups: readonly string[];
};

const SHELL = "/bin/sh";
/** In blocks of 512 bytes: 16 GiB in one file. */
const MAX_FILE_BLOCKS = 32 * 1024 * 1024;

/** Closes descriptors whose numbers have two digits, which not every shell can. With a socket as stdin it reads `.bashrc`. */
const BASH = "/bin/bash";

/**
 * Descriptors that our own process was started with would go on into the sandbox: a folder or a connection that is open
 * leads outside, whatever is mounted. Node keeps only the first of them to itself.
 */
const OUTSIDE = `
filter=$1 status=$2 counters=$3 groups=$4 processes=$5
shift 5
ulimit -c 0
ulimit -f ${MAX_FILE_BLOCKS} 2>/dev/null
ulimit -u ${MAX_PROCESSES} 2>/dev/null || ulimit -p ${MAX_PROCESSES} 2>/dev/null
echo 800 >/proc/self/oom_score_adj 2>/dev/null
for group in $groups; do echo 0 >"$group/cgroup.procs" || exit 1; done
exec 3<&- 4<&- 5<&-
more=
for file in /proc/self/fd/*; do
  case \${file##*/} in ? | '*') ;; *) more="$more \${file##*/}<&-" ;; esac
done
if [ -n "$more" ]; then
  if (eval "exec$more") 2>/dev/null; then eval "exec$more"
  elif [ -x ${BASH} ]; then set -- ${BASH} --norc -c 'eval "exec$0"; exec "$@"' "$more" "$@"
  else echo "Descriptors are open that no program here can close:$more" >&2; exit 1
  fi
fi
exec "$@" 6<"$processes" 7<"$filter" 8>"$status" 9>"$counters"
`;

/** Reported before the command: whether it is started. */
const MOUNTS_THERE = "mounts there";
const MOUNTS_MISSING = "mounts missing";

/** A command can write here too, but only once it was started: the first word counts. */
export const wasNotStarted = (reported: string): boolean =>
  reported.split("\n").find((line) => line === MOUNTS_THERE || line === MOUNTS_MISSING) === MOUNTS_MISSING;

const COUNT = `
while read -r line; do
  case $line in Ip:*) echo "$line" ;; esac
done </proc/net/snmp >&9
`;

/** Compares the first words with the kernel's list of mounts: how many they are, and then each. */
const CHECK = `
tg_seen=
while read -r tg_a tg_a tg_device tg_root tg_point tg_options tg_a; do
  tg_seen="$tg_seen|$tg_device $tg_root $tg_point \${tg_options%%,*}|$tg_point \${tg_options%%,*}|"
done </proc/self/mountinfo
tg_left=$1; shift
while [ "$tg_left" -gt 0 ]; do
  case $tg_seen in *"|$1|"*) ;; *) echo "${MOUNTS_MISSING}" >&9; exit 1 ;; esac
  tg_left=$((tg_left - 1)); shift
done
echo "${MOUNTS_THERE}" >&9
`;

const INSIDE = `
${CHECK}
"$@" 6<&- 9>&-
code=$?
${COUNT}
exit $code
`;

/** The words that start `bubblewrap` with the descriptors that {@link DESCRIPTORS} names. */
export function startWords(
  bubblewrap: readonly string[],
  { filter, status, counters, processes = "/dev/null", controlGroups }: StartFiles,
): readonly [string, ...string[]] {
  return [
    SHELL,
    "-c",
    OUTSIDE,
    "toolgate-sandbox",
    filter,
    status,
    counters,
    controlGroups.join(" "),
    processes,
    ...bubblewrap,
  ];
}

/** Starts the script that {@link commandText} completes: reads it from stdin, and first reports that it reads. */
export const WAITING_WORDS: readonly string[] = [SHELL, "-s"];
export const READY = "ready\n";
export const WAITING_TEXT = "echo ready\n";

export type CommandOrder = {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  /** The mounts that must be there: see expectedMounts. */
  readonly mounts: readonly string[];
};

/** The text by which a shell that waits becomes the command. Undefined when a shell cannot take a variable's name. */
export function commandText({ argv, cwd, env, mounts }: CommandOrder): string | undefined {
  const variables = Object.entries(env);
  if (variables.some(([name]) => !/^[A-Za-z_]\w*$/.test(name))) return undefined;
  const lines = [
    `cd ${quoted(cwd)} || exit 1; unset OLDPWD`,
    ...variables.map(([name, value]) => `export ${name}=${quoted(value)}`),
    `set -- ${[String(mounts.length), ...mounts, ...argv].map(quoted).join(" ")}`,
    "exec </dev/null",
    INSIDE,
  ];
  // In braces: the shell reads all of it before its stdin changes.
  return `{\n${lines.join("\n")}\n}\n`;
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

export const DESCRIPTORS = { processes: "6", filter: "7", status: "8" } as const;

/** Reports that it runs, and ends with its stdin. */
export const HOLDER_COMMAND: readonly string[] = [SHELL, "-c", "echo ready; read -r line"];

/** `isShared`: others use the same network, so the counters are also reported before the command. */
export function insideWords(
  argv: readonly string[],
  mounts: readonly string[],
  isShared = false,
): readonly string[] {
  const script = isShared ? `${COUNT}${INSIDE}` : INSIDE;
  return [SHELL, "-c", script, "sh", String(mounts.length), ...mounts, ...argv];
}

/** Packets that had no route: the command wanted to reach something outside. */
export function packetsRefused(counters: string): number {
  const lines = counters.split("\n").filter((line) => line.startsWith("Ip:"));
  const at = lines[0]?.split(" ").indexOf("OutNoRoutes") ?? -1;
  // Each second line has the numbers.
  const counts = lines.filter((_, index) => index % 2 === 1).map((line) => Number(line.split(" ")[at] ?? 0));
  return (counts.at(-1) ?? 0) - (counts.length > 1 ? (counts[0] ?? 0) : 0);
}
