/**
 * Sub-agents under every kind of trouble, at any moment: calls and turns cancelled, answers from elsewhere, the process
 * gone and another one there. Whatever happens, every call ends, none runs twice, nothing is left over of a task that
 * is over, and the log read again is the same session.
 */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { AgentSession, createAgent, waitForTurn, taskTool } from "../src/agent/index.js";
import { SessionBook } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { parseScript, scriptedModel } from "../src/model/index.js";
import type { ScriptStep } from "../src/model/index.js";
import type { Ask } from "../src/run/index.js";
import { defineTool } from "../src/tools/index.js";
import type { LocalWorkspace } from "../src/tools/index.js";
import { z } from "zod";
import { text, workspace } from "./agent-kit.js";

type Work = "slow" | "risky";
type Trouble =
  | { readonly type: "cancel"; readonly which: number }
  | { readonly type: "abort" }
  | { readonly type: "reopen" };
type Case = {
  /** By task, by step: the calls. */
  readonly tasks: readonly (readonly (readonly Work[])[])[];
  /** After which recorded event, what happens. */
  readonly troubles: readonly (readonly [number, Trouble])[];
  readonly answers: readonly boolean[];
};

const cases: fc.Arbitrary<Case> = fc.record({
  tasks: fc.array(
    fc.array(fc.array(fc.constantFrom<Work>("slow", "risky"), { minLength: 1, maxLength: 2 }), {
      maxLength: 2,
    }),
    { minLength: 1, maxLength: 3 },
  ),
  troubles: fc.array(
    fc.tuple(
      fc.nat(70),
      fc.oneof(
        { weight: 4, arbitrary: fc.nat(5).map((which): Trouble => ({ type: "cancel", which })) },
        { weight: 1, arbitrary: fc.constant<Trouble>({ type: "abort" }) },
        { weight: 2, arbitrary: fc.constant<Trouble>({ type: "reopen" }) },
      ),
    ),
    { maxLength: 3 },
  ),
  answers: fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }),
});

function scriptOf(tasks: Case["tasks"]): ScriptStep[] {
  let n = 0;
  const calls = tasks.map((steps, index) => ({
    tool: "task",
    input: { description: `Task ${index}`, prompt: `Do task ${index}.` },
    subAgent: [
      ...steps.map((works) => ({ calls: works.map((tool) => ({ tool, input: { n: (n += 1) } })) })),
      { say: "Did it." },
    ],
  }));
  return [{ calls }, { say: "Done." }];
}

/** Takes the turn to its end, through the troubles; returns the last session and how often each input ran. */
async function play({ tasks, troubles, answers }: Case, place: LocalWorkspace) {
  const ledger = new MemoryLedger();
  const ran = new Map<number, number>();
  const tool = (name: Work) =>
    defineTool({
      name,
      description: "Works.",
      kind: "other",
      input: z.object({ n: z.number() }),
      run: async ({ n }, { signal }) => {
        ran.set(n, (ran.get(n) ?? 0) + 1);
        await new Promise((resolve) => setTimeout(resolve, 1));
        signal.throwIfAborted();
        return "worked";
      },
    });
  const agent = createAgent({
    name: "tester",
    model: scriptedModel(parseScript({ steps: scriptOf(tasks) })),
    tools: [taskTool(), tool("slow"), tool("risky")],
    rules: [{ allow: "task" }, { allow: "slow" }],
  });
  let asked = 0;
  const ask: Ask = () => {
    const isYes = answers[asked++ % answers.length] ?? true;
    const optionId = isYes ? "allow_once" : "reject_once";
    return Promise.resolve({ outcome: { type: "selected", optionId }, by: "person" });
  };
  let left = [...troubles].toSorted(([one], [other]) => one - other);
  for (;;) {
    const { lent, die } = mortal(ledger);
    const session = await AgentSession.open({
      agent,
      ledger: lent,
      workspace: place,
      sessionId: "s",
      leaseMs: 20,
      leaseWaitMs: 5_000,
    });
    const abort = new AbortController();
    let gone = () => {};
    const isGone = new Promise<"gone">((resolve) => {
      gone = () => {
        die();
        resolve("gone");
      };
    });
    session.onRecorded(() => {
      const due = left.filter(([after]) => session.seq >= after);
      left = left.filter(([after]) => session.seq < after);
      for (const [, trouble] of due) {
        if (trouble.type === "abort") abort.abort();
        else if (trouble.type === "reopen") gone();
        else {
          const open = session.book.openCalls();
          const chosen = open[trouble.which % Math.max(1, open.length)];
          if (chosen) void session.gate.cancelCall(chosen.toolCallId, "not wanted.").catch(() => undefined);
        }
      }
    });
    const { turn: found } = session.book;
    const start = () => (found ? session.advance(abort.signal) : session.prompt(text("go"), abort.signal));
    // The process may have died at its last event.
    const isOver = found?.state.status === "stopped";
    const turn = isOver ? Promise.resolve() : waitForTurn(session, ask, abort.signal, start);
    const end = await Promise.race([turn.then(() => "ended" as const), isGone]);
    if (end === "ended") {
      await session.close();
      return { session, ledger, ran };
    }
    turn.catch(() => undefined);
  }
}

/** A process that is gone asks nothing of the ledger any more, and gets no answer. */
function mortal(ledger: MemoryLedger) {
  let isDead = false;
  const lent = new Proxy(ledger, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: readonly unknown[]): unknown =>
        isDead ? new Promise(() => {}) : Reflect.apply(member, target, args);
    },
  });
  return { lent, die: () => void (isDead = true) };
}

async function expectEnded(one: Case, place: LocalWorkspace): Promise<void> {
  const { session, ledger, ran } = await play(one, place);
  const { book } = session;
  expect(book.turn?.state.status).toBe("stopped");
  expect(book.openCalls()).toEqual([]);
  expect(await ledger.openQuestions()).toEqual([]);
  for (const times of ran.values()) expect(times).toBe(1);
  const tasks = [...book.calls()].flatMap(({ name, toolCallId }) => (name === "task" ? toolCallId : []));
  for (const { name, parentToolCallId } of book.calls())
    if (name !== "task") expect(tasks).toContain(parentToolCallId);
  const events = (await ledger.read("s")).map(({ event }) => event);
  expect(new SessionBook("s", events).snapshot()).toEqual(book.snapshot());
}

test("ends sub-agents and their calls whatever happens, and runs nothing twice", async () => {
  const place = await workspace();
  const always = fc.asyncProperty(cases, (one) => expectEnded(one, place));
  await expect(
    fc.assert(always, { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 25) }),
  ).resolves.toBeUndefined();
}, 60_000);

// Written out: these two go through the narrow moments, where an answer and a cancel come at once.
test.each<[string, Case["tasks"]]>([
  ["one sub-agent", [[["risky"], ["slow"]]]],
  ["two sub-agents", [[["risky"], ["slow"]], [["slow"]]]],
])(
  "at every moment of a turn with %s, a task or a call of it can be cancelled",
  async (_, tasks) => {
    const place = await workspace();
    for (const which of [0, 1])
      for (let moment = 10; moment < 40; moment += 1) {
        const troubles: Case["troubles"] = [[moment, { type: "cancel", which }]];
        await expect(expectEnded({ tasks, troubles, answers: [false] }, place)).resolves.toBeUndefined();
      }
  },
  60_000,
);
