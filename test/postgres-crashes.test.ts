/**
 * Three instances take turns over on one PostgreSQL server while processes are killed and paused, connections cut, clocks
 * moved, the server crashes and its disk is full: no acknowledged event is lost, no call runs twice, no fence is given
 * twice, no session is stuck, and a turn goes on elsewhere soon after its lease has ended.
 *
 * One fault of each kind, 500 in the long mode, or TOOLGATE_FAULTS of them; TOOLGATE_SEED repeats the faults of an earlier
 * run, as far as a machine can repeat their moments.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { AgentSession, createAgent } from "../src/agent/index.js";
import { readAll } from "../src/call/index.js";
import type { Ledger, SessionEvent } from "../src/call/index.js";
import { openArchive, openLedger } from "../src/history/index.js";
import { scriptedModel } from "../src/model/index.js";
import { LocalWorkspace } from "../src/tools/index.js";
import { PostgresFleet } from "./postgres-fleet.js";
import type { Instance, TakeOver } from "./postgres-fleet.js";

const IS_LONG = process.env["TOOLGATE_LONG"] !== undefined;
const FAULTS = Number(process.env["TOOLGATE_FAULTS"] ?? (IS_LONG ? 500 : 6));
const SEED = Number(process.env["TOOLGATE_SEED"] ?? Date.now() % 1_000_000);
const LEASE_MS = 2_000;
const TAKE_OVER_LIMIT_MS = LEASE_MS + 500;
const PAUSE_MS = IS_LONG ? 30_000 : 2_500;
/** A fault, and the turns that must go on after it, on a busy machine. */
const FAULT_TIMEOUT_MS = PAUSE_MS + 60_000;
const INSTANCES = 3;
const OPEN_TURNS = 6;
const STEPS = IS_LONG ? 60 : 20;
const CLOCK_SHIFTS_MS = [-3_600_000, -1_000, 0, 1_000, 3_600_000];

let fleet: PostgresFleet;
beforeAll(async () => {
  fleet = await PostgresFleet.start({ leaseMs: LEASE_MS, steps: STEPS });
});
afterAll(() => fleet?.remove());

const random = randomFrom(SEED);
const oneOf = <Item>(items: readonly Item[]): Item => {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("Nothing to choose from.");
  return item;
};
const awake = (): Instance => oneOf(fleet.instances.filter(({ isPaused }) => !isPaused));
/** One that holds a session, where one does. */
const victim = async (): Promise<Instance> => {
  const holders = await fleet.holders();
  return holders.length > 0 ? oneOf(holders) : awake();
};

type Kind = "kill" | "pause" | "cut" | "crash" | "clock" | "disk";

/** How long take-overs took, in milliseconds. */
const takeOvers: (TakeOver & { readonly kind: Kind })[] = [];

/** Nothing when the instance had no session. */
const noteTakeOver = (kind: Kind, takeOver: TakeOver | undefined): void => {
  if (takeOver) takeOvers.push({ kind, ...takeOver });
};

const FAULT_KINDS = {
  kill: async () => noteTakeOver("kill", await fleet.kill(await victim())),
  pause: async () => noteTakeOver("pause", await fleet.pause(await victim(), PAUSE_MS)),
  cut: () => fleet.cutConnections(),
  crash: () => fleet.crashServer(),
  clock: async () => {
    if (random() < 0.7) await fleet.moveServerClock(oneOf(CLOCK_SHIFTS_MS));
    else fleet.moveClock(awake(), oneOf(CLOCK_SHIFTS_MS));
  },
  disk: () => fleet.fillDisk(),
} satisfies Record<Kind, () => Promise<void>>;

/** A pause lasts for long, so it comes less often than others. */
const LATER: readonly Kind[] = [
  "kill",
  "kill",
  "kill",
  "cut",
  "cut",
  "crash",
  "crash",
  "pause",
  "clock",
  "disk",
];

/** Each kind once, and then as LATER has them, in random order. */
function* faultKinds(): Generator<Kind> {
  const possible = (kinds: readonly Kind[]) => kinds.filter((kind) => kind !== "disk" || fleet.canFillDisk);
  for (let kinds = shuffled(possible(["kill", "pause", "cut", "crash", "clock", "disk"])); ;) {
    yield* kinds;
    kinds = shuffled(possible(LATER));
  }
}

test(
  `loses nothing and runs nothing twice in ${FAULTS} faults (seed ${SEED})`,
  { timeout: FAULTS * FAULT_TIMEOUT_MS },
  async () => {
    const ledger = await openLedger(fleet.address, { place: "crash suite" });
    const sessionIds: string[] = [];
    const counts = new Map<Kind, number>();
    for (let number = 0; number < INSTANCES; number++) await fleet.addInstance();
    const kinds = faultKinds();
    for (let fault = 0; fault < FAULTS; fault++) {
      const open = await fleet.openTurns();
      for (let count = open.size; count < OPEN_TURNS; count++)
        sessionIds.push(await startTurn(ledger, `session-${sessionIds.length}`));
      await fleet.progress();
      const kind = kinds.next().value as Kind;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      // One instance at least must be there to go on: the start of a new one is no take-over.
      if (kind === "pause" || kind === "kill")
        await expect.poll(() => pausedCount(), { timeout: 2 * PAUSE_MS }).toBeLessThan(2);
      await FAULT_KINDS[kind]();
      await fleet.progress();
      if (IS_LONG && fault % 10 === 9) print(`${fault + 1} faults, ${figures(counts)}`);
    }
    // No session is stuck: every turn ends.
    await expect.poll(async () => (await fleet.openTurns()).size, { timeout: 120_000 }).toBe(0);
    await fleet.end();
    print(`seed ${SEED}: ${figures(counts)}, ${sessionIds.length} turns`);

    expect(fleet.lines("errors")).toEqual([]);
    const runs = fleet.lines("runs");
    expect(runs.filter((run, index) => runs.indexOf(run) !== index)).toEqual([]);
    const fences = fleet.acknowledged("fence");
    expect(new Set(fences).size).toBe(fences.length);
    const stored = new Set<string>();
    const ran = new Set(runs);
    for (const sessionId of sessionIds) {
      const log = await readAll(ledger, sessionId);
      for (const { seq, event } of log) stored.add(`event ${sessionId} ${seq} ${JSON.stringify(event)}`);
      expect(wordsOfDone(log).filter((word) => !ran.has(word))).toEqual([]);
      expect(isEnd(log.at(-1)?.event), JSON.stringify(log.slice(-3))).toBe(true);
    }
    const events = fleet.acknowledged("event");
    expect(events.filter((line) => !stored.has(line))).toEqual([]);
    const archive = await openArchive(fleet.address);
    expect(await archive.verify()).toMatchObject({ brokenCount: 0 });
    await archive.close();
    await ledger.close();
    // A moment of a busy machine would fail the short run. A late one is forgiven for as long as no process could run.
    if (IS_LONG) expect(lateOnes().filter(({ ms, lagMs }) => ms - lagMs > TAKE_OVER_LIMIT_MS)).toEqual([]);
  },
);

const print = (line: string) => void process.stderr.write(`${line}\n`);
const pausedCount = () => fleet.instances.filter(({ isPaused }) => isPaused).length;

/** Starts a turn and leaves it to the instances. */
async function startTurn(ledger: Ledger, sessionId: string): Promise<string> {
  const agent = createAgent({ name: "starter", model: scriptedModel({ steps: [] }), tools: [] });
  const workspace = await LocalWorkspace.open(fleet.folder);
  const session = await AgentSession.open({ agent, ledger, workspace, sessionId, leaseMs: LEASE_MS });
  await session.begin([{ type: "text", text: sessionId }]);
  await session.close();
  return sessionId;
}

/** The words of the calls that are recorded as done. */
function wordsOfDone(log: Awaited<ReturnType<typeof readAll>>): readonly string[] {
  return log.flatMap(({ event }) => {
    if (event.type !== "call-done") return [];
    return /marked ([^"]+)"/.exec(JSON.stringify(event))?.[1] ?? [];
  });
}

/** A turn may end with the error of a full disk, which it records when there is room. */
function isEnd(event: SessionEvent | undefined): boolean {
  if (event?.type !== "turn-stopped") return false;
  return event.stopReason === "end_turn" || event.error?.includes("LEDGER_FULL") === true;
}

const lateOnes = () => takeOvers.filter(({ ms }) => ms > TAKE_OVER_LIMIT_MS);

function figures(counts: ReadonlyMap<Kind, number>): string {
  const kinds = [...counts].map(([kind, count]) => `${kind} ${count}`).join(", ");
  const shown = (["kill", "pause"] as const).map((kind) => {
    const all = takeOvers.filter((one) => one.kind === kind).map(({ ms }) => ms);
    const sorted = all.toSorted((a, b) => a - b);
    const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(0);
    return `${kind} p50 ${at(0.5)} max ${at(1)}`;
  });
  const late = lateOnes().map(
    (one) => `${one.kind} ${one.ms.toFixed(0)} with a lag of ${one.lagMs.toFixed(0)}`,
  );
  const lagMs = Math.max(0, ...takeOvers.map((one) => one.lagMs)).toFixed(0);
  return `${kinds}; take-over in ms: ${shown.join(", ")}; longest lag ${lagMs}; late: ${late.length} of ${takeOvers.length} ${late.join(", ")}`;
}

function shuffled<Item>(items: readonly Item[]): readonly Item[] {
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

/** Mulberry32: the same numbers for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
