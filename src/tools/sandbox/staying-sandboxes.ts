/**
 * The staying sandboxes of all sessions of this process, by session. Knows which folders of a workspace their servers
 * can write, and looks there for names that would act by themselves later: after each command of the session, and when
 * the sandbox has ended.
 */
import { join } from "node:path";
import type { Staying } from "../../policy/policy.js";
import { ToolFailure } from "../tool.js";
import { watchDisk } from "./watch-disk.js";
import { findGuarded } from "./find-guarded.js";
import type { Guarded, GuardedPlaces } from "./find-guarded.js";
import { holdBack } from "./hold-back.js";
import { watchMemory } from "./watch-memory.js";
import { fixedWords, holderWords } from "./sandbox-words.js";
import { mountWords } from "./mount.js";
import type { SandboxFolder } from "./sandbox-folder.js";
import { startWords } from "./start-script.js";
import { listeningPorts, StayingSandbox } from "./staying-sandbox.js";
import { programFolders } from "./system-view.js";

const MAX_SANDBOXES = 16;

type Entry = {
  readonly id: string;
  readonly sandbox: StayingSandbox;
  /** While something runs in it. */
  readonly staying: Staying;
  /** Looked at in these folders, and what was there. */
  places: GuardedPlaces;
  before: ReadonlyMap<string, Guarded>;
  /** Removes the record by which a later start looks instead. */
  forget: () => void;
};

export class StayingSandboxes {
  readonly #entries = new Map<string, Entry>();
  readonly #program: string;
  readonly #folder: SandboxFolder;
  readonly #env: NodeJS.ProcessEnv;
  readonly #onHeld: (notes: readonly string[]) => void;
  /** By process: the tables of the kernel take milliseconds to read, and one question needs a dozen verdicts. */
  readonly #ports = new Map<string, ReadonlySet<number>>();
  readonly #notStaying: Staying = { isRunning: false, isOutside: (port) => this.#listens("self", port) };

  constructor(
    program: string,
    folder: SandboxFolder,
    { env, onHeld }: { readonly env: NodeJS.ProcessEnv; readonly onHeld: (notes: readonly string[]) => void },
  ) {
    this.#program = program;
    this.#folder = folder;
    this.#env = env;
    this.#onHeld = onHeld;
  }

  /** The one of this session in which something runs. */
  find(session: string | undefined): StayingSandbox | undefined {
    const sandbox = session === undefined ? undefined : this.#entries.get(session)?.sandbox;
    return sandbox?.isUsed ? sandbox : undefined;
  }

  /** `writable`: the folders that the command can write. */
  async open(session: string, id: string, places: GuardedPlaces): Promise<StayingSandbox> {
    const known = this.#entries.get(session);
    if (known && !known.sandbox.isOver) {
      this.#lookAlso(known, places);
      return known.sandbox;
    }
    if (this.#entries.size >= MAX_SANDBOXES) throw new ToolFailure(TOO_MANY);
    const status = join(this.#folder.run, `status-${id}`);
    const words = holderWords(this.#program, mountWords(programFolders()));
    const { filter, controlGroups } = this.#folder;
    const argv = startWords(words, { filter, status, counters: "/dev/null", controlGroups });
    const sandbox = await StayingSandbox.open({ argv, env: this.#env, status });
    const before = findGuarded(places);
    const forget = this.#folder.running.add(id, places, before);
    const isInside = (port: number): boolean => !sandbox.isOver && this.#listens(sandbox.first, port);
    const staying: Staying = {
      isRunning: true,
      isOutside: (port) => this.#listens("self", port) && !isInside(port),
    };
    const entry: Entry = { id, sandbox, staying, places, before, forget };
    this.#entries.set(session, entry);
    const watches = [
      watchDisk(places.roots[0] ?? this.#folder.run, () => sandbox.end()),
      watchMemory(() => sandbox.end()),
    ];
    sandbox.onEnd(() => {
      for (const watch of watches) watch.stop();
      if (this.#entries.get(session) === entry) this.#entries.delete(session);
      this.#onHeld(this.#look(entry));
      entry.forget();
    });
    return sandbox;
  }

  /** Takes out what a server has made meanwhile. Returns a sentence for each. */
  look(session: string | undefined): readonly string[] {
    const entry = session === undefined ? undefined : this.#entries.get(session);
    return entry ? this.#look(entry) : [];
  }

  /**
   * As the rules need it: whether a server of the session may run, and which ports lead outside. The same object while
   * the sandbox is the same: verdicts are remembered by it.
   */
  staying(session: string): Staying {
    return (this.find(session) && this.#entries.get(session)?.staying) ?? this.#notStaying;
  }

  /** As of this tick. */
  #listens(processName: string, port: number): boolean {
    if (this.#ports.size === 0) setImmediate(() => this.#ports.clear());
    const ports = this.#ports.get(processName) ?? listeningPorts(processName);
    this.#ports.set(processName, ports);
    return ports.has(port);
  }

  end(session: string): void {
    this.#entries.get(session)?.sandbox.end();
  }

  #look(entry: Entry): readonly string[] {
    const after = findGuarded(entry.places);
    const notes = holdBack(entry.before, after, join(this.#folder.held, entry.id));
    if (notes.length > 0) entry.before = findGuarded(entry.places);
    return notes;
  }

  /** A folder may have been made since. */
  #lookAlso(entry: Entry, places: GuardedPlaces): void {
    const more = places.roots.filter((root) => !entry.places.roots.includes(root));
    if (more.length === 0) return;
    const found = findGuarded({ ...places, roots: more });
    entry.places = { ...places, roots: [...entry.places.roots, ...more] };
    entry.before = new Map([...entry.before, ...found]);
    entry.forget();
    entry.forget = this.#folder.running.add(entry.id, entry.places, entry.before);
  }
}

const TOO_MANY = `The command could not be started: ${MAX_SANDBOXES} sessions have servers in the sandbox already. Nothing was run. Stop one of them.`;

/** All words by which commands join, for the proof that the sandbox holds. */
export const joiningWords = (): readonly string[] => [
  ...fixedWords(false, "network"),
  ...fixedWords(false, "all"),
];
