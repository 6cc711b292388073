/**
 * Plays a recorded agent: sends the agent's lines in their order, each after the client's lines that came before it.
 * Arguments: the recording, and a file for the answers that the agent gets.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , recording, notes] = process.argv;
const steps = readFileSync(recording, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

const received = [];
let wake = () => undefined;
createInterface({ input: process.stdin })
  .on("line", (line) => {
    received.push(JSON.parse(line));
    wake();
  })
  .on("close", () => process.exit(0));

/** Takes the first message that fits out of the queue, and waits for one. */
async function next(fits) {
  for (;;) {
    const index = received.findIndex(fits);
    if (index !== -1) return received.splice(index, 1)[0];
    await new Promise((resolve) => (wake = resolve));
  }
}

/** The client's ids of this run, by those of the recording. */
const ids = new Map();
let folders;

const send = (line) => {
  const text = folders ? line.replaceAll(folders.recorded, folders.real) : line;
  process.stdout.write(`${text}\n`);
};

for (const { dir, line } of steps) {
  const message = JSON.parse(line);
  if (dir === "<") {
    const isAnswer = message.method === undefined;
    send(isAnswer ? JSON.stringify({ ...message, id: ids.get(message.id) }) : line);
  } else if (message.method === undefined) {
    const { jsonrpc: _, ...answer } = await next(
      ({ id, method }) => method === undefined && id === message.id,
    );
    appendFileSync(notes, `${JSON.stringify(answer)}\n`);
  } else {
    const { id, params } = await next(({ method }) => method === message.method);
    ids.set(message.id, id);
    if (message.method === "session/new") folders = { recorded: message.params.cwd, real: params.cwd };
  }
}

// The recording is over; a client may still close the session, or prompt again.
for (;;) {
  const { id, method, params } = await next((message) => message.method !== undefined);
  appendFileSync(notes, `${JSON.stringify({ method, params })}\n`);
  if (id !== undefined)
    send(
      JSON.stringify({
        jsonrpc: "2.0",
        id,
        result: method === "session/prompt" ? { stopReason: "end_turn" } : {},
      }),
    );
}
