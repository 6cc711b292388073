/** Programs that run the command in their own words. Options not listed here are doubts. */
export type Wrapper = {
  /** Options in the form that `readOptions` reads. */
  readonly options: string;
  /** Words between the options and the command: the seconds of `timeout`. */
  readonly operands?: number;
  /** `NAME=value` words may come before the command. */
  readonly assignments?: boolean;
  /** Options whose value is a shell text. */
  readonly texts?: readonly string[];
  /** The words after the options are added to such a text. */
  readonly addsWords?: boolean;
  /** Options whose value is the folder to run in. */
  readonly folder?: readonly string[];
  /** Options with which it only prints information and runs nothing. */
  readonly shows?: readonly string[];
  /** Options with which it does not wait for the command … */
  readonly leaves?: readonly string[];
  /** … or, where it seldom waits, those with which it does. */
  readonly waits?: readonly string[];
  /** Options that write, or that change what the command means. */
  readonly doubtful?: readonly string[];
  /** The words are joined and read by a shell … */
  readonly joins?: boolean;
  /** … except with one of these. */
  readonly unlessOption?: readonly string[];
  /** The command runs in the shell itself. */
  readonly sameShell?: boolean;
  /** The program does no more than to run the command, with its words as they are. */
  readonly passesOn?: boolean;
  /** The wrapper's own words are not known: each word that could start a command counts as one. */
  readonly guess?: boolean;
  /** A doubt that always applies. */
  readonly doubt?: string;
};

const ELSEWHERE = "runs the command in another environment";
const STRANGER: Wrapper = { options: "", guess: true, doubt: "runs a command in its own way" };
const ADDS_WORDS = "adds words from its input to the command";

export const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  [
    "env",
    {
      options:
        "- -i --ignore-environment -0 --null -v --debug -u= --unset= -C= --chdir= -S= --split-string= -a= --argv0= " +
        "--block-signal? --default-signal? --ignore-signal? --list-signal-handling",
      assignments: true,
      folder: ["-C", "--chdir"],
      texts: ["-S", "--split-string"],
      addsWords: true,
      doubtful: ["-S", "--split-string", "-a", "--argv0"],
      passesOn: true,
    },
  ],
  [
    "sudo",
    {
      options:
        "-A --askpass -b --background -B --bell -E --preserve-env? -e --edit -H --set-home -i --login -K -k " +
        "--remove-timestamp --reset-timestamp -l --list -n --non-interactive -P --preserve-groups -S --stdin -s --shell " +
        "-v --validate -V --version -C= --close-from= -D= --chdir= -g= --group= -h= --host= -p= --prompt= -R= --chroot= " +
        "-r= --role= -T= --command-timeout= -t= --type= -U= --other-user= -u= --user=",
      assignments: true,
      folder: ["-D", "--chdir"],
      doubtful: ["-e", "--edit", "-i", "--login", "-s", "--shell", "-R", "--chroot", "-h", "--host"],
      leaves: ["-b", "--background"],
    },
  ],
  ["doas", { options: "-L -n -s -a= -C= -u=", doubtful: ["-C", "-s"] }],
  ["nice", { options: "-# -n= --adjustment= --help --version", passesOn: true }],
  ["ionice", { options: "-c= --class= -n= --classdata= -t --ignore -p= --pid= -P= --pgid= -u= --uid=" }],
  ["nohup", { options: "--help --version", passesOn: true }],
  [
    "timeout",
    {
      options:
        "-f --foreground -p --preserve-status -v --verbose -k= --kill-after= -s= --signal= --help --version",
      operands: 1,
      passesOn: true,
    },
  ],
  [
    "time",
    {
      options:
        "-p --portability -v --verbose -q --quiet -a --append -f= --format= -o= --output= -V --version --help",
      doubtful: ["-o", "--output"],
      passesOn: true,
    },
  ],
  ["stdbuf", { options: "-i= --input= -o= --output= -e= --error= --help --version", passesOn: true }],
  ["setsid", { options: "-c --ctty -f --fork -w --wait -h --help -V --version", waits: ["-w", "--wait"] }],
  [
    "chrt",
    {
      options: "-a -b -d -f -i -m -o -r -R -v -T= -P= -D= --all-tasks --batch --fifo --idle --other --rr",
      operands: 1,
    },
  ],
  ["taskset", { options: "-a --all-tasks -c --cpu-list -p --pid", operands: 1 }],
  ["choom", { options: "-n= --adjust= -p= --pid=" }],
  ["unbuffer", { options: "-p" }],
  [
    "watch",
    {
      options:
        "-b --beep -c --color -C --no-color -d --differences? -e --errexit -g --chgexit -p --precise -r --no-rerun " +
        "-t --no-title -w --no-wrap -x --exec -n= --interval= -q= --equexit=",
      joins: true,
      unlessOption: ["-x", "--exec"],
    },
  ],
  [
    "xargs",
    {
      options:
        "-0 --null -r --no-run-if-empty -t --verbose -p --interactive -x --exit -o --open-tty --show-limits " +
        "-a= --arg-file= -d= --delimiter= -E= -e? --eof? -I= -i? --replace? -L= -l? --max-lines? -n= --max-args= " +
        "-P= --max-procs= -s= --max-chars= --process-slot-var=",
      doubt: ADDS_WORDS,
    },
  ],
  [
    "parallel",
    {
      options: "-0 -k --keep-order -j= --jobs= -v --verbose --bar -X -m -q --quote",
      joins: true,
      doubt: ADDS_WORDS,
    },
  ],
  ["command", { options: "-p -v -V", shows: ["-v", "-V"], sameShell: true, passesOn: true }],
  ["builtin", { options: "", sameShell: true }],
  ["exec", { options: "-c -l -a=", doubtful: ["-a", "-c", "-l"] }],
  ["busybox", { options: "--list --list-full --help", shows: ["--list", "--list-full", "--help"] }],
  ["toybox", { options: "--help --version" }],
  [
    "flock",
    {
      options:
        "-s --shared -x -e --exclusive -u --unlock -n --nb --nonblock -o --close -F --no-fork -v --verbose " +
        "-w= --wait= --timeout= -E= --conflict-exit-code= -c= --command=",
      operands: 1,
      texts: ["-c", "--command"],
      doubt: "writes its lock file",
    },
  ],
  [
    "su",
    {
      options:
        "- -l --login -m -p -P --pty -f --fast -c= --command= --session-command= -g= -G= -s= --shell= -w=",
      texts: ["-c", "--command", "--session-command"],
      operands: 1,
      doubt: ELSEWHERE,
    },
  ],
  [
    "runuser",
    {
      options: "- -l --login -m -p -P --pty -f --fast -c= --command= -g= -G= -s= --shell= -u= --user=",
      texts: ["-c", "--command"],
      operands: 1,
      doubt: ELSEWHERE,
    },
  ],
  [
    "script",
    {
      options:
        "-a --append -e --return -f --flush -q --quiet --force -c= --command= -E= --echo= -o= -O= -I= -B= -T= -m= -t?",
      texts: ["-c", "--command"],
      doubt: "writes what it sees to a file",
    },
  ],
  ["chroot", { options: "--userspec= --groups= --skip-chdir", operands: 1, doubt: ELSEWHERE }],
  [
    "ssh",
    {
      options:
        "-4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y -B= -b= -c= -D= -E= -e= -F= -I= -i= -J= -L= -l= -m= -O= -o= -p= -Q= -R= -S= -W= -w=",
      operands: 1,
      joins: true,
      leaves: ["-f"],
      doubt: "runs commands on another machine",
    },
  ],
  ["jobs", { options: "-l -n -p -r -s -x" }],
  [
    "perf stat",
    {
      options:
        "-e= --event= -r= --repeat= -d --detailed -x= --field-separator= -I= --interval-print= -v --verbose " +
        "-i --no-inherit -B --big-num -n --null --timeout= -j --json-output -o= --output=",
      doubtful: ["-o", "--output"],
      passesOn: true,
    },
  ],
  ...strangers(
    "strace ltrace gdb valgrind perf unshare nsenter setarch linux32 linux64 i386 x86_64 uname26 setpriv capsh prlimit " +
      "numactl cgexec systemd-run systemd-inhibit firejail bwrap proot fakeroot fakechroot dbus-run-session dbus-launch " +
      "xvfb-run torsocks torify proxychains proxychains4 rlwrap catchsegv gosu su-exec setuidgid chpst envdir envuidgid " +
      "softlimit tini dumb-init caffeinate arch entr hyperfine tmux screen dtach abduco start-stop-daemon daemonize " +
      "pkexec run0 sg newgrp aa-exec runcon sem rush direnv mise asdf rtx nix nix-shell guix conda mamba micromamba " +
      "rustup volta nvm fnm nodenv pyenv rbenv op aws-vault chamber doppler dotenv dotenvx cross-env cross-env-shell env-cmd " +
      "concurrently npm-run-all nodemon wsl toolbox distrobox flatpak-spawn ld.so ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 " +
      "ld-linux.so.2 ld-musl-x86_64.so.1 ccache distcc scan-build bear",
  ),
]);

/** Words with which such a program only shows something about itself. */
export const STRANGER_LOOKS: ReadonlyMap<string, RegExp> = new Map([
  [
    "rustup",
    /^(?:show(?: (?:active-toolchain|home|profile))?|(?:toolchain|target|component) list(?: --installed)?|which [a-z][\w-]*)$/,
  ],
  ["conda", /^(?:env list|info(?: --envs)?|list(?: [a-z][\w-]*)?)$/],
  ["fnm", /^(?:list|ls|current)$/],
  ["volta", /^(?:list|ls)(?: [a-z][\w-]*)?$/],
]);

function strangers(names: string): readonly (readonly [string, Wrapper])[] {
  return names.split(" ").map((name) => [name, STRANGER] as const);
}
