/** Looking at the machine, its processes and its services. */
import type { Programs, Spec } from "../vocabulary.js";

const RUNS = "runs another program";
const FILE = "reads or writes a file that is not part of the question";

const look = (flags: string, more: Partial<Spec> = {}): Spec => ({
  flags,
  words: "text",
  onlyReads: true,
  ...more,
});
const acts = (flags: string, more: Partial<Spec> = {}): Spec => ({ flags, words: "text", ...more });
const names = (list: string, spec: Spec) => Object.fromEntries(list.split(" ").map((name) => [name, spec]));

const killer: Spec = {
  flags:
    "-l -L --list -s= --signal= -n= -q= --queue= -p --pid --verbose -e -f --full -i --ignore-case -x --exact -u= --uid= -U= -t= -g= -G= -P= --parent= --newest --oldest -o -c --count -a -w --wait -I -r --regexp -v -y= -z -V",
  prepare: (args) =>
    args.map((word, index) =>
      /^-(?:\d+|(?:SIG)?[A-Z]{2,}\d*)$/.test(word) && index === 0 && args.length > 1
        ? `--signal=${word.slice(1)}`
        : word,
    ),
  check: (seen) => ({
    doubts:
      seen.words.length === 0 && seen.has("-u", "--uid", "-U", "-t", "-g", "-G")
        ? ["ends everything that someone runs"]
        : [],
  }),
  words: (words) => ({
    doubts: words
      .filter((word) => /^(?:-1|0|1|-\d+|\W*)$/.test(word))
      .map((word) => `"${word}" is not one process but many, or the first of all`),
  }),
};

const shows =
  /^(?:status|show|list|list-\w+|is-\w+|cat|help|get-\w+|list-unit-files|list-units|list-timers|list-sockets|list-jobs|list-dependencies)$/;

const quietPager = {
  "-f= --file= --root= --image= -M= --machine= -H= --host=": "looks at another machine, or at a file",
};

export const systemPrograms = (): Programs => ({
  ps: look(
    "-A -a -d -e -f -F -j -l -L -M -N -T -Z -o= -O= -p= -q= -s= -t= -u= -U= -g= -G= -C= -w -x -y -c -H -m -V --pid= --ppid= --user= --group= --sort= --format= --forest --headers --no-headers --cols= --columns= --rows= --deselect --tty= --quick-pid= -r -v -h",
    {
      check: (seen) => ({
        doubts: [
          ...seen.words
            .filter((word) => /^[a-zA-Z]*e[a-zA-Z]*$/.test(word) && !/^[a-z]*,/.test(word))
            .map(() => "shows the environment of processes, where secrets are"),
          ...seen.flags.filter(({ name }) => name === "-E").map(() => "shows the environment"),
        ],
      }),
    },
  ),
  pstree: look(
    "-a -A -c -C= -g -h -H= -l -n -N= -p -s -S -t -T -u -U -V -Z --arguments --show-pids --show-parents --ascii --long",
  ),
  pgrep: look(
    "-a --list-full -c --count -d= --delimiter= -f --full -g= -G= -i --ignore-case -l --list-name -n --newest -o --oldest -P= --parent= -s= -t= -u= --euid= -U= --uid= -v --inverse -w -x --exact -r= -F=< -L -A --ns= --nslist=",
  ),
  pidof: look("-c -n -q -s -o= -S= -x -w -t"),
  pkill: killer,
  kill: killer,
  killall: killer,
  top: look(
    "-b -c -d= -e= -E= -H -i -n= -o= -O -p= -s -S -u= -U= -w? -1 -l= -R -F -h -v -stats= -pid= -ncols=",
  ),
  htop: look(
    "-d= --delay= -C --no-color -F= --filter= -p= --pid= -s= --sort-key= -u? --user? -t --tree -H= -M --no-mouse -U --no-unicode -V --readonly -n=",
  ),
  btop: look("-p= -t +t -lc -v", { style: "whole" }),
  glances: look("-t= --time= -1 -2 -3 -4 -5 --stdout= --disable-plugin= --tree -b --byte", {
    doubt: {
      "-C= -w -s -c= --export= --webserver --server --client= --enable-plugin=":
        "opens this machine, or runs another program",
    },
  }),
  free: look(
    "-b -k -m -g -h --human -l --lohi -t --total -s= --seconds= -c= --count= -w --wide --si --mega --giga --bytes --kibi --mebi --gibi --tebi -L",
  ),
  vmstat: look("-a -d -D -f -m -n -p= -s -S= -t -w -y --active --stats --disk --slabs --timestamp --wide"),
  iostat: look("-c -d -h -k -m -N -p? -s -t -V -x -y -z --human --pretty -j= -o= --dec= -g="),
  mpstat: look("-A -u -I= -n -N= -o= -P= -T -V --dec="),
  pidstat: look("-d -r -u -w -h -H -I -l -p= -R -s -t -T= -U? -v -V -G= -C= --human --dec=", {
    doubt: { "-e": RUNS },
  }),
  sar: look(
    "-A -b -B -d -D -F -h -H -I= -m= -n= -p -q -r -R -S -u -v -V -w -W -x= -X= -P= -s? -e? -t -z --human -i=",
    { doubt: { "-o= -f=": FILE } },
  ),
  dstat: look(
    "-c -d -D= -g -i -I= -l -m -n -N= -p -r -s -S= -t -T -y -a -f -v --list --nocolor --noheaders --noupdate --top-cpu --top-mem --top-io --top-bio --disk-util --fs --tcp --udp --unix --time --cpu --disk --net --mem --bw --full --float --integer",
    { doubt: { "--output=": FILE } },
  ),
  uptime: look("-p --pretty -s --since -r -V -h"),
  uname: look(
    "-a --all -s --kernel-name -n --nodename -r --kernel-release -v --kernel-version -m --machine -p --processor -i --hardware-platform -o --operating-system",
  ),
  arch: look(""),
  whoami: look(""),
  id: look("-a -Z --context -g --group -G --groups -n --name -r --real -u --user -z --zero"),
  groups: look(""),
  users: look(""),
  who: look(
    "-a --all -b --boot -d --dead -H --heading -l --login --lookup -m -p --process -q --count -r --runlevel -s --short -t --time -T -w -u --users --mesg",
  ),
  w: look("-h --no-header -u -s --short -f --from -o -i --ip-addr -p --pids"),
  last: look(
    "-a -d -F -i -n= -p= -R -s= -t= -w -x --limit= --since= --until= --fulltimes --hostlast --ip --dns",
    { numbers: true, doubt: { "-f= --file=": FILE } },
  ),
  lastlog: look("-b= -t= -u= --before= --time= --user="),
  logname: look(""),
  tty: look("-s --silent --quiet"),
  getent: look("-i -s=", {
    words: (words) => ({ doubts: /^(?:shadow|gshadow)$/.test(words[0] ?? "") ? ["shows passwords"] : [] }),
  }),
  finger: look("-l -m -p -s"),
  lscpu: look(
    "-a --all -b --online -c --offline -C? --caches? -e? --extended? -p? --parse? -J --json -B -x --hex -y --output-all",
  ),
  lsblk: look(
    "-a --all -b --bytes -d --nodeps -D --discard -e= --exclude= -f --fs -i --ascii -I= --include= -J --json -l --list -m --perms -n --noheadings -o= --output= -O --output-all -p --paths -P --pairs -r --raw -s --inverse -S --scsi -t --topology -T? --tree? -x= --sort= -M -E= -z -w=",
  ),
  lsusb: look("-v --verbose -t --tree -s= -d= -V"),
  lspci: look("-v -vv -vvv -k -n -nn -m -mm -t -x -xxx -s= -d= -D -b -P -q", {
    doubt: { "-i= -p= -F= -H=": FILE },
  }),
  lsmod: look(""),
  lshw: look("-short -html -xml -json -businfo -class= -C= -sanitize -numeric -quiet -dump=", {
    style: "whole",
  }),
  lsns: look("-J --json -l --list -n --noheadings -o= --output= -p= --task= -r --raw -u -t= --type= -W"),
  lsipc: look("-g -m -q -s -J -o= -c -e -l -n -r -t"),
  lslocks: look("-J -n -o= -p= -r -u -b -i"),
  lsb_release: look("-a --all -i --id -d --description -r --release -c --codename -s --short -v"),
  dmidecode: look("-d= -q --quiet -s= --string= -t= --type= -u --dump -V", {
    doubt: { "--dump-bin= --from-dump=": FILE },
  }),
  dmesg: look(
    "-H --human -T --ctime -w --follow -W -l= --level= -f= --facility= -k --kernel -u --userspace -L? --color? -x --decode -d --show-delta -e --reltime -t --notime -S --syslog -J --json -P --nopager --since= --until= --time-format= -n= --noescape -p -r --raw -s=",
    {
      doubt: {
        "-F= --file=": FILE,
        "-C --clear -c --read-clear -D --console-off -E --console-on": "changes the kernel's log",
      },
    },
  ),
  journalctl: look(
    "-u= --unit= --user-unit= -f --follow -n? --lines? -r --reverse -e --pager-end -x --catalog -o= --output= -k --dmesg -b? --boot? --list-boots -p= --priority= -g= --grep= -S= --since= -U= --until= -t= --identifier= --no-pager -q --quiet --disk-usage --no-hostname --utc -a --all --no-full -l --full --user --system -c= --cursor= --show-cursor -N --fields -F= --field= --case-sensitive? --no-tail --output-fields= -m --merge --header --verify",
    {
      doubt: {
        "-D= --directory= --file= --root= --image= --namespace= --cursor-file= --interval= --setup-keys":
          FILE,
        "--vacuum-size= --vacuum-time= --vacuum-files= --rotate --flush --sync --relinquish-var --update-catalog":
          "changes the journal",
      },
    },
  ),
  systemctl: {
    flags:
      "-t= --type= --state= -p= --property= --value -a --all -l --full --no-pager --no-legend --plain -q --quiet --user --system --failed -n= --lines= -o= --output= -r --recursive --reverse --show-types -P= --no-ask-password --now --force -f --runtime --no-block --no-wall -s= --signal= --after --before --with-dependencies",
    doubt: { "--root= -M= --machine= -H= --host= --preset-mode= --boot-loader-entry= -i": "works elsewhere" },
    words: (words) => ({
      doubts:
        words.length === 0 ||
        shows.test(words[0] ?? "") ||
        (/^(?:start|restart|reload|try-restart|reload-or-restart|daemon-reload|reset-failed)$/.test(
          words[0] ?? "",
        ) &&
          words.slice(1).every((unit) => /^[\w@.:-]+$/.test(unit)))
          ? []
          : [`"${words.join(" ")}" is not known to be harmless`],
    }),
  },
  service: {
    flags: "--status-all",
    words: (words) => ({
      doubts:
        words.length === 0 ||
        (/^[\w-]+$/.test(words[0] ?? "") &&
          /^(?:status|start|stop|restart|reload|force-reload)$/.test(words[1] ?? ""))
          ? []
          : [`"${words.join(" ")}" runs a program`],
    }),
  },
  loginctl: look("--no-pager --no-legend -a --all -l --full -p= --property= --value -n= -o=", {
    words: (words) => ({
      doubts: /^(?:list-\w+|show-\w+|session-status|user-status|seat-status)?$/.test(words[0] ?? "")
        ? []
        : ["changes a session"],
    }),
    doubt: quietPager,
  }),
  timedatectl: look("--no-pager -p= --property= --value -a --all", {
    words: (words) => ({
      doubts: /^(?:status|show|list-timezones|timesync-status|show-timesync)?$/.test(words[0] ?? "")
        ? []
        : ["sets the clock"],
    }),
    doubt: quietPager,
  }),
  localectl: look("--no-pager", {
    words: (words) => ({
      doubts: /^(?:status|list-\w+[\w-]*)?$/.test(words[0] ?? "")
        ? []
        : ["changes the language of the machine"],
    }),
    doubt: quietPager,
  }),
  busctl: look(
    "--no-pager --no-legend --user --system --list -l --full --acquired --unique --activatable -j --json= --verbose -q",
    {
      words: (words) => ({
        doubts: /^(?:list|status|tree|introspect|get-property)?$/.test(words[0] ?? "")
          ? []
          : ["talks to a service, which may run a program"],
      }),
      doubt: { "--address= -M= --machine= -H= --host=": "talks to another machine, or through a program" },
    },
  ),
  sysctl: look("-a --all -A -X -n --values -N --names -e --ignore -b --binary -q --quiet -r= --pattern= -d", {
    words: (words) => ({
      doubts: words.filter((word) => word.includes("=")).map((word) => `"${word}" changes the kernel`),
    }),
    doubt: { "-w --write -p? --load? --system -f?": "changes the kernel" },
  }),
  ulimit: look("-a -c -d -f -l -m -n -s -t -u -v -H -S"),
  umask: look("-p -S"),
  mount: look("-l --show-labels -v -t= --types= -V", {
    words: (words) => ({ doubts: words.length > 0 ? ["changes what folders hold"] : [] }),
  }),
  findmnt: look(
    "-A --all -a --ascii -b --bytes -D --df -e -f --first-only -i -J --json -k --kernel -l --list -n --noheadings -o= --output= -O= -R --submounts -r --raw -S= --source= -T= --target= -t= --types= -u -U -v -x -P --pairs -M= --mountpoint= -s --fstab -m --mtab",
  ),
  blkid: look("-o= -s= -k -L= -U= -i -p", { words: "reads" }),
  fuser: look("-a -c -f -m -n= -u -v -V -4 -6", { doubt: { "-k --kill -i": "kills processes" } }),
  watch: {
    style: "first",
    flags:
      "-n= --interval= -d? --differences? -t --no-title -b --beep -e --errexit -g --chgexit -c --color -p --precise -w",
    nested: watched,
    words: "text",
    onlyReads: true,
    doubt: {},
  },
  screen: look("-ls -list -v", {
    style: "whole",
    words: () => ({ doubts: ["opens a shell"] }),
    doubt: { "-L -Logfile= -c= -X= -dm -S= -r -x -d -D -R -m -s=": RUNS },
  }),
  tmux: {
    flags: "-V",
    doubt: { "-c= -f= -S= -L= -C -u -2 -v": RUNS },
    bare: "opens a shell",
    subcommands: {
      ...names(
        "ls list-sessions lsw list-windows list-panes lsp list-keys lsk list-buffers list-clients show-options display-message has-session has list-commands lscm info server-info kill-session kill-window kill-pane rename-session rename rename-window select-window selectw select-pane capture-pane capturep detach detach-client swap-window swapw resize-pane show-buffer",
        acts("-t= -a -F= -f= -s= -p -S= -E= -J -e -P -d -N -g -w -n= -L -R -U -D -x= -y= -Z"),
      ),
      ...names("attach attach-session a at", acts("-t= -d -r")),
      ...names("new new-session", {
        flags: "-s= -d -n= -A -t= -x= -y= -c=<",
        words: (words) => ({ doubts: words.length > 0 ? [`runs "${words.join(" ")}"`] : [] }),
      }),
    },
  },
  nohup: { words: () => ({ doubts: [RUNS] }), prepare: () => [] },
  sudo: { words: () => ({ doubts: ["runs another program as someone else"] }), prepare: () => [] },
  su: { words: () => ({ doubts: ["opens a shell as someone else"] }), prepare: () => [] },
  doas: { words: () => ({ doubts: ["runs another program as someone else"] }), prepare: () => [] },
  strace: { words: () => ({ doubts: [RUNS] }), prepare: () => [] },
  ltrace: { words: () => ({ doubts: [RUNS] }), prepare: () => [] },
  at: {
    flags: "-l -V -c",
    words: (words, seen) => ({
      doubts: seen.has("-l", "-c", "-V") ? [] : words.length >= 0 ? ["runs a program later"] : [],
    }),
  },
  atq: look("-q="),
  pbcopy: acts(""),
  pbpaste: look(""),
  xclip: acts("-selection= -sel= -i -o -in -out -t= -target= -r -f -filter -l= -d= -quiet -silent", {
    style: "whole",
    words: "reads",
  }),
  xsel: acts(
    "-b --clipboard -p --primary -s --secondary -i --input -o --output -c --clear -a --append -k -x",
  ),
  "wl-copy": acts("-n -p -c -t= -o --clear --primary --trim-newline"),
  "wl-paste": look("-n -p -l -t= --no-newline --primary --list-types", { doubt: { "-w= --watch=": RUNS } }),
  open: {
    flags: "-a= -b= -e -t -f -g -h -n -R -W -j",
    doubt: { "--args -i= -o= --stdin= --env=": RUNS },
    words: (words, seen) => ({
      doubts: seen.has("-R")
        ? []
        : words.map((word) => `"${word}" is opened by whatever program it asks for`),
    }),
  },
  "xdg-open": {
    words: (words) => ({
      doubts: words.map((word) => `"${word}" is opened by whatever program it asks for`),
    }),
  },
  "notify-send": acts(
    "-u= --urgency= -t= --expire-time= -i= --icon= -c= --category= -a= --app-name= -r= --replace-id= -p -e -h= --hint=",
  ),
  espeak: acts("-v= -s= -p= -a= -g= -q -x -k= -l= -b -z -m", {
    doubt: { "-f= -w= --path= --compile? --pho": FILE },
  }),
  say: acts("-v= -r= --progress"),
  logger: acts("-t= --tag= -p= --priority= -s --stderr -i --id? -e", {
    doubt: { "-f= --file= -n= --server= -P= -u= --socket=": FILE },
  }),
  wall: acts("-n -t= --nobanner --timeout=", {
    words: (words) => ({
      doubts: words.filter((word) => word.includes("/")).map((word) => `"${word}" is shown to everyone`),
    }),
  }),
  neofetch: look("--off --stdout --ascii_distro= --disable -L --json --color_blocks=", {
    doubt: { "--config= --ascii= --source= --print_config": FILE },
  }),
  fastfetch: look("-l= --logo= -s= --structure= --json --pipe", {
    doubt: { "-c= --config= --load-config=": RUNS },
  }),
  cpulimit: acts("-l= --limit= -p= --pid= -e= --exe= -z --lazy -i -v", {
    doubt: { "-f --foreground": RUNS },
    words: (words) => ({ doubts: words.length > 0 ? [RUNS] : [] }),
  }),
  taskset: acts("-p --pid -c --cpu-list -a", {
    words: (words, seen) => ({ doubts: seen.has("-p", "--pid") ? [] : words.length > 0 ? [RUNS] : [] }),
  }),
  ionice: acts("-c= --class= -n= --classdata= -p --pid -t", {
    words: (words, seen) => ({ doubts: seen.has("-p", "--pid") || words.length === 0 ? [] : [RUNS] }),
  }),
  renice: acts("-n= --priority= -p --pid -g -u"),
});

function watched(args: readonly string[]) {
  const at = args.findIndex(
    (word, index) => !word.startsWith("-") && !/^(?:-n|--interval)$/.test(args[index - 1] ?? ""),
  );
  const command = at === -1 ? [] : args.slice(at);
  // A single word with blanks is a line for a shell, which is read elsewhere.
  const commands = command.length === 1 ? [(command[0] ?? "").split(" ")] : [command];
  const plain = command.length !== 1 || !/[^\w ./,:=@%+-]/.test(command[0] ?? "");
  return {
    words: at === -1 ? args : args.slice(0, at),
    commands: command.length === 0 ? [] : plain ? commands : [["sh", "-c", command.join(" ")]],
    mustOnlyRead: true,
  };
}
