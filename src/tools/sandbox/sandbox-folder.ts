/**
 * The sandbox's own files, in Toolgate's state folder, which no tool may read or change: the filter of system calls, the
 * caches of contained commands, and what was held back. Also the control groups, which end with our process.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { errorCode } from "../../call/error-code.js";
import { identityOf, isGone } from "../../process/process-identity.js";
import { stateFolder } from "../state-folder.js";
import { CacheFolders } from "./cache-folders.js";
import { CounterPipes } from "./counter-pipes.js";
import { RunningCommands } from "./running-commands.js";
import { makeControlGroups, removeControlGroups } from "./control-groups.js";
import { excludesOf } from "../kept-workspace/seed-place.js";
import { gitIdentity } from "./git-identity.js";
import type { Mount } from "./mount.js";
import { nameFiles } from "./name-files.js";
import { NoSandbox } from "./no-sandbox.js";
import { seccompFilter } from "./seccomp-filter.js";
import { SYSTEM_CALLS } from "./system-calls.js";

export type SandboxFolder = {
  readonly place: string;
  readonly home: string;
  readonly filter: string;
  /** An empty file. */
  readonly empty: string;
  /** Files of the commands that run now. */
  readonly run: string;
  readonly caches: CacheFolders;
  readonly held: string;
  /** Seen by every command. */
  readonly files: readonly Mount[];
  /** Seen by commands without a network. */
  readonly resolver: readonly Mount[];
  readonly controlGroups: readonly string[];
  readonly pipes: CounterPipes;
  readonly running: RunningCommands;
};

const opened = new Map<string, SandboxFolder>();

/** Opened once for each place in a process. */
export function openSandboxFolder(place = defaultPlace()): SandboxFolder {
  const known = opened.get(place);
  if (known) return known;
  const calls = SYSTEM_CALLS[process.arch];
  if (!calls) throw new NoSandbox(`there is no filter of system calls for the processor ${process.arch}`);
  const [home, held] = [homedir(), join(place, "held")];
  mkdirSync(place, { recursive: true, mode: 0o700 });
  const caches = new CacheFolders(join(place, "cache"), home);
  removeLeftRuns(place);
  const run = mkdtempSync(join(place, `${RUN}${process.pid}-`));
  const filter = join(run, "filter");
  writeFileSync(filter, seccompFilter(calls), { mode: 0o600 });
  const controlGroups = makeControlGroups(String(opened.size));
  process.once("exit", () => {
    removeRun(run);
    removeControlGroups(controlGroups);
  });
  const empty = join(run, "empty");
  writeFileSync(empty, "");
  const identity = join(run, "gitconfig");
  writeFileSync(identity, gitIdentity(home));
  const ignored = join(run, "gitignore");
  writeFileSync(ignored, excludesOf(undefined));
  const { hosts, resolver } = nameFiles(run);
  const files = [
    { type: "read", path: join(home, ".gitconfig"), from: identity } as const,
    { type: "read", path: join(home, ".config/git/ignore"), from: ignored } as const,
    ...hosts,
  ];
  const [pipes, running] = [new CounterPipes(run), new RunningCommands(place)];
  const folder = {
    place,
    home,
    filter,
    empty,
    run,
    caches,
    held,
    files,
    resolver,
    controlGroups,
    pipes,
    running,
  };
  opened.set(place, folder);
  return folder;
}

const RUN = "run-";

function defaultPlace(): string {
  return join(stateFolder(), "sandbox");
}

/** Folders of processes that were killed. */
function removeLeftRuns(place: string): void {
  for (const name of readdirSync(place)) {
    const pid = Number(name.startsWith(RUN) ? name.slice(RUN.length).split("-")[0] : NaN);
    if (Number.isInteger(pid) && isGone(identityOf(pid))) removeRun(join(place, name));
  }
}

/** A sandbox that is just ending may write into it: then the next start removes it. */
function removeRun(run: string): void {
  try {
    rmSync(run, { recursive: true, force: true, maxRetries: 3, retryDelay: 20 });
  } catch (error) {
    if (errorCode(error) !== "ENOTEMPTY") throw error;
  }
}
