/**
 * Prepares a sandbox for one command, and looks at the workspace when the command has ended. When a command has ended,
 * the next sandbox is started, so that it waits for the next command.
 */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { visibleText } from "../../call/index.js";
import type { SandboxRefusal } from "../../call/index.js";
import { errorMessage } from "../../call/error-message.js";
import type { TextProgram } from "../../process/index.js";
import type { CommandExit } from "../workspace.js";
import { buildFolders } from "./build-folders.js";
import { COMMON_FOLDER, ParkedCommonFolder, placeCommonFolder } from "./common-folder.js";
import type { CounterPipe } from "./counter-pipes.js";
import { expectedMounts } from "./expected-mounts.js";
import { fileRefusals } from "./file-refusals.js";
import { findGuarded } from "./find-guarded.js";
import type { Guarded, GuardedPlaces, SeenFolders } from "./find-guarded.js";
import { holdBack, reopenRoots } from "./hold-back.js";
import { NoSandbox } from "./no-sandbox.js";
import { type Mount, mountWords } from "./mount.js";
import { sandboxEnvironment } from "./sandbox-environment.js";
import type { SandboxFolder } from "./sandbox-folder.js";
import { type SandboxLayout, sandboxLayout } from "./sandbox-layout.js";
import type { ServerLogs } from "./server-logs.js";
import { fixedWords, type Joining, joinWords } from "./sandbox-words.js";
import type { SandboxedCommand, SandboxPlace } from "./sandbox.js";
import {
  commandText,
  insideWords,
  packetsRefused,
  startWords,
  WAITING_WORDS,
  wasNotStarted,
} from "./start-script.js";
import type { StayingSandbox } from "./staying-sandbox.js";
import type { StayingSandboxes } from "./staying-sandboxes.js";
import { systemRefusals } from "./system-refusals.js";
import { livingTemporaryView, temporaryView } from "./temporary-view.js";
import { WaitingSandbox } from "./waiting-sandbox.js";

export type OpenedSandbox = {
  readonly program: string;
  readonly hasNetwork: boolean;
  readonly folder: SandboxFolder;
  readonly seen: SeenFolders;
  readonly logs: ServerLogs;
  /** When a command could last not be started, by the clock of this process, and why. */
  brokenAt: number;
  brokenBy?: string;
  waiting?: StartedSandbox | undefined;
  /** Absent where commands cannot stay: nothing can join namespaces here, or a way out is open there. */
  staying?: { readonly sandboxes: StayingSandboxes; readonly joinProgram: string } | undefined;
  /** Sentences about what commands of killed processes had made: for the next result. */
  readonly recovered: string[];
};

/** The files of one sandbox. */
type SandboxFiles = { readonly id: string; readonly status: string; readonly pipe: CounterPipe };

type StartedSandbox = { readonly sandbox: WaitingSandbox; readonly files: SandboxFiles };

// The first process inside can be read there: it gets no variable of ours.
export const START_ENV = { PATH: "/usr/bin:/bin" };

export async function enterSandbox(
  argv: readonly string[],
  place: SandboxPlace,
  opened: OpenedSandbox,
): Promise<SandboxedCommand> {
  const { folder, hasNetwork } = opened;
  const { home } = folder;
  // One inside of another is there already.
  const roots = place.roots.filter((root) => !place.roots.some((other) => root.startsWith(`${other}/`)));
  const places = { home, roots, own: place.own ?? [], guards: place.guards ?? [] };
  const before = findGuarded(places, opened.seen);
  const writable = place.stays
    ? [...buildFolders(roots, before), ...opened.logs.open(place.logs ?? [], roots)]
    : undefined;
  const joined = await joinStaying(place, { ...places, roots: writable ?? [] }, opened);
  const paths = place.temporary ?? [];
  const temporary = place.stays
    ? livingTemporaryView(paths)
    : temporaryView(paths, join(folder.run, `tmp-${newId()}`));
  const layout = sandboxLayout(place, before, {
    roots,
    folder,
    hasNetwork,
    temporary: temporary.mounts,
    writable,
  });
  const env = sandboxEnvironment(process.env, { home, hasNetwork, env: place.env ?? {} });
  const isPrepared = place.isPrepared === true && !joined;
  const mounts = expectedMounts(layout.guarding);
  const started = isPrepared ? take({ argv, cwd: place.cwd, env, mounts }, layout, opened) : undefined;
  const files = started?.files ?? (await newFiles(folder));
  const end = folder.running.add(files.id, places, before);
  if (!started) for (const path of layout.repositories) placeCommonFolder(path);
  const inside = insideWords(argv, mounts, joined !== undefined);
  return {
    ...(started && { start: started.start }),
    argv: wordsFor(layout, { opened, files, cwd: place.cwd, env, inside, joined }),
    env: START_ENV,
    async leave(exit, output = "") {
      temporary.release();
      const reopened = reopenRoots(writable ? [] : roots);
      const { after, held } = lookAgain(places, before, join(folder.held, files.id), opened);
      // Not before: when we are killed here, the next start looks again.
      end();
      const servers = opened.staying?.sandboxes.look(place.session) ?? [];
      const changes = [...reopened, ...held, ...servers];
      const notes = [...opened.recovered.splice(0), ...changes];
      const refused = refusals(exit, { output, files, place, layout, opened });
      files.pipe.release();
      joined?.leave();
      if (isPrepared && refused[0]?.type !== "not started")
        setImmediate(() => void prepare(place, places, changes.length === 0 ? after : undefined, opened));
      // A command chooses the names in it, which could hold lines of their own or escape characters.
      const said = notes.map((text): SandboxRefusal => ({ type: "held back", text }));
      return [...refused, ...said].map(({ type, text }) => ({ type, text: visibleText(text) }));
    },
  };
}

/** A look that fails must not hide that it did, nor what else there is to release. */
function lookAgain(
  places: GuardedPlaces,
  before: ReadonlyMap<string, Guarded>,
  kept: string,
  { seen }: OpenedSandbox,
): { readonly after?: ReadonlyMap<string, Guarded>; readonly held: readonly string[] } {
  try {
    const after = findGuarded(places, seen);
    return { after, held: holdBack(before, after, kept) };
  } catch (error) {
    const why = errorMessage(error);
    return {
      held: [
        `The sandbox could not look at the workspace after the command: ${why}. Undo the command, or look for new files yourself before you work there.`,
      ],
    };
  }
}

type Joined = {
  readonly how: Exclude<Joining, "none">;
  readonly sandbox: StayingSandbox;
  /** To be called when the command has ended. */
  readonly leave: () => void;
};

/** Enters the namespaces of the session that stay: those that are there, or for a command that stays, new ones. */
async function joinStaying(
  { stays = false, session }: SandboxPlace,
  places: GuardedPlaces,
  { staying }: OpenedSandbox,
): Promise<Joined | undefined> {
  if (!staying || session === undefined) {
    if (stays) throw new NoSandbox("nothing can stay in it here");
    return undefined;
  }
  const { sandboxes } = staying;
  const sandbox = stays ? await sandboxes.open(session, newId(), places) : sandboxes.find(session);
  return sandbox && { how: stays ? "all" : "network", sandbox, leave: sandbox.enter() };
}

/** Takes the sandbox that waits, when the command can enter it. */
function take(
  order: Parameters<typeof commandText>[0],
  layout: SandboxLayout,
  opened: OpenedSandbox,
):
  | { readonly files: SandboxFiles; readonly start: (onText: (text: string) => void) => TextProgram }
  | undefined {
  const { waiting } = opened;
  const text = commandText(order);
  if (!waiting || text === undefined || !statSync(order.cwd, { throwIfNoEntry: false })?.isDirectory())
    return undefined;
  opened.waiting = undefined;
  const { sandbox, files } = waiting;
  if (sandbox.take(keyOf(layout))) return { files, start: (onText) => sandbox.run(text, onText) };
  sandbox.end();
  return undefined;
}

const keyOf = ({ mounts }: SandboxLayout): string => JSON.stringify(mounts);

/** Starts the sandbox for the next command in the same place. */
async function prepare(
  place: SandboxPlace,
  places: GuardedPlaces,
  known: ReadonlyMap<string, Guarded> | undefined,
  opened: OpenedSandbox,
): Promise<void> {
  const { folder, hasNetwork } = opened;
  if ((place.temporary ?? []).length > 0 || opened.waiting) return;
  const parked: ParkedCommonFolder[] = [];
  try {
    const guarded = known ?? findGuarded(places, opened.seen);
    const layout = sandboxLayout(place, guarded, {
      roots: places.roots,
      folder,
      hasNetwork,
      temporary: [],
    });
    const files = await newFiles(folder);
    const isUsed = layout.repositories.some((path) => existsSync(join(path, COMMON_FOLDER)));
    // Another command was faster, or runs now in the same repository.
    if (opened.waiting || isUsed) return files.pipe.release();
    for (const [index, path] of layout.repositories.entries()) {
      const aside = join(folder.run, `commondir-${files.id}-${index}`);
      parked.push(new ParkedCommonFolder(path, { id: files.id, aside }));
    }
    const onParked = folder.running.addStubs(
      files.id,
      parked.map(({ stub }) => stub),
    );
    const mounts = withStubs(layout.mounts, parked);
    const argv = wordsFor({ ...layout, mounts }, { opened, files, cwd: "/", env: {}, inside: WAITING_WORDS });
    const sandbox = new WaitingSandbox({
      argv,
      env: START_ENV,
      key: keyOf(layout),
      guarding: layout.guarding,
      parked,
      onParked,
      status: files.status,
      onEnd() {
        files.pipe.release();
        if (opened.waiting?.sandbox === sandbox) opened.waiting = undefined;
      },
    });
    opened.waiting = { sandbox, files };
  } catch {
    // The next command starts its own.
    for (const one of parked) one.remove();
  }
}

/** The mounts while each `commondir` has another name. */
function withStubs(mounts: readonly Mount[], parked: readonly ParkedCommonFolder[]): readonly Mount[] {
  const stubs = new Map(parked.map(({ repository, stub }) => [join(repository, COMMON_FOLDER), stub]));
  return mounts.map((mount) => ({ ...mount, path: stubs.get(mount.path) ?? mount.path }));
}

type WordOptions = {
  readonly opened: OpenedSandbox;
  readonly files: SandboxFiles;
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly inside: readonly string[];
  readonly joined?: Joined | undefined;
};

function wordsFor(
  { mounts }: SandboxLayout,
  { opened, files, cwd, env, inside, joined }: WordOptions,
): readonly [string, ...string[]] {
  const { program, hasNetwork, folder, staying } = opened;
  const paths = joined?.sandbox.paths();
  const bubblewrap = [
    ...(staying && paths ? joinWords(staying.joinProgram, paths) : []),
    program,
    ...fixedWords(hasNetwork, joined?.how),
    ...mountWords(mounts),
    ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
    "--chdir",
    cwd,
    "--",
    ...inside,
  ];
  const { filter, controlGroups } = folder;
  return startWords(bubblewrap, {
    filter,
    status: files.status,
    counters: files.pipe.path,
    controlGroups,
    ...(paths && joined?.how === "all" && { processes: paths.processes }),
  });
}

const newId = (): string => randomBytes(8).toString("hex");

async function newFiles({ run, pipes }: SandboxFolder): Promise<SandboxFiles> {
  const id = newId();
  return { id, status: join(run, `status-${id}`), pipe: await pipes.take() };
}

type Ended = {
  readonly output: string;
  readonly files: SandboxFiles;
  readonly place: SandboxPlace;
  readonly layout: SandboxLayout;
  readonly opened: OpenedSandbox;
};

function refusals(
  { exitCode }: CommandExit,
  { output, files, place, layout, opened }: Ended,
): readonly SandboxRefusal[] {
  const [status, counters] = [readAndRemove(files.status), files.pipe.read()];
  const isMissing = wasNotStarted(counters);
  if (isMissing || (exitCode === 1 && !status.includes('"exit-code"'))) {
    opened.brokenAt = performance.now();
    opened.brokenBy =
      mountWords(layout.mounts).length > MAX_WORDS
        ? "the workspace has more protected files than a sandbox can take"
        : "bubblewrap could not make a sandbox the last time";
    return [isMissing ? NOT_WHOLE : NOT_BUILT];
  }
  const isRefused = !opened.hasNetwork && packetsRefused(counters) > 0 && !(place.stays && exitCode === 0);
  const { cwd } = place;
  const said =
    exitCode === 0
      ? []
      : [...systemRefusals(output), ...fileRefusals(output, { cwd, mounts: layout.mounts })];
  return [...(isRefused ? [NO_NETWORK] : []), ...(place.reachesNobody ? [NO_SERVER] : []), ...said];
}

/** Bubblewrap takes 9,000 in all. */
const MAX_WORDS = 8_800;

const NOT_BUILT: SandboxRefusal = {
  type: "not started",
  text: "The command could not be started: bubblewrap could not make the sandbox, for the reason above. Nothing was run.",
};
const NOT_WHOLE: SandboxRefusal = {
  type: "not started",
  text: "The command was not started: the workspace changed while its sandbox was made, so that a protected name may have been left open. Nothing was run.",
};
const NO_NETWORK: SandboxRefusal = {
  type: "network",
  text: "The sandbox has no network, and the command tried to reach something outside of it.",
};
const NO_SERVER: SandboxRefusal = {
  type: "network",
  text: "The command requested a port of this machine at which nothing listened. The sandbox has a loopback of its own.",
};

function readAndRemove(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  } finally {
    rmSync(path, { force: true });
  }
}
