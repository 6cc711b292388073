// The same work by an agent on the ACP SDK, which checks and records nothing: it only builds the updates and sends them.
import { Readable, Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import * as acp from "@agentclientprotocol/sdk";
import { CALLS, DIFF, REPORTS } from "./work.mjs";

const { session: toAgent } = acp.methods.agent;
const { session: toClient } = acp.methods.client;
let sessions = 0;

async function edit(index, send) {
  const toolCallId = `call-${index}`;
  const path = `/work/file-${index}.ts`;
  await send({
    sessionUpdate: "tool_call",
    toolCallId,
    title: `Edit it ${index}`,
    kind: "edit",
    status: "pending",
    rawInput: { index },
  });
  await send({ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" });
  for (let done = 1; done <= REPORTS; done += 1) {
    const _meta = { progress: { done, total: REPORTS } };
    await send({ sessionUpdate: "tool_call_update", toolCallId, _meta });
    await setImmediate();
  }
  await send({
    sessionUpdate: "tool_call_update",
    toolCallId,
    status: "completed",
    content: [{ type: "diff", path, ...DIFF }],
    rawOutput: { changed: true },
  });
}

const connection = acp
  .agent({ name: "sdk" })
  .onRequest(acp.methods.agent.initialize, () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    agentCapabilities: {},
    authMethods: [],
  }))
  .onRequest(toAgent.new, () => ({ sessionId: `sdk-${(sessions += 1)}` }))
  .onRequest(toAgent.close, () => ({}))
  .onRequest(toAgent.prompt, async ({ params: { sessionId }, client }) => {
    const send = (update) => client.notify(toClient.update, { sessionId, update });
    await Promise.all(Array.from({ length: CALLS }, (_, index) => edit(index, send)));
    return { stopReason: "end_turn" };
  })
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
await connection.closed;
process.exit();
