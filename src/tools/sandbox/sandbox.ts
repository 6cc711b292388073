/**
 * Contains commands, with bubblewrap: a command can change the workspace and nothing else.
 *
 * Invariants. Inside there is no network but its own loopback, unless that is enabled; no file of the home folder but
 * toolchains; no other process; no socket of a service; no variable that is not on a list. Protected names of the
 * workspace are read-only or hidden, and new ones are taken out of it when the command has ended. Everything that the
 * command started ends with it, and with us. Where the self-test does not see all of this, opening the sandbox throws:
 * nothing runs without it instead.
 */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { checkOptions, FLAG, TEXT } from "../../call/check-options.js";
import { diskTrouble } from "../../call/error-code.js";
import type { SandboxRefusal } from "../../call/index.js";
import type { PathGuard } from "../../policy/index.js";
import type { Staying } from "../../policy/policy.js";
import type { TextProgram } from "../../process/index.js";
import { HAS_PROCESS_TABLE } from "../../process/process-table.js";
import { codeCacheFolder } from "../state-folder.js";
import { ToolFailure } from "../tool.js";
import type { CommandExit } from "../workspace.js";
import { enterSandbox, START_ENV, type OpenedSandbox } from "./enter-sandbox.js";
import { SeenFolders } from "./find-guarded.js";
import { NoSandbox } from "./no-sandbox.js";
import { openSandboxFolder, type SandboxFolder } from "./sandbox-folder.js";
import { isProved, machineState, storeProof } from "./sandbox-proof.js";
import { findJoinProgram, fixedWords } from "./sandbox-words.js";
import { SELF_TEST, selfTest } from "./self-test.js";
import { ServerLogs } from "./server-logs.js";
import { joiningWords, StayingSandboxes } from "./staying-sandboxes.js";

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
  /** Names the session: its commands reach the servers that commands of the same session left in the sandbox. */
  readonly session?: string;
  /** Processes that the command leaves go on. Then it can write only build folders of the workspace, and no other file. */
  readonly stays?: boolean;
  /** Files of the workspace that it may make for its output. */
  readonly logs?: readonly string[];
  /** The command requests a port at which nobody listens: its result says so. */
  readonly reachesNobody?: boolean;
  /** The command may enter a sandbox that was started before, and the next one is started after it. */
  readonly isPrepared?: boolean;
};

export type SandboxedCommand = {
  /** Starts the command in a sandbox that waits for it; absent when `argv` is to be started. */
  readonly start?: (onText: (text: string) => void) => TextProgram;
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
  /** Whether servers of a session can stay in the sandbox, and whether one does; undefined where none can. */
  staying?(session: string): Staying | undefined;
  /** Ends the servers of a session. */
  endStaying?(session: string): void;
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
  const folder = folderAt(options.folder);
  const opened: OpenedSandbox = {
    program,
    hasNetwork,
    folder,
    seen: new SeenFolders(),
    logs: new ServerLogs(),
    brokenAt: -Infinity,
    recovered: [],
  };
  // A command that stays is found by its pid.
  const joinProgram = hasNetwork || !HAS_PROCESS_TABLE ? undefined : findJoinProgram();
  if (joinProgram !== undefined) opened.staying = { sandboxes: stayingSandboxes(opened), joinProgram };
  const words = JSON.stringify([fixedWords(hasNetwork), joinProgram ? joiningWords() : [], SELF_TEST]);
  const proof =
    version === undefined
      ? undefined
      : { place: options.folder ?? codeCacheFolder(), program, version, words };
  if (!proof || !isProved(proof)) {
    await prove(opened);
    if (!(await provesStaying(opened))) opened.staying = undefined;
    if (proof && (opened.staying || joinProgram === undefined)) storeProof(proof);
  }
  opened.recovered.push(...folder.running.recover(folder.held));
  return {
    enter: (argv, place) => enter(argv, place, opened),
    staying: (session) => opened.staying?.sandboxes.staying(session),
    endStaying: (session) => opened.staying?.sandboxes.end(session),
    trouble() {
      if (performance.now() - opened.brokenAt < BROKEN_MS) return opened.brokenBy;
      return machineState(program) === tested
        ? undefined
        : "bubblewrap or what the system permits has changed";
    },
  };
}

/** A disk that takes no files has room for no sandbox. */
function folderAt(place: string | undefined): SandboxFolder {
  try {
    return openSandboxFolder(place);
  } catch (error) {
    const why = diskTrouble(error);
    throw why === undefined ? error : new NoSandbox(`the disk with Toolgate's own files is ${why}`);
  }
}

const stayingSandboxes = (opened: OpenedSandbox): StayingSandboxes =>
  new StayingSandboxes(opened.program, opened.folder, {
    env: START_ENV,
    onHeld: (notes) => opened.recovered.push(...notes),
  });

/** The test's own files are not kept. */
const forTest = (opened: OpenedSandbox): OpenedSandbox => ({
  ...opened,
  folder: { ...opened.folder, held: opened.folder.run },
});

async function prove(opened: OpenedSandbox): Promise<void> {
  const tested = forTest(opened);
  const trouble = await selfTest((argv, place) => enter(argv, place, tested), tested);
  if (trouble !== undefined) throw new NoSandbox(trouble);
}

/** Tries the ways out for a command that stays, and for one that joins it. */
async function provesStaying(opened: OpenedSandbox): Promise<boolean> {
  if (!opened.staying) return false;
  const tested = forTest(opened);
  tested.staying = { ...opened.staying, sandboxes: stayingSandboxes(tested) };
  const session = "self-test";
  const leave = (
    await tested.staying.sandboxes.open(session, session, NOWHERE).catch(() => undefined)
  )?.enter();
  if (!leave) return false;
  try {
    for (const how of [{ session }, { session, stays: true }]) {
      const trouble = await selfTest((argv, place) => enter(argv, { ...place, ...how }, tested), tested, how);
      if (trouble !== undefined) return false;
    }
    return true;
  } finally {
    leave();
    tested.staying.sandboxes.end(session);
  }
}

const NOWHERE = { home: "/", roots: [], own: [] };

/** Then it is tried again: a protected file may have gone just when it was to be mounted. */
const BROKEN_MS = 60_000;

async function enter(
  argv: readonly string[],
  place: SandboxPlace,
  opened: OpenedSandbox,
): Promise<SandboxedCommand> {
  mustBeConfined(place.roots, opened.folder.home);
  return enterSandbox(argv, place, opened);
}

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
