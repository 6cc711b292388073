/**
 * Contains commands, with bubblewrap: a command can change the workspace and nothing else.
 *
 * Invariants. Inside there is no network but its own loopback, unless that is enabled; no file of the home folder but
 * toolchains; no other process; no socket of a service; no variable that is not on a list. Protected names of the
 * workspace are read-only or hidden, and new ones are taken out of it when the command has ended. Everything that the
 * command started ends with it, and with us. Where the self-test does not see all of this, opening the sandbox throws:
 * nothing runs without it instead.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import { checkOptions, FLAG, TEXT } from "../../call/check-options.js";
import type { SandboxRefusal } from "../../call/index.js";
import type { PathGuard } from "../../policy/index.js";
import { ToolFailure } from "../tool.js";
import type { CommandExit } from "../workspace.js";
import { fileRefusals } from "./file-refusals.js";
import { findGuarded, SeenFolders } from "./find-guarded.js";
import { holdBack } from "./hold-back.js";
import { type Mount, mountWords } from "./mount.js";
import { NoSandbox } from "./no-sandbox.js";
import { sandboxEnvironment } from "./sandbox-environment.js";
import { openSandboxFolder, type SandboxFolder } from "./sandbox-folder.js";
import { isProved, machineState, storeProof } from "./sandbox-proof.js";
import { SELF_TEST, selfTest } from "./self-test.js";
import { DESCRIPTORS, insideWords, packetsRefused, startWords } from "./start-script.js";
import { systemView } from "./system-view.js";
import { temporaryView } from "./temporary-view.js";
import { workspaceView } from "./workspace-view.js";

export type SandboxPlace = {
  /** The folders that can be written, as real paths. */
  readonly roots: readonly string[];
  readonly cwd: string;
  /** The session's folder for temporary files: writable too, and not looked at afterwards. */
  readonly scratch?: string;
  /** Names in the system's temporary folder that are the session's own: seen by the command, and kept after it. */
  readonly temporary?: readonly string[];
  /** Further folders and files that can be written, and are not looked at afterwards. */
  readonly folders?: readonly string[];
  /** Toolgate's own files: hidden. */
  readonly own?: readonly string[];
  /** Variables of the command itself. */
  readonly env?: { readonly [name: string]: string };
  /** Paths of rules, guarded like protected names. */
  readonly guards?: readonly PathGuard[];
};

export type SandboxedCommand = {
  readonly argv: readonly string[];
  /** The whole environment of the program that starts the sandbox. */
  readonly env: NodeJS.ProcessEnv;
  /** To be called when all processes of the command have ended. Returns what was refused. `output`: the end of what it printed. */
  leave(exit: CommandExit, output?: string): Promise<readonly SandboxRefusal[]>;
};

export type Sandbox = {
  /** Prepares the workspace for a command; `leave` must be called also when the command could not be started. */
  enter(argv: readonly string[], place: SandboxPlace): Promise<SandboxedCommand>;
  /** Why the sandbox may no longer hold as it was tested; undefined while it does. Cheap: asked before each command. */
  trouble(): string | undefined;
};

export type SandboxOptions = {
  /** Off unless true. */
  readonly network?: boolean;
  /** The path of bubblewrap, when it is not at its usual place. */
  readonly program?: string;
  /** Where the sandbox keeps its cache and what it held back; a folder of Toolgate's state when left out. */
  readonly folder?: string;
  /** Toolgate's version. With it, a test that passed is remembered until something changes; else each opening tests. */
  readonly version?: string;
};

// Not PATH: that often leads through the project, where an agent could put a bwrap of its own.
const PROGRAMS = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

/** The path of bubblewrap at one of its usual places. Whether a sandbox holds, only opening one shows. */
export const findBubblewrap = (): string | undefined => PROGRAMS.find((path) => existsSync(path));

/** Throws NoSandbox where bubblewrap is not installed, or where the self-test finds a way out. */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  checkOptions<SandboxOptions>("openSandbox", options, {
    network: FLAG,
    program: TEXT,
    folder: TEXT,
    version: TEXT,
  });
  const { network: hasNetwork = false, program = findBubblewrap(), version } = options;
  if (program === undefined || !existsSync(program)) throw new NoSandbox();
  const tested = machineState(program);
  const folder = openSandboxFolder(options.folder);
  const opened: Opened = { program, hasNetwork, folder, seen: new SeenFolders(), brokenAt: -Infinity };
  const words = JSON.stringify([fixedWords(hasNetwork), SELF_TEST]);
  const proof = version === undefined ? undefined : { place: folder.place, program, version, words };
  if (!proof || !isProved(proof)) await prove(opened);
  if (proof) storeProof(proof);
  return {
    enter: (argv, place) => enter(argv, place, opened),
    trouble() {
      if (performance.now() - opened.brokenAt < BROKEN_MS)
        return "bubblewrap could not make a sandbox the last time";
      return machineState(program) === tested
        ? undefined
        : "bubblewrap or what the system permits has changed";
    },
  };
}

async function prove(opened: Opened): Promise<void> {
  // The test's own files are not kept.
  const tested = { ...opened, folder: { ...opened.folder, held: opened.folder.run } };
  const trouble = await selfTest((argv, place) => enter(argv, place, tested), tested);
  if (trouble !== undefined) throw new NoSandbox(trouble);
}

type Opened = {
  readonly program: string;
  readonly hasNetwork: boolean;
  readonly folder: SandboxFolder;
  readonly seen: SeenFolders;
  /** When a command could last not be started, by the clock of this process. */
  brokenAt: number;
};

/** Then it is tried again: a protected file may have gone just when it was to be mounted. */
const BROKEN_MS = 60_000;

async function enter(
  argv: readonly string[],
  place: SandboxPlace,
  opened: Opened,
): Promise<SandboxedCommand> {
  const { program, hasNetwork, folder } = opened;
  const { home } = folder;
  mustBeConfined(place.roots, home);
  // One inside of another is there already.
  const roots = place.roots.filter((root) => !place.roots.some((other) => root.startsWith(`${other}/`)));
  const places = { home, roots, own: place.own ?? [], guards: place.guards ?? [] };
  const before = findGuarded(places, opened.seen);
  const view = workspaceView(roots, before.values());
  const env = sandboxEnvironment(process.env, { home, hasNetwork, env: place.env ?? {} });
  const id = randomBytes(8).toString("hex");
  const files = {
    filter: folder.filter,
    status: join(folder.run, `status-${id}`),
    counters: join(folder.run, `counters-${id}`),
    controlGroups: folder.controlGroups,
  };
  const temporary = temporaryView(place.temporary ?? [], join(folder.run, `tmp-${id}`));
  const mounts = [
    ...KERNEL_VIEW.filter(isThere),
    ...systemView({ home, cache: folder.cache }),
    ...folder.files,
    ...temporary.mounts,
    ...scratchMount(place),
    ...(place.folders ?? []).map((path): Mount => ({ type: "write", path })),
    ...view.mounts,
  ];
  const bubblewrap = [
    program,
    ...fixedWords(hasNetwork),
    ...mountWords(mounts),
    ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
    "--chdir",
    place.cwd,
    "--",
    ...insideWords(argv),
  ];
  return {
    argv: startWords(bubblewrap, files),
    // The first process inside can be read there: it gets no variable of ours.
    env: { PATH: "/usr/bin:/bin" },
    async leave({ exitCode }, output = "") {
      view.release();
      temporary.release();
      const after = findGuarded(places, opened.seen);
      const held = holdBack(before, after, join(folder.held, id)).map((text): SandboxRefusal => ({
        type: "held back",
        text,
      }));
      const [status, counters] = [readAndRemove(files.status), readAndRemove(files.counters)];
      if (exitCode === 1 && !status.includes('"exit-code"')) {
        opened.brokenAt = performance.now();
        return [NOT_BUILT, ...held];
      }
      const isRefused = !hasNetwork && packetsRefused(counters) > 0;
      const ofFiles = exitCode === 0 ? [] : fileRefusals(output, { cwd: place.cwd, mounts });
      return [...(isRefused ? [NO_NETWORK] : []), ...ofFiles, ...held];
    },
  };
}

const NOT_BUILT: SandboxRefusal = {
  type: "not started",
  text: "The command could not be started: bubblewrap could not make the sandbox, for the reason above. Nothing was run.",
};
const NO_NETWORK: SandboxRefusal = {
  type: "network",
  text: "The sandbox has no network, and the command tried to reach something outside of it.",
};

function fixedWords(hasNetwork: boolean): readonly string[] {
  const isRoot = process.getuid?.() === 0;
  return [
    "--die-with-parent --new-session --unshare-ipc --unshare-pid --unshare-uts --unshare-cgroup-try --hostname sandbox",
    // Root needs no user namespace, and in one it could not change what others own.
    isRoot ? "" : "--unshare-user",
    hasNetwork ? "" : "--unshare-net",
    "--cap-drop ALL",
    isRoot ? "--cap-add CAP_DAC_OVERRIDE --cap-add CAP_CHOWN --cap-add CAP_FOWNER" : "",
    `--clearenv --seccomp ${DESCRIPTORS.filter} --json-status-fd ${DESCRIPTORS.status}`,
    `--dev /dev --size ${MAX_SHARED_BYTES} --tmpfs /dev/shm --remount-ro /dev --proc /proc`,
  ].flatMap((line) => line.split(" ").filter((word) => word !== ""));
}

/** Files of the kernel that belong to root and not to the namespaces: root could read and write them inside too. */
const KERNEL_FILES: readonly string[] =
  process.getuid?.() === 0
    ? [
        "kcore",
        "kmsg",
        "keys",
        "key-users",
        "timer_list",
        "sched_debug",
        "kpagecount",
        "kpageflags",
        "kpagecgroup",
      ]
    : ["keys", "key-users", "sched_debug"];

/** The whole of /proc is read-only: one mount instead of one for each folder of it that has switches of the kernel. */
const KERNEL_VIEW: readonly Mount[] = [
  ...KERNEL_FILES.map((name) => ({ type: "hidden", path: `/proc/${name}`, isFolder: false }) as const),
  { type: "sealed", path: "/proc" },
];

const isThere = ({ path }: Mount): boolean => existsSync(path);

const MAX_SHARED_BYTES = 256 << 20;

const scratchMount = ({ scratch }: SandboxPlace): readonly Mount[] =>
  scratch !== undefined && existsSync(scratch) ? [{ type: "write", path: scratch }] : [];

/** Whether a sandbox around these folders would confine anything. */
export const isConfinable = (roots: readonly string[]): boolean => wideRoot(roots, homedir()) === undefined;

const wideRoot = (roots: readonly string[], home: string): string | undefined =>
  roots.find((root) => root === "/" || root === home || home.startsWith(`${root}/`));

function mustBeConfined(roots: readonly string[], home: string): void {
  const wide = wideRoot(roots, home);
  if (wide === undefined) return;
  throw new ToolFailure(
    `The command could not be started: the workspace is ${wide === "/" ? "the whole disk" : `${wide}, the home folder or above it`}, and a sandbox around that would confine nothing. Nothing was run. Use a smaller workspace.`,
  );
}

function readAndRemove(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  } finally {
    rmSync(path, { force: true });
  }
}
