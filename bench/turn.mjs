// A turn with 200 scripted calls through the whole agent (the model's stream, drafts of the inputs, the prompt that
// is built again from the history for each step) against the gate alone with the same 200 calls, one after the other
// and all at once, into a ledger in memory and into SQLite. The contenders take turns in every round; the
// figure is the median of the rounds' ratios.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  AgentSession,
  createAgent,
  defineTool,
  LocalWorkspace,
  MemoryLedger,
  openGate,
  openLedger,
  scriptedModel,
} from "toolgate";
import { z } from "zod";
import { compareAsync, median } from "./measure.mjs";

const CALLS = 200;
const ROUNDS = 15;
const WARM = 3;

const folder = mkdtempSync(join(tmpdir(), "toolgate-bench-"));
const workspace = await LocalWorkspace.open(folder);
const input = z.object({ path: z.string(), from: z.number().int() });
const run = async ({ path, from }) => `${path}:${from}`;
const tool = defineTool({ name: "look_up", description: "Looks up.", kind: "read", input, run });
const rules = [{ allow: "read" }];
const inputs = Array.from({ length: CALLS }, (_, from) => ({
  path: `/home/user/project/src/${from}.ts`,
  from,
}));
const calls = inputs.map((one) => ({ tool: "look_up", input: one }));
const scripts = {
  "one after the other": [...calls.map((call) => ({ calls: [call] })), { say: "Done." }],
  "all at once": [{ calls }, { say: "Done." }],
};
const { signal } = new AbortController();
let sessions = 0;

/** Milliseconds of the turn itself: sessions are opened and closed by themselves. */
async function throughTheAgent(steps, ledger) {
  const agent = createAgent({
    name: "bench",
    model: scriptedModel({ steps }),
    tools: [tool],
    rules,
    maxSteps: CALLS + 1,
  });
  const session = await AgentSession.open({ agent, ledger, workspace, sessionId: `s${(sessions += 1)}` });
  return {
    turn: async () => {
      const end = await session.prompt([{ type: "text", text: "Look all of them up." }], signal);
      mustBe(end.stopReason === "end_turn" && countDone(session.book) === CALLS, end);
    },
    close: () => session.close(),
  };
}

async function throughTheGate(steps, ledger) {
  const gate = await openGate({ ledger, workspace, tools: [tool], rules, sessionId: `s${(sessions += 1)}` });
  return {
    turn: async () => {
      for (const { calls: together = [] } of steps) {
        await gate.submit(together.map((call) => ({ name: call.tool, input: call.input })));
        await gate.proceed(signal);
      }
      mustBe(countDone(gate.book) === CALLS, "the gate");
    },
    close: () => gate.close(),
  };
}

const countDone = (book) => [...book.calls()].filter(({ state }) => state.status === "done").length;

function mustBe(isSo, what) {
  if (!isSo) throw new Error(`Not all ${CALLS} calls were done: ${JSON.stringify(what)}`);
}

async function compareOn(where, ledger) {
  for (const [how, steps] of Object.entries(scripts)) {
    const rounds = [];
    for (let round = 0; round < WARM + ROUNDS; round += 1) {
      const [agent, gate] = [await throughTheAgent(steps, ledger), await throughTheGate(steps, ledger)];
      // Neither is always the first.
      const order = round % 2 === 0 ? { agent, gate } : { gate, agent };
      const named = Object.entries(order).map(([name, { turn }]) => [name, turn]);
      const times = await compareAsync(Object.fromEntries(named), 1);
      await agent.close();
      await gate.close();
      if (round >= WARM) rounds.push(times);
    }
    const of = (pick) => median(rounds.map(pick));
    line(
      `${where}, ${how}`,
      [of(({ agent }) => agent), of(({ gate }) => gate)],
      of(({ agent, gate }) => agent / gate),
    );
  }
}

const perCall = (milliseconds) =>
  `${milliseconds.toFixed(1).padStart(7)} ms (${((milliseconds * 1000) / CALLS).toFixed(0).padStart(4)} µs a call)`;

function line(what, [agent, gate], ratio) {
  console.log(`  ${what.padEnd(30)} agent ${perCall(agent)}   gate ${perCall(gate)}   ${ratio.toFixed(2)} ×`);
}

try {
  console.log(
    `turn: ${CALLS} scripted calls through the whole agent, against the gate alone, ${ROUNDS} rounds`,
  );
  await compareOn("in memory", new MemoryLedger());
  const sqlite = await openLedger(join(folder, "ledger.sqlite"));
  await compareOn("SQLite", sqlite);
  await sqlite.close();
} finally {
  rmSync(folder, { recursive: true });
}
