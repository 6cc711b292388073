/**
 * Keeps workspaces in shadows: one repository of our own for each folder, in Toolgate's state folder.
 *
 * A shadow is a cache. The earlier contents are read from it when the command has ended and go into the ledger, so a
 * shadow can be removed at any time while no command runs, and no undo depends on the user's objects, which their
 * `git gc` may remove.
 */
import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkOptions, OBJECT, oneOf, required, TEXT } from "../../call/check-options.js";
import { compareSnapshots, formatOf } from "./compare-snapshots.js";
import type { Compared } from "./compare-snapshots.js";
import { KnownFolders } from "./known-folders.js";
import { changedPaths, readBundles } from "./changed-paths.js";
import { KeepFailed } from "./shadow-git.js";
import { closeWindow, openWindow, openWindows, withLock } from "./shadow-lock.js";
import { snapshotWorkspace } from "./snapshot-workspace.js";
import type { WorkspaceSnapshot } from "./snapshot-workspace.js";
import type { KeepLimits } from "./scan-place.js";
import { whyNotKept } from "./why-not-kept.js";
import type {
  CommandChanges,
  KeepOptions,
  KeepOutcome,
  KeptWorkspace,
  KeptCommands,
  UnkeptPath,
  WorkspaceKeeper,
} from "./workspace-keeper.js";
import { errorMessage } from "../../call/error-message.js";

export type KeeperOptions = {
  /** Where the shadows lie; made when it is not there. */
  readonly folder: string;
  readonly commands?: KeptCommands;
  readonly limits?: Partial<KeepLimits>;
};

const DEFAULT_LIMITS: KeepLimits = {
  maxFiles: 200_000,
  maxBytes: 512 * 1024 * 1024,
  maxMs: 10_000,
};

/** A command that has run gets more time: its changes must be found. */
const CHANGES_FACTOR = 6;
/** The time before a command that runs in any case, unless the limits set one. */
const OPTIONAL_MS = 5_000;
const OPTIONAL_CHANGES_FACTOR = 2;
/** How long a folder is not tried again that could not be kept for such a command. */
const PAUSE_MS = 10 * 60_000;
const MAX_UNUSED_MS = 30 * 86_400_000;
/** A shadow that has grown larger is made again. */
const MAX_SHADOW_BYTES = 1024 * 1024 * 1024;

export function openKeeper(options: KeeperOptions): WorkspaceKeeper {
  checkOptions<KeeperOptions>("openKeeper", options, {
    folder: required(TEXT),
    commands: oneOf("writing", "contained"),
    limits: OBJECT,
  });
  return new ShadowKeeper(options);
}

type Kept = { readonly roots: readonly KeptRoot[]; readonly isOptional: boolean };

type KeptRoot = {
  readonly root: string;
  readonly folder: string;
  readonly window: string;
  readonly snapshot: WorkspaceSnapshot;
};

class ShadowKeeper implements WorkspaceKeeper {
  readonly commands: KeptCommands;
  readonly #folder: string;
  readonly #limits: KeepLimits;
  readonly #optionalMs: number;
  readonly #kept = new Map<string, Kept>();
  /** Roots that took too long, or are too large, for a command that runs in any case. */
  readonly #paused = new Map<string, { readonly reason: string; readonly untilMs: number }>();
  /** By root. */
  readonly #known = new Map<string, KnownFolders>();
  #isSwept = false;

  constructor({ folder, commands = "writing", limits = {} }: KeeperOptions) {
    this.commands = commands;
    this.#folder = folder;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.#optionalMs = limits.maxMs ?? OPTIONAL_MS;
  }

  async keep(roots: readonly string[], { isOptional = false }: KeepOptions = {}): Promise<KeepOutcome> {
    const forbidden = roots
      .map((root) => [root, whyNotKept(root, this.#folder)] as const)
      .find(([, why]) => why);
    if (forbidden) return notKept(`${forbidden[0]} is never kept: ${forbidden[1]}`);
    const paused = isOptional ? this.#pausedIn(roots) : undefined;
    if (paused !== undefined) return notKept(paused);
    const maxMs = isOptional ? this.#optionalMs : this.#limits.maxMs;
    const deadline = Date.now() + maxMs;
    const kept: KeptRoot[] = [];
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      this.#sweep();
      for (const root of roots) kept.push(await this.#keepRoot(root, deadline));
    } catch (error) {
      for (const { folder, window } of kept) closeWindow(folder, window);
      const reason = reasonOf(error, maxMs);
      if (isOptional && isExceeded(error)) this.#pause(roots, reason);
      return notKept(reason);
    }
    const keptId = randomUUID();
    this.#kept.set(keptId, { roots: kept, isOptional });
    return { type: "kept", keptId };
  }

  async changes({ keptId }: KeptWorkspace): Promise<CommandChanges> {
    const { roots, isOptional } = this.#kept.get(keptId) ?? { roots: [], isOptional: false };
    this.#kept.delete(keptId);
    const maxMs = isOptional
      ? OPTIONAL_CHANGES_FACTOR * this.#optionalMs
      : CHANGES_FACTOR * this.#limits.maxMs;
    const deadline = Date.now() + maxMs;
    const all = await Promise.all(roots.map((root) => this.#changesOf(root, deadline))).catch(
      (error: unknown) => {
        const reason = reasonOf(error, maxMs);
        if (isOptional && isExceeded(error))
          this.#pause(
            roots.map(({ root }) => root),
            reason,
          );
        throw isExceeded(error) ? new Error(reason) : error;
      },
    );
    return {
      paths: all.flatMap(({ changes }) => changes.map(({ path }) => path)),
      unkept: all.flatMap(({ unkept }) => unkept),
      async *bundles() {
        for (const { git, format, changes } of all) yield* readBundles(git, changes, { format, deadline });
      },
    };
  }

  release({ keptId }: KeptWorkspace): void {
    for (const { folder, window } of this.#kept.get(keptId)?.roots ?? []) closeWindow(folder, window);
    this.#kept.delete(keptId);
  }

  #pausedIn(roots: readonly string[]): string | undefined {
    const paused = roots.map((root) => this.#paused.get(root)).find((one) => one !== undefined);
    return paused && Date.now() < paused.untilMs ? paused.reason : undefined;
  }

  #pause(roots: readonly string[], reason: string): void {
    for (const root of roots) this.#paused.set(root, { reason, untilMs: Date.now() + PAUSE_MS });
  }

  async #keepRoot(root: string, deadline: number): Promise<KeptRoot> {
    const folder = shadowOf(this.#folder, root);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, "root"), root, { mode: 0o600 });
    return withLock(folder, deadline, async () => {
      if (openWindows(folder).length === 0 && (isTooLarge(folder) || isOlder(folder))) empty(folder);
      const snapshot = await this.#snapshot(root, folder, deadline);
      return { root, folder, snapshot, window: openWindow(folder) };
    });
  }

  /** A shadow that git cannot use (objects that it borrowed are gone, a file is broken) is made again, once. */
  async #snapshot(root: string, folder: string, deadline: number): Promise<WorkspaceSnapshot> {
    const known = this.#knownIn(root);
    const options = { root, folder, limits: this.#limits, deadline, known };
    try {
      return await snapshotWorkspace(options);
    } catch (error) {
      const isBroken = error instanceof KeepFailed && error.why === "error";
      if (!isBroken || openWindows(folder).length > 0) throw error;
      empty(folder);
      known.forget();
      return snapshotWorkspace(options);
    }
  }

  async #changesOf({ root, folder, window, snapshot: before }: KeptRoot, deadline: number) {
    try {
      const after = await withLock(folder, deadline, () =>
        snapshotWorkspace({
          root,
          folder,
          // The command is done: what it left must be seen, however much it is.
          limits: { maxFiles: Infinity, maxBytes: 2 * this.#limits.maxBytes, maxMs: Infinity },
          deadline,
          known: this.#knownIn(root),
          earlier: before,
        }),
      );
      const compared = await compareSnapshots(before, after, deadline);
      const { git } = after;
      const isShared = closeWindow(folder, window);
      return { git, format: formatOf(before), ...(isShared ? asShared(compared) : changedPaths(compared)) };
    } finally {
      closeWindow(folder, window);
    }
  }

  #knownIn(root: string): KnownFolders {
    const known = this.#known.get(root) ?? new KnownFolders();
    this.#known.set(root, known);
    return known;
  }

  /** Removes the shadows of folders that are gone, and those that were not used for long. */
  #sweep(): void {
    if (this.#isSwept) return;
    this.#isSwept = true;
    for (const name of readdirSync(this.#folder)) {
      const folder = join(this.#folder, name);
      const file = join(folder, "root");
      const root = existsSync(file) ? readFileSync(file, "utf8") : undefined;
      const isOld = root !== undefined && Date.now() - statSync(file).mtimeMs > MAX_UNUSED_MS;
      if (root !== undefined && (isOld || !existsSync(root)) && openWindows(folder).length === 0)
        rmSync(folder, { recursive: true, force: true });
    }
  }
}

const isExceeded = (error: unknown): boolean => error instanceof KeepFailed && error.why !== "error";

function reasonOf(error: unknown, maxMs: number): string {
  const isLate = error instanceof KeepFailed && error.why === "time";
  if (isLate) return `keeping its files took longer than ${maxMs / 1000} s`;
  return errorMessage(error);
}

const notKept = (reason: string): KeepOutcome => ({ type: "not-kept", reason });

const SHARED_REASON = "another command ran in this folder at the same time, and may have changed it";

/** Nobody can tell which of the commands made a change. */
function asShared(compared: Compared): ReturnType<typeof changedPaths> {
  const { changes, unkept } = changedPaths(compared);
  return {
    changes: [],
    unkept: [...unkept, ...changes.map(({ path }): UnkeptPath => ({ path, reason: SHARED_REASON }))],
  };
}

function shadowOf(folder: string, root: string): string {
  return join(folder, createHash("sha256").update(root).digest("hex").slice(0, 24));
}

/** By the objects that we made. */
function isTooLarge(folder: string): boolean {
  const objects = join(folder, "repository/objects");
  const names = existsSync(objects) ? readdirSync(objects).filter((name) => name.length === 2) : [];
  // One of 256 equally filled folders stands for all.
  const [sample] = names;
  if (sample === undefined) return false;
  const files = readdirSync(join(objects, sample)).map((name) => statSync(join(objects, sample, name)));
  return files.reduce((sum, { size }) => sum + size, 0) * names.length > MAX_SHADOW_BYTES;
}

/** An earlier version kept second names of the user's object files in it. */
const isOlder = (folder: string): boolean => existsSync(join(folder, "repository/linked"));

function empty(folder: string): void {
  rmSync(join(folder, "repository"), { recursive: true, force: true });
  rmSync(join(folder, "places"), { recursive: true, force: true });
}

/** Removes the shadows that no command uses now: with the sessions that were forgotten, their files are to be forgotten. */
export function removeShadows(folder: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : [])
    if (openWindows(join(folder, name)).length === 0)
      rmSync(join(folder, name), { recursive: true, force: true });
}
