// Our connection without an agent behind it: it sends the lines that it was given, as the protocol's SDK alone would.
import { readFileSync } from "node:fs";
import { Peer } from "../../dist/acp/connection/peer.js";
import { stdioWire } from "../../dist/acp/connection/stdio-wire.js";

const messages = JSON.parse(readFileSync(process.argv[2], "utf8"));
let sessions = 0;

const peer = new Peer(stdioWire(process.stdin, process.stdout), {
  request: ({ method }) => {
    if (method === "initialize") return { protocolVersion: 1 };
    if (method === "session/new") return { sessionId: `connection-${(sessions += 1)}` };
    return method === "session/prompt" ? prompt() : {};
  },
  notification: () => undefined,
});
await peer.closed;
process.exit();

async function prompt() {
  const asked = [];
  for (const { method, params } of messages)
    if (method === "session/request_permission") asked.push(peer.request(method, params));
    else peer.notify(method, params);
  await Promise.all(asked);
  return { stopReason: "end_turn" };
}
