/**
 * Faults at random moments of a turn, one after the other, until a process may finish the turn: kills of the process,
 * its group and its children, a full disk, stopped processes, races, and power cuts. After each fault no acknowledged
 * event is lost, no effect is repeated, the turn goes on and no process is left.
 *
 * One fault of each kind, a thousand in the long mode, or TOOLGATE_FAULTS of them; TOOLGATE_SEED repeats the faults of
 * an earlier run, as far as a machine can repeat their moments.
 */
import { setTimeout } from "node:timers/promises";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { openLedger } from "../src/history/index.js";
import { childProgram } from "./child-programs.js";
import type { Moment } from "./fault-process.js";
import { FaultSession } from "./fault-session.js";
import { FaultTally } from "./fault-tally.js";
import { canMount } from "./small-disk.js";
import { startTogether } from "./start-together.js";
import { until } from "./until.js";

const SEED = Number(process.env["TOOLGATE_SEED"] ?? fc.readConfigureGlobal().seed ?? Date.now() % 1_000_000);
/** As many at once as a small machine has cores. */
const LANES = 2;
const FAULTS_PER_TURN = 6;
const answerer = childProgram("answer.mjs");

/** `shares`: where copies of the write-ahead log are torn. */
type Fault = { readonly kind: Kind; readonly moment: Moment; readonly shares: readonly number[] };
type Act = (session: FaultSession, fault: Fault, tally: FaultTally) => Promise<boolean>;

/** Each resolves with false when the turn was over before the fault came. */
const ACTS = {
  kill: async (session, { moment }) => {
    const process = session.running();
    await process.reach(moment);
    session.noteFamilies();
    await process.kill();
    return process.wasKilled;
  },

  group: async (session, { moment }) => {
    const process = session.running();
    await process.reach(moment);
    session.noteFamilies();
    await process.killGroup();
    return process.wasKilled;
  },

  command: async (session) => session.running().killChild(">> effects.txt"),

  server: async (session, { moment }) => {
    const process = session.running();
    await process.reach(moment);
    return process.killChild("mcp-marks.mjs");
  },

  full: async (session, { moment }, tally) => {
    const process = session.running();
    await process.reach(moment);
    session.noteFamilies();
    session.disk?.fill();
    await process.ended();
    session.disk?.makeRoom();
    if (!process.isOver && process.error !== "LEDGER_FULL") tally.stuck.push(`full: ${process.errorText}`);
    return process.error !== undefined;
  },

  /** Another process takes over from one that is stopped; when that one continues, it finds its lease lost. */
  stop: async (session, { moment: { milliseconds } }, tally) => {
    const first = session.running();
    await first.reach({ from: "open", milliseconds });
    if (first.hasEnded) return false;
    first.send("SIGSTOP");
    const second = session.start();
    // One that is stopped during a write keeps the lock of the file, and nobody can take over.
    const giveUpAt = Date.now() + MAX_TAKEOVER_MS;
    await until(() => second.isOpen || second.hasEnded || Date.now() > giveUpAt);
    if (second.isOpen) tally.takeovers += 1;
    await setTimeout(milliseconds);
    session.noteFamilies();
    first.send("SIGCONT");
    if (!second.isOpen) return true;
    await first.ended();
    if (!first.isOver && first.error !== "LEASE_LOST") tally.stuck.push(`stop: ${first.errorText}`);
    return true;
  },

  /** Two processes want one session; the one that has it is killed and the other goes on. */
  race: async (session, { moment: { milliseconds } }) => {
    await session.killAll();
    const both = [session.start(), session.start()];
    await until(() => both.some(({ isOpen, hasEnded }) => isOpen || hasEnded));
    await setTimeout(milliseconds);
    const winner = both.find(({ isOpen }) => isOpen) ?? both[0];
    session.noteFamilies();
    await winner?.kill();
    return winner?.wasKilled === true;
  },

  /** Two processes answer one question; one answer counts. */
  question: async (session, { moment: { milliseconds } }, tally) => {
    await session.killAll();
    const process = session.start("answers-elsewhere");
    const ledger = await openLedger(session.file);
    await until(async () => (await ledger.openQuestions()).length > 0 || process.hasEnded);
    await ledger.close();
    if (process.hasEnded) return false;
    const printed = await startTogether(
      ["ann", "bob"].map((who) => [answerer, session.file, who, "on-signal"]),
    );
    const [ann, bob] = printed.map((line) => JSON.parse(line) as { asked: number; counted: number });
    // Another question may be asked after the first of them has looked.
    const asked = Math.max(ann?.asked ?? 0, bob?.asked ?? 0);
    if (!ann || !bob || asked === 0 || ann.counted + bob.counted !== asked)
      tally.repeated.push(`question: ${printed.join(" ")}`);
    await setTimeout(milliseconds);
    session.noteFamilies();
    await process.kill();
    return true;
  },

  torn: async (session, fault) => {
    // Before the session is open nothing is in the log that could be torn.
    const moment = { ...fault.moment, from: "open" } as const;
    if (!(await ACTS.kill(session, { ...fault, moment }))) return false;
    await session.checkTornCopies("torn", fault.shares);
    return true;
  },
} satisfies Record<string, Act>;

type Kind = keyof typeof ACTS;

/** The kinds as often as they come in a dozen. */
const DOZEN: readonly Kind[] = [
  ...([
    "kill",
    "kill",
    "group",
    "command",
    "server",
    "stop",
    "stop",
    "race",
    "question",
    "torn",
    "torn",
  ] as const),
  canMount ? "full" : "kill",
];
const EACH_KIND = [...new Set(DOZEN)];
const FAULTS = Number(
  process.env["TOOLGATE_FAULTS"] ?? (process.env["TOOLGATE_LONG"] ? 1000 : EACH_KIND.length),
);
/** As many as are drawn together. */
const DRAWN = FAULTS > EACH_KIND.length ? DOZEN : EACH_KIND;
const MAX_TAKEOVER_MS = 10_000;

const anyMoment: fc.Arbitrary<Moment> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ from: fc.constant("start" as const), milliseconds: fc.nat(600) }) },
  { weight: 6, arbitrary: fc.record({ from: fc.constant("open" as const), milliseconds: fc.nat(200) }) },
);
const aDraw = fc
  .tuple(
    fc.shuffledSubarray([...DRAWN], { minLength: DRAWN.length }),
    fc.array(
      fc.tuple(
        anyMoment,
        fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
          minLength: 4,
          maxLength: 4,
        }),
      ),
      { minLength: DRAWN.length, maxLength: DRAWN.length },
    ),
  )
  .map(([kinds, rest]) =>
    kinds.flatMap((kind, index): Fault[] => {
      const [moment, shares] = rest[index] ?? [];
      return moment && shares ? [{ kind, moment, shares }] : [];
    }),
  );

/** Takes one turn through the faults; puts those that came too late back. */
async function takeTurn(faults: readonly Fault[], tally: FaultTally): Promise<readonly Fault[]> {
  const session = new FaultSession(
    tally,
    faults.some(({ kind }) => kind === "full"),
  );
  const late = new Set(faults);
  try {
    await session.begin();
    for (const fault of faults) {
      const act: Act = ACTS[fault.kind];
      const hasCome = await act(session, fault, tally);
      if (hasCome) {
        tally.add(fault.kind);
        late.delete(fault);
      }
      await session.check(`fault ${tally.count} (${fault.kind})`);
      if (session.isOver) break;
    }
    await session.finish(`after fault ${tally.count}`);
  } catch (error) {
    tally.stuck.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    late.clear();
  } finally {
    await session.killAll();
    session.remove();
  }
  return [...late];
}

test(
  `loses nothing, repeats nothing and leaves no process in ${FAULTS} faults (${canMount ? "full disks too" : "without full disks: none can be mounted here"}; seed ${SEED})`,
  async () => {
    const tally = new FaultTally();
    const planned = fc
      .sample(aDraw, { seed: SEED, numRuns: Math.ceil(FAULTS / DRAWN.length) })
      .flat()
      .slice(0, FAULTS);
    const lane = async (): Promise<void> => {
      while (planned.length > 0)
        planned.unshift(...(await takeTurn(planned.splice(0, FAULTS_PER_TURN), tally)));
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    process.stdout.write(`${tally.summary()}\n`);
    const { lost, repeated, stuck, left } = tally;
    expect({ lost, repeated, stuck, left }).toEqual({ lost: [], repeated: [], stuck: [], left: [] });
    expect(tally.count).toBe(FAULTS);
  },
  // Two seconds each, at ten times that.
  60_000 + FAULTS * 20_000,
);
