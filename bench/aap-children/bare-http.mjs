// No agent, no ledger, no framework: reads the request and writes the recorded events, one after the other. With "durable"
// and a file, a turn that is sent whole is first written to the file as one line and synced: all that wait share a sync.
import { fdatasync, openSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import { FRAMES, NONE, pacedFrames } from "./recorded.mjs";
import { listening } from "./work.mjs";

const [, , , kind, file] = process.argv;
const log = kind === "durable" ? openSync(file, "a") : undefined;
let waiting = [];
let isSyncing = false;

function syncAll() {
  const synced = waiting;
  waiting = [];
  isSyncing = synced.length > 0;
  if (!isSyncing) return;
  fdatasync(log, (error) => {
    if (error) throw error;
    for (const done of synced) done();
    syncAll();
  });
}

/** Calls `done` when the line would survive a power cut. */
function keep(line, done) {
  if (log === undefined) {
    done();
    return;
  }
  writeSync(log, `${line}\n`);
  waiting.push(done);
  if (!isSyncing) syncAll();
}

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.end();
    return;
  }
  let body = "";
  request.setEncoding("utf8").on("data", (text) => (body += text));
  request.on("end", () => {
    const { stream, messages } = JSON.parse(body);
    if (stream === "none") {
      keep(NONE, () => response.writeHead(200, { "content-type": "application/json" }).end(NONE));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (messages[0].content === "paced") {
      pacedFrames(
        ({ text }) => response.write(text),
        () => response.end(),
      );
      return;
    }
    for (const { text } of FRAMES) response.write(text);
    response.end();
  });
});
server.listen(0, "127.0.0.1", () => listening(`http://127.0.0.1:${server.address().port}`));
