/**
 * Whether a command needs nothing of the outside but servers that stay in the sandbox: it leaves one there, it reaches
 * one over the loopback, or it looks at or ends the processes there.
 */
import { readUrl } from "../hosts/read-url.js";
import type { CommandPart } from "../part.js";
import type { Staying } from "../policy.js";
import { baseName } from "../shell/base-name.js";
import { needsOutside } from "./needs-outside.js";

/** `stays`: the command runs among the servers. `joins`: it requests something of a port that is theirs, or nobody's. */
export type StayingNeed = "stays" | "joins";

const ON_PROCESSES: ReadonlySet<string> = new Set(
  "kill pkill killall pgrep ps jps lsof fuser ss netstat".split(" "),
);
const REQUESTS: ReadonlySet<string> = new Set("curl wget http https xh".split(" "));

const OFFERS_FILES = /^(?:python[\d.]* -m http\.server|http-server|serve)(?: |$)/;

/** Words by which a server goes on by itself: `rails server -d`, `rackup -D`. */
const isDaemon = ([program = "", ...words]: readonly string[]): boolean => {
  const has = (flag: RegExp): boolean => words.some((word) => flag.test(word));
  if (SERVERS.has(baseName(program)) && has(/^(?:-D|-d|--daemon(?:ize)?(?:=.*)?)$/)) return true;
  return (
    has(/^(?:-d|--daemon(?:ize)?|--detach)$/) &&
    words.slice(0, 2).some((word) => /^(?:s|serve|server|start)$/.test(word))
  );
};

/** Programs that are nothing but servers, and go on in the background by a flag of one letter. */
const SERVERS: ReadonlySet<string> = new Set(
  "rackup gunicorn unicorn puma thin php-fpm uwsgi redis-server memcached lighttpd".split(" "),
);

/** Whether a command leaves a server, which the commands after it in the same text then reach. */
export const leavesServer = ({ argv, read }: CommandPart): boolean =>
  read.isBackground === true || isDaemon(argv);

export function stayingNeed(part: CommandPart, staying: Staying): StayingNeed | undefined {
  const { argv, read, judgement, elsewhere } = part;
  const { isBackground: _, ...foreground } = read;
  const areInside = judgement.urls.every((url) => leadsInside(url, staying));
  if (leavesServer(part)) {
    const need = needsOutside({ ...part, read: foreground });
    // A server is given the address that it listens at. One that offers files reaches nobody outside of the sandbox.
    const isSending = judgement.sends.length > 0 && !OFFERS_FILES.test(argv.join(" "));
    return need === undefined || (need === "network" && !isSending && areInside) ? "stays" : undefined;
  }
  if (elsewhere.length > 0) return undefined;
  const name = baseName(argv[0] ?? "");
  if (ON_PROCESSES.has(name)) return staying.isRunning ? "stays" : undefined;
  const isRequest = REQUESTS.has(name) && judgement.urls.length > 0 && judgement.installs.length === 0;
  return isRequest && areInside ? "joins" : undefined;
}

/**
 * Nothing outside listens at the port: a server of the session does, or nobody, and then the request fails inside as it
 * would outside. An odd spelling may lead nowhere, but never out of the sandbox.
 */
function leadsInside(text: string, { isOutside }: Staying): boolean {
  const url = readUrl(text);
  return url?.reach === "loopback" && url.port !== undefined && !isOutside(url.port);
}
