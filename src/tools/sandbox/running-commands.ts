/**
 * The contained commands that run now, of all processes, each as a file in the sandbox's folder. The file has what was
 * guarded before the command, so that a later start can hold back what the command made when Toolgate was killed before
 * it could look. Its time moves on while the command runs.
 */
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathInfo } from "../path-info.js";
import { identityOf, isGone } from "../../process/process-identity.js";
import type { ProcessIdentity } from "../../process/process-identity.js";
import { removeCommonFolder } from "./common-folder.js";
import { findGuarded } from "./find-guarded.js";
import type { Guarded, GuardedPlaces } from "./find-guarded.js";
import { holdBack, reopenRoots } from "./hold-back.js";
import { namesIn } from "../names-in.js";

type RunningCommand = {
  readonly owner: ProcessIdentity;
  readonly places: GuardedPlaces;
  readonly before: readonly Guarded[];
  /** Files in repositories that go with the process. */
  readonly stubs?: readonly string[];
};

const TICK_MS = 2_000;
/** A command may have outlived the last tick by this much. */
const MAX_LATE_MS = 10_000;

export class RunningCommands {
  readonly #folder: string;

  constructor(place: string) {
    this.#folder = join(place, "running");
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  /** Returns the function to be called when the command has ended. */
  add(id: string, places: GuardedPlaces, before: ReadonlyMap<string, Guarded>): () => void {
    const file = join(this.#folder, id);
    const command: RunningCommand = { owner: ownIdentity(), places, before: [...before.values()] };
    writeFileSync(file, JSON.stringify(command), { mode: 0o600 });
    const timer = setInterval(() => touch(file), TICK_MS).unref();
    return () => {
      clearInterval(timer);
      rmSync(file, { force: true });
      this.#releaseRepositories(before.values());
    };
  }

  /** For a sandbox that is started before its command. Returns the function to be called when the files are gone. */
  addStubs(id: string, stubs: readonly string[]): () => void {
    const file = join(this.#folder, id);
    const command: RunningCommand = { owner: ownIdentity(), places: NO_PLACES, before: [], stubs };
    writeFileSync(file, JSON.stringify(command), { mode: 0o600 });
    return () => rmSync(file, { force: true });
  }

  /** Removes our file in each repository in which no command runs: a mount of such a command lies on it. */
  #releaseRepositories(before: Iterable<Guarded>): void {
    const paths = [...before].flatMap(({ type, path }) => (type === "repository" ? [path] : []));
    if (paths.length === 0) return;
    const living = this.#all().filter(({ command }) => !isGone(command.owner));
    const used = new Set(living.flatMap(({ command }) => command.before.map(({ path }) => path)));
    for (const path of paths) if (!used.has(path)) removeCommonFolder(path);
  }

  /** Holds back what commands of killed processes made. Returns a sentence for each. */
  recover(held: string): readonly string[] {
    return this.#all().flatMap(({ name, command, lastMs }) => {
      if (!isGone(command.owner)) return [];
      const file = join(this.#folder, name);
      try {
        this.#releaseRepositories(command.before);
        for (const stub of command.stubs ?? []) rmSync(stub, { force: true });
        return holdBackLate(command, lastMs, join(held, name));
      } finally {
        rmSync(file, { force: true });
      }
    });
  }

  #all(): readonly { readonly name: string; readonly command: RunningCommand; readonly lastMs: number }[] {
    return namesIn(this.#folder).flatMap((name) => {
      const file = join(this.#folder, name);
      try {
        // Written by `add` alone, in a folder that only this user can enter.
        const command = JSON.parse(readFileSync(file, "utf8")) as RunningCommand;
        return [{ name, command, lastMs: statSync(file).mtimeMs }];
      } catch {
        // The command has just ended, or its file is about to be written.
        return [];
      }
    });
  }
}

const NO_PLACES: GuardedPlaces = { home: "/", roots: [], own: [] };

function holdBackLate({ places, before }: RunningCommand, lastMs: number, held: string): readonly string[] {
  const roots = places.roots.filter((root) => statSync(root, { throwIfNoEntry: false })?.isDirectory());
  const reopened = reopenRoots(roots);
  const untilMs = lastMs + MAX_LATE_MS;
  const after = new Map(
    [...findGuarded({ ...places, roots })].filter(
      // Made after the command can have ended: by somebody else.
      ([path]) => (pathInfo(path)?.birthtimeMs ?? 0) < untilMs,
    ),
  );
  // Somebody may have removed a link since.
  const known = before.filter(({ type, path }) => type !== "link" || after.has(path));
  return [...reopened, ...holdBack(new Map(known.map((one) => [one.path, one])), after, held, untilMs)];
}

let own: ProcessIdentity | undefined;

const ownIdentity = (): ProcessIdentity => (own ??= identityOf(process.pid));

function touch(file: string): void {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // The folder was removed.
  }
}
