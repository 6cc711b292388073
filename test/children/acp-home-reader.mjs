// An ACP agent that does not ask: it reads the file that is its argument and says what it read.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

function read() {
  try {
    return readFileSync(process.argv[2], "utf8");
  } catch {
    return "nothing";
  }
}

const ANSWERS = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {}, authMethods: [] }),
  "session/new": () => ({ sessionId: "s1" }),
  "session/prompt": () => {
    const content = { type: "text", text: `It read: ${read()}` };
    const update = { sessionUpdate: "agent_message_chunk", content };
    send({ method: "session/update", params: { sessionId: "s1", update } });
    return { stopReason: "end_turn" };
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) send({ id, result: ANSWERS[method]?.() ?? {} });
});
