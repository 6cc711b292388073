/** Compares what a traced command did with what was foreseen. */
import { posix } from "node:path";
import { ENVIRONMENT_SECRET } from "./trace-scripts.js";
import type { Traced } from "./trace-scripts.js";

/** Files that a program opens by itself, whatever its arguments are. */
const OWN_READS =
  /^(?:\/(?:usr|lib|proc\/filesystems|proc\/meminfo|proc\/self\/maps|proc\/\d+\/io|proc\/sys\/vm\/overcommit_memory|sys\/devices\/system\/cpu|lib64|etc\/ld\.so[.\w]*|etc\/localtime|etc\/nsswitch\.conf)(?:\/|$)|\/dev\/(?:null|tty|u?random|stdin|stdout|stderr)$|\.\.\/\.\.\/home\/)/;
const OWN_WRITES = /^(?:\/dev\/(?:null|tty|stdout|stderr)|\/(?:var\/)?tmp\/etilqs_\w+)$/;

export type Foreseen = {
  readonly reads: readonly string[];
  /** Folders of which anything may be read. */
  readonly below?: readonly string[];
  readonly writes?: readonly string[];
  readonly executed?: readonly string[];
};

const isForeseen = (paths: readonly string[], path: string) =>
  paths.some((known) => posix.normalize(known).replace(/(?<=.)\/$/, "") === path);

/** Everything that the command did and nobody foresaw. */
export function surprises(traced: Traced, foreseen: Foreseen): string[] {
  const { reads, below = [], writes = [], executed = [] } = foreseen;
  const isBelow = (path: string) =>
    below.some((folder) => {
      const near = posix.relative(folder, path);
      return !near.startsWith("..") && !near.startsWith("/");
    });
  const all = [...reads, ...writes];
  return [
    ...traced.executed
      .filter((path) => !executed.includes(posix.basename(path)))
      .map((path) => `ran ${path}`),
    ...traced.written
      .filter((path) => !OWN_WRITES.test(path) && !isForeseen(writes, path))
      .map((path) => `wrote ${path}`),
    ...traced.read
      .filter((path) => !OWN_READS.test(path) && !isForeseen(all, path) && !isBelow(path))
      .map((path) => `read ${path}`),
    ...traced.deleted.filter((path) => !isForeseen(writes, path)).map((path) => `deleted ${path}`),
    // The C library asks there for the names of users before it reads them itself.
    ...traced.connected
      .filter((address) => !address.includes('"/var/run/nscd/socket"'))
      .map((address) => `connected to ${address}`),
    ...(traced.output.includes(ENVIRONMENT_SECRET) ? ["printed the environment"] : []),
  ];
}
