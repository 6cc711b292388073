/**
 * Whether a command needs something that a sandbox does not have: the network, other processes, the system's services,
 * or git's settings. Such a command would fail there, so it is asked about instead. A wrong answer costs a failed
 * command or a question: the sandbox keeps everything out either way.
 */
import { isGit } from "../part.js";
import type { CommandPart } from "../part.js";
import { namedActs } from "../programs/named-acts.js";
import { judgeArgv } from "../programs/judge-argv.js";
import type { ArgvJudgement } from "../programs/judge-argv.js";
import { subcommandWords } from "../programs/subcommand-words.js";
import { baseName } from "../shell/base-name.js";

export type OutsideNeed = "network" | "install" | "elsewhere" | "system";

/** Programs that do their work through a service, another process or another machine. */
const USES_SYSTEM: ReadonlySet<string> = new Set(
  [
    "docker docker-compose podman nerdctl buildah skopeo kind minikube vagrant virsh lxc multipass",
    "kubectl k9s skaffold aws gcloud gsutil az doctl flyctl fly heroku vercel netlify wrangler firebase gh glab hub",
    "ssh scp sftp mosh rsync telnet nc ncat netcat socat ping traceroute dig nslookup host whois curl wget http https",
    "psql pg_dump pg_restore pg_isready createdb dropdb mysql mysqldump mariadb redis-cli mongosh mongo",
    "kill pkill killall fuser lsof ss netstat systemctl service journalctl loginctl launchctl crontab at batch",
    "sudo su doas pkexec run0 mount umount apt apt-get aptitude dpkg yum dnf pacman zypper apk snap flatpak brew port",
    "open xdg-open code cursor zed subl adb xcrun simctl tmux screen pm2 supervisorctl ollama op pass gpg gpg2 ssh-add",
  ].flatMap((line) => line.split(" ")),
);

/** Subcommands of git that use the network, or change what the sandbox keeps as it is. */
const GIT_OUTSIDE: ReadonlySet<string> = new Set(
  "clone config credential daemon fetch init lfs ls-remote pull push remote send-email submodule svn worktree".split(
    " ",
  ),
);

/** Commands that fetch only what is missing, which is mostly there: they work without a network. */
const MAY_FETCH: ReadonlySet<string> = new Set([
  "npx",
  "helm template",
  "helm lint",
  ..."build test vet run list doc generate fmt tool env version".split(" ").map((word) => `go ${word}`),
  ..."why graph verify edit".split(" ").map((word) => `go mod ${word}`),
]);

/** Commands of such programs that only read files of the project, or their own. */
const READS_PROJECT: ReadonlySet<string> = new Set([
  "docker compose config",
  "docker-compose config",
  "kubectl kustomize",
  "git lfs ls-files",
  "git lfs status",
  "git submodule status",
  "docker compose version",
  "docker-compose version",
]);

/** A program that only prints its version needs nothing of what it works with. */
const asksVersion = (argv: readonly string[]): boolean =>
  argv.length === 2 && (argv[1] === "--version" || argv[1] === "-V");

/** The settings of git that a sandbox has as they are outside: the person's name and address, and the repository's own. */
const readsKeptSetting = ([program = "", ...words]: readonly string[]): boolean => {
  const key = words[1] === "--get" ? words.slice(2) : words.slice(1);
  return (
    baseName(program) === "git" &&
    words[0] === "config" &&
    key.length === 1 &&
    /^(?:user\.(?:name|email)|(?:remote|branch)\.[\w./-]+)$/.test(key[0] ?? "")
  );
};

/** Words that do the same in a sandbox as outside, although their program mostly needs more than a sandbox has. */
const worksInside = (argv: readonly string[]): boolean =>
  isOneOf(READS_PROJECT, argv) || endsOwnJobs(argv) || asksVersion(argv) || readsKeptSetting(argv);

/** The program and its first words, as far as one of the list is as long; options before a subcommand do not count. */
const isOneOf = (names: ReadonlySet<string>, [program = "", ...args]: readonly string[]): boolean => {
  const name = baseName(program);
  return [args, subcommandWords([name, ...args]).slice(1)].some((words) =>
    [0, 1, 2].some((count) => names.has([name, ...words.slice(0, count)].join(" "))),
  );
};

/** `kill %1` ends what the same shell started, and can mean nothing else. */
const endsOwnJobs = ([program, ...words]: readonly string[]): boolean =>
  program === "kill" && words.length > 0 && words.every((word) => /^%[\d+-]*$/.test(word));

/** The first word that is neither an option of git itself nor the value of one. */
function gitSubcommand(argv: readonly string[]): string {
  for (let at = 1; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    if (/^(?:-[cC]|--(?:git-dir|work-tree|namespace|exec-path))$/.test(word)) at += 1;
    else if (!word.startsWith("-")) return word;
  }
  return "";
}

export function needsOutside(part: CommandPart): OutsideNeed | undefined {
  const { argv, judgement, elsewhere, read } = part;
  // The sandbox has its own folder for temporary files.
  const isTemporary = baseName(argv[0] ?? "") === "mktemp";
  if (elsewhere.length > 0 && !isTemporary) return "elsewhere";
  // Everything that a contained command started ends with it.
  if (read.isBackground === true || read.wrappers.some((name) => USES_SYSTEM.has(name))) return "system";
  if (isGit(part) && !judgement.onlyReads && !worksInside(argv) && GIT_OUTSIDE.has(gitSubcommand(argv)))
    return "network";
  return isTemporary ? undefined : needOf(argv, judgement);
}

function needOf(argv: readonly string[], judgement: ArgvJudgement): OutsideNeed | undefined {
  const name = baseName(argv[0] ?? "");
  if (worksInside(argv)) return undefined;
  if (USES_SYSTEM.has(name)) return "system";
  // Without a network it runs what is there, and installs nothing.
  if (judgement.installs.length > 0 && name !== "npx") return "install";
  const urls = isOneOf(MAY_FETCH, argv) ? judgement.urls.filter((url) => url !== "") : judgement.urls;
  if (urls.length + judgement.sends.length > 0) return "network";
  const acts = namedActs(name === "npx" ? { ...judgement, installs: [] } : judgement);
  return acts.length > 0 ? "elsewhere" : undefined;
}

/** Whether these words can do nothing in a sandbox: a rule against them holds there by itself. */
export function failsInside(argv: readonly string[]): boolean {
  const git = baseName(argv[0] ?? "") === "git" && GIT_OUTSIDE.has(gitSubcommand(argv));
  return git || (argv.length > 0 && needOf(argv, judgeArgv(argv)) !== undefined);
}
