// An MCP server over stdio with one tool. The tool appends a word to the file in the first argument, in the middle of
// its run. The server ends when its input does.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";

const [, , effects] = process.argv;
const pause = () => setTimeout(Math.random() * 8);
const inputSchema = { type: "object", properties: { word: { type: "string" } }, required: ["word"] };

const RESULTS = {
  initialize: () => ({
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "marks", version: "1" },
  }),
  "tools/list": () => ({ tools: [{ name: "mark", inputSchema }] }),
  "tools/call": async ({ arguments: { word } }) => {
    await pause();
    appendFileSync(effects, `${word}\n`);
    await pause();
    return { content: [{ type: "text", text: `marked ${word}` }] };
  },
};

createInterface({ input: process.stdin }).on("line", (line) => void respond(JSON.parse(line)));

async function respond({ id, method, params }) {
  const result = await RESULTS[method]?.(params);
  if (result) process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}
