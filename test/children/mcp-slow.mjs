/**
 * An MCP server that takes a minute to start, and until then does not read its stdin, so it does not notice when stdin
 * closes. The server writes its process id to the file in the first argument. With "stubborn" it ignores SIGTERM; with
 * "quick" it responds at once, has no tools, and writes its id when a client lists them. "quick-stubborn" is both.
 */
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , notes, behaviour = ""] = process.argv;
if (behaviour.endsWith("stubborn")) process.on("SIGTERM", () => undefined);
const note = () => appendFileSync(notes, `${process.pid}\n`);
const isQuick = behaviour.startsWith("quick");
if (!isQuick) note();
setTimeout(() => undefined, 60_000);

const RESULTS = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "quick", version: "1" },
  },
  "tools/list": { tools: [] },
};

if (isQuick)
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    const result = RESULTS[method];
    if (method === "tools/list") note();
    if (result) process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
  });
