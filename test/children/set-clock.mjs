/**
 * A turn whose tool sets the wall clock one hour ahead. Prints how far the clock went, and how long the call and the turn
 * took by the record and by their spans. The first argument is the file that the wall clock follows, in seconds.
 */
import { writeFileSync } from "node:fs";
import { trace } from "@opentelemetry/api";
import { z } from "zod";
import { AgentSession, createAgent } from "../../src/agent/index.js";
import { MemoryLedger } from "../../src/history/index.js";
import { scriptedModel } from "../../src/model/index.js";
import { defineTool, LocalWorkspace } from "../../src/tools/index.js";

const [clockFile] = process.argv.slice(2);
const spans = [];
trace.setGlobalTracerProvider({
  getTracer: () => ({
    startSpan: (name, { startTime }) => ({
      setAttribute: () => undefined,
      setAttributes: () => undefined,
      setStatus: () => undefined,
      spanContext: () => ({}),
      end: (endTime) => spans.push({ name, ms: endTime - startTime }),
    }),
  }),
});
const setClock = defineTool({
  name: "set_clock",
  description: "Sets the clock.",
  kind: "other",
  input: z.object({}),
  run: async () => {
    writeFileSync(clockFile, "+3600");
    return "done";
  },
});
const ledger = new MemoryLedger();
const session = await AgentSession.open({
  agent: createAgent({
    name: "setter",
    model: scriptedModel({ steps: [{ calls: [{ tool: "set_clock", input: {} }] }, { say: "Done." }] }),
    tools: [setClock],
    rules: [{ allow: "*" }],
  }),
  ledger,
  workspace: await LocalWorkspace.open("."),
  sessionId: "s",
});
const before = Date.now();
await session.prompt([{ type: "text", text: "go" }], new AbortController().signal);
const jumpedMs = Date.now() - before;
const stopped = (await ledger.read("s")).find(({ event }) => event.type === "turn-stopped");
const { ranMs } = session.book.call("call_1").times;
await session.close();
process.stdout.write(JSON.stringify({ jumpedMs, ranMs, tookMs: stopped.event.tookMs, spans }));
