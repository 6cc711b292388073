/** The SDK's example agent, in short: it edits a file in the client's workspace when it is allowed to. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import * as acp from "@agentclientprotocol/sdk";

const { session: toAgent } = acp.methods.agent;
const { session: toClient, fs, terminal } = acp.methods.client;

export function sdkAgent() {
  const sessions = new Map();
  return acp
    .agent({ name: "example" })
    .onRequest(acp.methods.agent.initialize, () => ({
      protocolVersion: acp.PROTOCOL_VERSION,
      agentInfo: { name: "sdk-example", version: "1.0.0" },
      agentCapabilities: { loadSession: false },
      authMethods: [],
    }))
    .onRequest(toAgent.new, ({ params }) => {
      const sessionId = randomUUID();
      sessions.set(sessionId, { cwd: params.cwd });
      return { sessionId };
    })
    .onRequest(toAgent.setMode, () => ({}))
    .onNotification(toAgent.cancel, ({ params }) => sessions.get(params.sessionId)?.turn?.abort())
    .onRequest(toAgent.prompt, async ({ params: { sessionId, prompt }, client, signal }) => {
      // The reason of a no is no new task.
      if (/ was refused\. The user's reason: /.test(prompt[0]?.text)) return { stopReason: "end_turn" };
      const session = sessions.get(sessionId);
      session.turn = new AbortController();
      const stop = AbortSignal.any([session.turn.signal, signal]);
      const send = (update) => client.notify(toClient.update, { sessionId, update });
      const path = join(session.cwd, "config.json");
      await send({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "I will look. " } });
      await send({
        sessionUpdate: "plan",
        entries: [{ content: "Edit", priority: "high", status: "pending" }],
      });
      await send({
        sessionUpdate: "tool_call",
        toolCallId: "read",
        title: "Reading",
        kind: "read",
        status: "in_progress",
        locations: [{ path }],
      });
      const { content: oldText } = await client.request(fs.readTextFile, { sessionId, path });
      await send({
        sessionUpdate: "tool_call_update",
        toolCallId: "read",
        status: "completed",
        rawOutput: { oldText },
      });
      const newText = oldText.replace("old", "new");
      const edit = {
        title: "Edit config.json",
        kind: "edit",
        rawInput: { path, content: newText },
        content: [{ type: "diff", path, oldText, newText }],
      };
      await send({ sessionUpdate: "tool_call", toolCallId: "edit", status: "pending", ...edit });
      const { outcome } = await client.request(
        toClient.requestPermission,
        {
          sessionId,
          toolCall: { toolCallId: "edit", ...edit },
          options: [
            { kind: "allow_once", name: "Allow this change", optionId: "allow" },
            { kind: "reject_once", name: "Skip this change", optionId: "reject" },
          ],
        },
        { cancellationSignal: stop },
      );
      if (outcome.outcome === "cancelled" || stop.aborted) {
        await send({ sessionUpdate: "tool_call_update", toolCallId: "edit", status: "failed" });
        return { stopReason: "cancelled" };
      }
      const isYes = outcome.optionId === "allow";
      if (isYes) await send({ sessionUpdate: "tool_call_update", toolCallId: "edit", status: "in_progress" });
      if (isYes) await client.request(fs.writeTextFile, { sessionId, path, content: newText });
      await send({
        sessionUpdate: "tool_call_update",
        toolCallId: "edit",
        status: isYes ? "completed" : "failed",
      });
      const { terminalId } = await client.request(terminal.create, {
        sessionId,
        command: "cat",
        args: [path],
      });
      await send({
        sessionUpdate: "tool_call",
        toolCallId: "cat",
        title: "cat",
        kind: "execute",
        status: "in_progress",
        content: [{ type: "terminal", terminalId }],
      });
      await client.request(terminal.waitForExit, { sessionId, terminalId });
      await client.request(terminal.release, { sessionId, terminalId });
      await send({ sessionUpdate: "tool_call_update", toolCallId: "cat", status: "completed" });
      await send({
        sessionUpdate: "agent_message_chunk",
        content: { type: "text", text: isYes ? "Done." : "I left it." },
      });
      return { stopReason: "end_turn" };
    });
}
