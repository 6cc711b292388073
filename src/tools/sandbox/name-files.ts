/**
 * The files by which names of hosts are resolved inside. The sandbox has a name of its own, so that its `hosts` knows it.
 * Without a network its `resolv.conf` names a server that no route leads to: a question to one on the loopback (as with
 * systemd-resolved) would be refused without being counted as an attempt to reach something outside.
 */
import { readFileSync, readlinkSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isWithin } from "../../call/absolute-path.js";
import type { Mount } from "./mount.js";

export const HOST_NAME = "sandbox";
const HOSTS = "/etc/hosts";
const RESOLVER = "/etc/resolv.conf";
/** An address of a network that exists in documentation only. */
const NO_SERVER = "nameserver 192.0.2.1\noptions timeout:1 attempts:1\n";

export type NameFiles = { readonly hosts: readonly Mount[]; readonly resolver: readonly Mount[] };

/** Writes the files into the folder `run`. `resolver` is for commands without a network. */
export function nameFiles(run: string): NameFiles {
  const at = (path: string, name: string, text: string): readonly Mount[] => {
    const place = placeOf(path);
    if (place === undefined) return [];
    const from = join(run, name);
    writeFileSync(from, text);
    return [{ type: "read", path: place, from }];
  };
  return {
    hosts: at(HOSTS, "hosts", `${textOf(HOSTS)}\n127.0.0.1 ${HOST_NAME}\n`),
    resolver: at(RESOLVER, "resolv.conf", NO_SERVER),
  };
}

/** The file itself: nothing can be mounted over a link. One that is missing can be made only in memory. */
function placeOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    const target = targetOf(path);
    return target !== undefined && isWithin(target, "/run") ? target : undefined;
  }
}

function targetOf(path: string): string | undefined {
  try {
    return resolve(dirname(path), readlinkSync(path));
  } catch {
    return undefined;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "127.0.0.1 localhost\n::1 localhost";
  }
}
