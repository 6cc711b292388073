/** A session of the fault campaign, with the processes that take its turn, and the invariants that hold after each fault. */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionEvent, ToolCall } from "../src/call/index.js";
import { readAll, SessionBook } from "../src/call/index.js";
import { openLedger } from "../src/history/index.js";
import { verifyLedger } from "../src/history/sqlite/verify-ledger.js";
import { FaultProcess, processesIn } from "./fault-process.js";
import type { FaultTally } from "./fault-tally.js";
import { isAlive } from "./is-alive.js";
import { mountSmallDisk } from "./small-disk.js";
import { tornCopies } from "./torn-copies.js";
import { until } from "./until.js";

/** So long is the log before the turn that it is opened from a snapshot, and a fault may fall on storing one. */
const PAST_EVENTS = 2_100;
const DISK_MEGABYTES = 8;
const STEPS = 12;

export class FaultSession {
  readonly cwd = realpathSync(mkdtempSync(join(tmpdir(), "toolgate-fault-")));
  readonly disk;
  readonly file: string;
  readonly #tally: FaultTally;
  readonly #processes: FaultProcess[] = [];
  readonly #started = new Set<number>();
  #log: readonly SessionEvent[] = [];

  constructor(tally: FaultTally, isDiskSmall: boolean) {
    this.#tally = tally;
    this.disk = isDiskSmall ? mountSmallDisk(DISK_MEGABYTES) : undefined;
    this.file = join(this.disk?.path ?? this.cwd, "ledger.db");
  }

  async begin(): Promise<void> {
    const ledger = await openLedger(this.file);
    const lease = await ledger.claim("s", "before", { milliseconds: 1_000 });
    const past = Array.from({ length: PAST_EVENTS }, (_, index) => planOf(index));
    await ledger.append(lease, past, { durable: true });
    await ledger.release(lease);
    await ledger.close();
  }

  start(...options: readonly string[]): FaultProcess {
    const process = new FaultProcess(this.cwd, this.file, ...options);
    this.#processes.push(process);
    return process;
  }

  /** The process that has the session or waits for it; a new one when there is none. */
  running(): FaultProcess {
    return this.#processes.findLast(({ hasEnded }) => !hasEnded) ?? this.start();
  }

  get isOver(): boolean {
    return this.#processes.some(({ isOver }) => isOver);
  }

  /** To be called before a process is killed: afterwards nobody knows whose children they were. */
  noteFamilies(): void {
    for (const process of this.#processes)
      if (!process.hasEnded) for (const pid of process.family()) this.#started.add(pid);
  }

  async killAll(): Promise<void> {
    this.noteFamilies();
    for (const process of this.#processes) if (!process.hasEnded) await process.kill();
  }

  /** Checks the invariants. `where` names the fault. */
  async check(where: string): Promise<void> {
    // Effects first: a process that goes on records a start before each effect.
    const effects = this.effects();
    const log = await this.#read(this.file);
    const stored = new Set(log.map((event) => JSON.stringify(event)));
    const tally = this.#tally;
    for (const { acknowledged, acknowledgedSeq } of this.#processes) {
      if (log.length < acknowledgedSeq)
        tally.lost.push(`${where}: ${log.length} of ${acknowledgedSeq} events`);
      for (const event of acknowledged) if (!stored.has(event)) tally.lost.push(`${where}: ${event}`);
    }
    if (JSON.stringify(log.slice(0, this.#log.length)) !== JSON.stringify(this.#log))
      tally.lost.push(`${where}: the past has changed`);
    await this.#verify(this.file, where);
    const calls = [...new SessionBook("s", log).calls()];
    for (const [word, count] of effects) {
      if (count > 1) tally.repeated.push(`${where}: ${word}`);
      if (!calls.some((call) => wordOf(call) === word && call.times.started !== undefined))
        tally.lost.push(`${where}: the start of ${word}`);
    }
    this.#log = log;
    await this.#checkProcesses(where);
  }

  /** Takes the turn to its end and checks that each call ran once, or is known not to be known. */
  async finish(where: string): Promise<void> {
    if (!this.isOver) await this.running().ended();
    if (!this.isOver) await this.start().ended();
    const { error, errorText } = this.#processes.at(-1) ?? {};
    if (!this.isOver) this.#tally.stuck.push(`${where}: ${error} ${errorText}`);
    for (const process of this.#processes) await process.ended();
    await this.check(where);
    if (this.isOver) this.#checkEnd(where);
  }

  #checkEnd(where: string): void {
    const tally = this.#tally;
    const book = new SessionBook("s", this.#log);
    const end = book.turn?.state;
    const isAtEnd = end?.status === "stopped" && end.stopReason === "end_turn";
    if (!isAtEnd || book.openCalls().length > 0) tally.stuck.push(`${where}: ${JSON.stringify(end)}`);
    const last = JSON.stringify(book.snapshot().timeline.at(-1));
    if (!last.includes("The end.")) tally.stuck.push(`${where}: ${last}`);
    const effects = this.effects();
    // A step that was cut off is repeated, with new calls in place of its drafts.
    const calls = [...book.calls()].filter(({ state }) => state.status !== "cancelled");
    for (const call of calls) {
      const word = wordOf(call);
      if (isDone(call) && effects.get(word) !== 1) tally.lost.push(`${where}: the effect of ${word}`);
      if (call.state.status === "unknown") tally.unknown += 1;
      else if (call.state.status !== "done" && !(call.state.status === "failed" && word.endsWith("d")))
        tally.stuck.push(`${where}: ${word} is ${JSON.stringify(call.state)}`);
    }
    const words = calls.map(wordOf).toSorted().join();
    if (words !== ALL_WORDS) tally.repeated.push(`${where}: not each call once: ${words}`);
  }

  /** How often each word was marked. */
  effects(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const word of this.#effectLines()) counts.set(word, (counts.get(word) ?? 0) + 1);
    return counts;
  }

  #effectLines(): readonly string[] {
    try {
      return readFileSync(join(this.cwd, "effects.txt"), "utf8").split("\n").filter(Boolean);
    } catch {
      return [];
    }
  }

  /** Opens copies whose end is torn: each has the log up to some append, verifies, and takes the next event. */
  async checkTornCopies(where: string, shares: readonly number[]): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), "toolgate-torn-"));
    // Before anybody opens the ledger: SQLite empties the write-ahead log then.
    const copies = tornCopies(this.file, folder, shares);
    const log = await this.#read(this.file);
    for (const copy of copies) {
      const events = await this.#read(copy);
      const isBeginning = JSON.stringify(log.slice(0, events.length)) === JSON.stringify(events);
      if (!isBeginning || events.length < PAST_EVENTS)
        this.#tally.lost.push(`${where}: a torn copy is no beginning of the log`);
      await appendOne(copy);
      await this.#verify(copy, `${where}: a torn copy`);
      this.#tally.tornCopies += 1;
    }
    rmSync(folder, { recursive: true });
  }

  remove(): void {
    this.disk?.remove();
    rmSync(this.cwd, { recursive: true, force: true });
  }

  /** Waits until no process is left but those that still take the turn, and theirs. */
  async #checkProcesses(where: string): Promise<void> {
    const left = (): readonly number[] => {
      const at = this.#processes.filter(({ hasEnded }) => !hasEnded);
      const own = new Set(at.flatMap((process) => [process.pid, ...process.family()]));
      return [...this.#started, ...processesIn(this.cwd)].filter((pid) => isAlive(pid) && !own.has(pid));
    };
    try {
      await until(() => left().length === 0);
      this.#started.clear();
    } catch {
      this.#tally.left.push(`${where}: ${left().join(" ")}`);
    }
  }

  async #read(file: string): Promise<readonly SessionEvent[]> {
    const ledger = await openLedger(file);
    try {
      return (await readAll(ledger, "s")).map(({ event }) => event);
    } finally {
      await ledger.close();
    }
  }

  async #verify(file: string, where: string): Promise<void> {
    const { broken } = await verifyLedger(file);
    for (const link of broken) this.#tally.lost.push(`${where}: ${JSON.stringify(link)}`);
  }
}

const planOf = (index: number): SessionEvent => ({
  type: "plan-updated",
  at: index,
  entries: [{ content: `Item ${index}`, priority: "low", status: "pending" }],
});

async function appendOne(file: string): Promise<void> {
  const ledger = await openLedger(file);
  const lease = await ledger.claim("s", "after", { milliseconds: 60_000 });
  await ledger.append(lease, [{ type: "plan-updated", at: 1, entries: [] }], { durable: true });
  await ledger.close();
}

const ALL_WORDS = Array.from({ length: STEPS }, (_, step) =>
  ["a", "b", "c", "d"].map((name) => `${step}${name}`),
)
  .flat()
  .toSorted()
  .join();

function wordOf({ rawInput }: ToolCall): string {
  const { word, command = "" } = (rawInput ?? {}) as { word?: string; command?: string };
  return word ?? /echo (\w+)/.exec(command)?.[1] ?? "";
}

/** A command that was killed is done too, with the signal as its result. */
function isDone({ name, state, rawOutput }: ToolCall): boolean {
  if (state.status !== "done") return false;
  return name !== "terminal" || (rawOutput as { exitCode?: number }).exitCode === 0;
}
