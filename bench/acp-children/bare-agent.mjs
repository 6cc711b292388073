// No agent at all: it writes the lines that it was given, one after the other, as fast as Node stringifies and writes.
import { readFileSync } from "node:fs";

const [file] = process.argv.slice(2);
const updates = file === undefined ? [] : JSON.parse(readFileSync(file, "utf8"));
const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

let rest = "";
let open = 0;
let sessions = 0;
let prompt;
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  rest += chunk;
  for (let end = rest.indexOf("\n"); end !== -1; end = rest.indexOf("\n")) {
    receive(JSON.parse(rest.slice(0, end)));
    rest = rest.slice(end + 1);
  }
});
process.stdin.on("end", () => process.exit());

function receive({ id, method, params }) {
  if (method === "initialize") send({ jsonrpc: "2.0", id, result: { protocolVersion: 1 } });
  else if (method === "session/new")
    send({ jsonrpc: "2.0", id, result: { sessionId: `bare-${(sessions += 1)}` } });
  else if (method === "session/close") send({ jsonrpc: "2.0", id, result: {} });
  else if (method === "session/prompt" && params.prompt[0].text === "ask") askAll(id);
  else if (method === "session/prompt") {
    for (const message of updates) {
      message.params.sessionId = params.sessionId;
      send(message);
    }
    send({ jsonrpc: "2.0", id, result: { stopReason: "end_turn" } });
  } else if (method === undefined && --open === 0)
    send({ jsonrpc: "2.0", id: prompt, result: { stopReason: "end_turn" } });
}

function askAll(id) {
  prompt = id;
  for (const message of updates) {
    if (message.method === "session/request_permission") open += 1;
    send(message);
  }
}
