/**
 * An MCP server over stdio whose tools are the content of a file: the first argument. When the file changes, it
 * sends tools/list_changed. Each call is appended to the file that is the second argument.
 */
import { appendFileSync, readFileSync, watch } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";

const [, , list, notes] = process.argv;
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const tools = () => JSON.parse(readFileSync(list, "utf8"));

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "listed", version: "1" },
  }),
  "tools/list": () => ({ tools: tools() }),
  "tools/call": ({ name, arguments: input }) => {
    appendFileSync(notes, `${name} ${JSON.stringify(input)}\n`);
    if (input.dies) process.exit(1);
    return { content: [{ type: "text", text: "done" }] };
  },
};

let known = readFileSync(list, "utf8");
watch(dirname(list), () => {
  const now = readFileSync(list, "utf8");
  if (now === known) return;
  known = now;
  send({ method: "notifications/tools/list_changed" });
});

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id !== undefined) send({ id, result: answers[method]?.(params) ?? {} });
  })
  .on("close", () => process.exit());
