// One instance of many on a PostgreSQL ledger. Takes turns over as `toolgate serve` does, and runs them with the real gate
// and a tool that appends one line to `runs` for each run. Every acknowledgement goes into a log of its own, which the
// test compares with the ledger. Usage: postgres-worker.mjs <ledger> <folder> <name> <lease in milliseconds> <steps>
import { appendFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { takeOverWork } from "../../src/aap/turns/take-over-work.ts";
import { AgentSession, createAgent } from "../../src/agent/index.ts";
import { openLedger } from "../../src/history/index.ts";
import { defineTool, LocalWorkspace } from "../../src/tools/index.ts";
import { markingModel } from "./marking-model.mjs";

const [address, folder, name, leaseMs, steps] = process.argv.slice(2);
const log = (line) => appendFileSync(`${folder}/${name}.acknowledged`, `${line}\n`);
const trueNow = Date.now;
let shiftMs = 0;
Date.now = () => trueNow() + shiftMs;

/** The effect comes in the middle of the run, so that a fault can fall on either side of it. */
const mark = defineTool({
  name: "mark",
  description: "Leaves a mark.",
  kind: "other",
  input: z.object({ word: z.string() }),
  run: async ({ word }) => {
    await setTimeout(Math.random() * 20);
    appendFileSync(`${folder}/runs`, `${word}\n`);
    await setTimeout(Math.random() * 20);
    return `marked ${word}`;
  },
});

const store = await openLedger(address, { place: "crash suite" });
const logged = {
  claim: async (...values) => {
    const lease = await store.claim(...values);
    log(`fence ${lease.fence}`);
    return lease;
  },
  append: async (lease, events, options) => {
    const texts = events.map((event) => JSON.stringify(event));
    const last = await store.append(lease, events, options);
    for (const [index, text] of texts.entries())
      log(`event ${lease.sessionId} ${last - texts.length + 1 + index} ${text}`);
    return last;
  },
};
/** Logs what the store acknowledged, in the moment of the acknowledgement. */
const ledger = new Proxy(store, {
  get: (target, key) => {
    const value = logged[key] ?? target[key];
    return typeof value === "function" ? value.bind(target) : value;
  },
});

const agent = createAgent({
  name: "crash",
  model: markingModel(Number(steps)),
  tools: [mark],
  rules: [{ allow: "*" }],
});
const workspace = await LocalWorkspace.open(folder);
const over = new AbortController();

/** Errors of a fault have a code of the ledger; any other is a bug, and so is LOG_BEHIND: this server loses nothing. */
function note(error) {
  if (!/^(LEASE|LEDGER)_|^APPEND_UNKNOWN$/.test(error?.code ?? ""))
    appendFileSync(`${folder}/errors`, `${error?.stack}\n`);
}

async function takeOver(sessionId) {
  let session;
  try {
    session = await AgentSession.open({ agent, ledger, workspace, sessionId, leaseMs: Number(leaseMs) });
  } catch (error) {
    note(error);
    return "left";
  }
  try {
    // Another worker may have ended the turn between the list of work and the claim.
    if (session.book.turn?.state.status === "stopped") return "left";
    await session.advance(over.signal);
  } catch (error) {
    note(error);
  } finally {
    await session.close().catch(note);
  }
  return "taken";
}

/** How long the machine kept this process from running: a late take-over may be due to that alone. */
const loopDelay = monitorEventLoopDelay({ resolution: 10 });
loopDelay.enable();

process.on("message", (message) => {
  if (message === "over") over.abort();
  else if (message === "lag") {
    process.send({ lagMs: loopDelay.max / 1e6 });
    loopDelay.reset();
  } else ({ shiftMs } = message);
});
process.send?.("ready");
await takeOverWork({ ledger, onError: note, parts: [takeOver], onTaken: () => undefined }, over.signal);
await store.close().catch(note);
process.exit(0);
