// The wire of the sample agents: JSON-RPC in lines, by hand, so that every part of it can be broken.
import { createInterface } from "node:readline";

/** True for the one requirement that this process is to break. */
export const breaks = (id) => process.env.BREAK === id;

const write = (text) => process.stdout.write(`${text}\n`);
export const send = (message) => write(JSON.stringify({ jsonrpc: "2.0", ...message }));

export class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const asked = new Map();
let nextId = 0;

/** Asks the client something. */
export function request(method, params) {
  const id = `agent-${nextId++}`;
  send({ id, method, params });
  return new Promise((resolve) => asked.set(id, resolve));
}

async function answer({ id, method, params }, handlers) {
  // A number that comes back as a string; not at once, or nothing would follow.
  const isChanged = breaks("ACP-JSONRPC-001") && method.endsWith("no_such_method");
  const echoed = isChanged ? String(id) : id;
  const fail = (code, message) => send({ id: echoed, error: { code, message } });
  if (method.endsWith("/conformance") && breaks("ACP-EXT-001")) return;
  const handler = handlers.get(method);
  if (!handler) unknown(method, fail, echoed);
  else
    try {
      const result = await handler(params ?? {}, (early) => send({ id: echoed, result: early }));
      if (result !== undefined) send({ id: echoed, result });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      fail(error.code, error.message);
      if (breaks("ACP-JSONRPC-005")) process.exit(1);
    }
}

function unknown(method, fail, id) {
  if (breaks("ACP-JSONRPC-002")) send({ id, result: {}, error: { code: "no", message: 1 } });
  else if (breaks("ACP-ERROR-001")) fail(-32601, "No such method.\n    at nowhere");
  else fail(breaks("ACP-JSONRPC-004") ? -32603 : -32601, `There is no method ${method}.`);
}

/** Serves until stdin ends. `handlers` and `notices` are Maps by method. */
export function serve({ handlers, notices }) {
  const input = createInterface({ input: process.stdin, crlfDelay: Infinity });
  if (breaks("ACP-TRANSPORT-001") || breaks("ACP-TRANSPORT-201")) write("Starting the agent ...");
  input.on("line", (line) => {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return send({ id: null, error: { code: -32700, message: "That is no JSON." } });
    }
    if (Array.isArray(message) && breaks("TOOLGATE-BATCH-001")) process.exit(1);
    if (Array.isArray(message) && breaks("TOOLGATE-BATCH-002")) return undefined;
    if (Array.isArray(message) && breaks("nothing: an array answers an array"))
      return write(
        JSON.stringify(
          message.map(({ id }) => ({
            jsonrpc: "2.0",
            id,
            error: { code: -32601, message: "No such method." },
          })),
        ),
      );
    if (Array.isArray(message) || (!message.method && !("id" in message)))
      return send({ id: null, error: { code: -32600, message: "That is no request." } });
    if (!message.method) return asked.get(message.id)?.(message.result ?? {});
    if ("id" in message) return answer(message, handlers);
    const isAnswered =
      (message.method.startsWith("_") && (breaks("ACP-JSONRPC-003") || breaks("ACP-EXT-201"))) ||
      (message.method === "session/cancel" && breaks("ACP-CANCEL-205"));
    if (isAnswered) send({ id: null, error: { code: -32601, message: "There is no such method." } });
    return notices.get(message.method)?.(message.params ?? {});
  });
  input.on("close", () => {
    if (breaks("ACP-SHUTDOWN-001")) setInterval(() => undefined, 1000);
    else process.exit(0);
  });
}
