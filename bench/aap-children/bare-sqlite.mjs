// The least that a server does which asks a model and keeps its turns: no framework, no checks, no events, no lease. This server
// reads the same model as ours, and stores the prompt before it asks and the response before it answers, as rows of one table by
// the same driver, all that wait in one commit.
import { DatabaseSync } from "@photostructure/sqlite";
import { createServer } from "node:http";
import { model } from "./model.mjs";
import { listening } from "./work.mjs";

const database = new DatabaseSync(process.argv[2]);
database.exec("pragma journal_mode = wal; pragma wal_autocheckpoint = 4000");
database.exec(
  "create table events (session text, seq integer, event text, primary key (session, seq)) without rowid",
);
const insert = database.prepare("insert into events values (?, ?, ?)");

let waiting = [];
let isSynced;

function commitAll() {
  const writes = waiting;
  waiting = [];
  const mustSync = writes.some(({ isDurable }) => isDurable);
  if (mustSync !== isSynced) database.exec(`pragma synchronous = ${mustSync ? "full" : "normal"}`);
  isSynced = mustSync;
  database.exec("begin immediate");
  for (const { rows } of writes) for (const row of rows) insert.run(...row);
  database.exec("commit");
  for (const { done } of writes) done();
}

/** Resolves after the commit; a durable one survives a power cut. */
const store = (rows, { isDurable }) =>
  new Promise((done) => {
    if (waiting.length === 0) setImmediate(commitAll);
    waiting.push({ rows, isDurable, done });
  });

async function takeTurn(sessionId, first, content) {
  const row = (number, event) => [sessionId, first + number, JSON.stringify({ at: Date.now(), ...event })];
  const asked = [row(0, { type: "turn-started" }), row(1, { type: "message", role: "user", text: content })];
  await store(asked, { isDurable: false });
  const { stream } = await model.doStream({ prompt: [{ content: [{ text: content }] }] });
  let text = "";
  const reader = stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read())
    if (part.value.type === "text-delta") text += part.value.delta;
  const answered = [
    row(2, { type: "message", role: "agent", text }),
    row(3, { type: "turn-stopped", stopReason: "end_turn" }),
  ];
  await store(answered, { isDurable: true });
  return JSON.stringify({ messages: [{ role: "assistant", content: text }], stopReason: "end_turn" });
}

const lengths = new Map();

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.end();
    return;
  }
  let body = "";
  request.setEncoding("utf8").on("data", (text) => (body += text));
  request.on("end", () => void respond());
  const respond = async () => {
    const sessionId = request.url.split("/")[2] ?? `session-${lengths.size}`;
    const length = lengths.get(sessionId) ?? 0;
    lengths.set(sessionId, length + 4);
    const text = request.url.endsWith("/turns")
      ? await takeTurn(sessionId, length, JSON.parse(body).messages[0].content)
      : JSON.stringify({ sessionId });
    response.writeHead(200, { "content-type": "application/json" }).end(text);
  };
});
server.listen(0, "127.0.0.1", () => listening(`http://127.0.0.1:${server.address().port}`));
