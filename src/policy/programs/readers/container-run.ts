/** The parts of this machine that a container gets: a named volume stays with the engine, a path is this machine's disk. */
import type { Reader, Seen } from "../program.js";

const GIVES = "gives the container a part of this machine";

type Mount = { readonly text: string; readonly path: string; readonly readsOnly: boolean };

export const containerRunReader: Reader = {
  effects: (_words, seen) => {
    const mounts = [...volumes(seen), ...binds(seen)];
    const writable = mounts.filter(({ readsOnly }) => !readsOnly).map(({ path }) => path);
    return {
      runs: true,
      reads: mounts.map(({ path }) => path),
      editsBelow: writable,
      deletesBelow: writable,
      doubts: [...mounts.map(({ text }) => `"${text}" ${GIVES}`), ...sharedSpaces(seen)],
    };
  },
};

const volumes = (seen: Seen): Mount[] =>
  seen
    .values("-v", "--volume")
    .filter((volume) => /^[/.~$]|^[A-Za-z]:\\/.test(volume))
    .map((volume) => ({
      text: volume,
      path: volume.split(":")[0] ?? volume,
      readsOnly: volume.split(":").at(-1)?.split(",").includes("ro") ?? false,
    }));

const binds = (seen: Seen): Mount[] =>
  seen
    .values("--mount")
    // A volume with options of its own can be a folder of this machine under another name.
    .filter((mount) => /type=bind|(?:source|src)=[/.~]|volume-(?:opt|driver)/i.test(mount))
    .map((mount) => ({
      text: mount,
      path: /(?:source|src|device)=(?<path>[^,"]+)/i.exec(mount)?.groups?.["path"] ?? ".",
      readsOnly: /(?:^|,)(?:readonly|ro)(?:=true|=1)?(?:,|$)/i.test(mount),
    }));

const sharedSpaces = (seen: Seen): string[] =>
  seen
    .values("--pid", "--ipc", "--uts", "--userns", "--network", "--net", "--cgroupns")
    .filter((space) => /^host$|^container:/.test(space))
    .map((space) => `"${space}" ${GIVES}`);
