// One instance of many on a PostgreSQL ledger: takes sessions of its place, and runs their steps one after the other.
// A step is recorded, then run (one line in a file), then recorded as done. Every acknowledgement goes into a log of its
// own, which the test compares with the ledger.
import { appendFileSync } from "node:fs";
import { openLedger } from "../../src/history/index.ts";

const [address, folder, name, sessions] = process.argv.slice(2);
const LEASE = { milliseconds: 2_000 };
const DURABLE = { durable: true };
const acknowledged = (line) => appendFileSync(`${folder}/${name}.acknowledged`, `${line}\n`);
const step = (text) => ({
  type: "message-chunk",
  at: Date.now(),
  messageId: "m",
  role: "agent",
  block: { type: "text", text },
});
const ledger = await openLedger(address, { place: "crash suite" });
const over = new AbortController();
process.on("message", () => {
  over.abort();
});
process.send?.("ready");

async function runSome(sessionId) {
  const lease = await ledger.claim(sessionId, `${name} ${process.pid}`, LEASE);
  acknowledged(`fence ${lease.fence}`);
  let newest = lease;
  const renew = async () => {
    newest = await ledger.renew(newest, LEASE).catch(() => newest);
  };
  const renewal = setInterval(() => void renew(), LEASE.milliseconds / 3);
  try {
    const log = await ledger.read(sessionId, { limit: 100_000 });
    // A step that was started and not recorded as done may have run: it is never run again.
    const started = log.flatMap(({ event: { block } }) => /^start (\d+)/.exec(block.text)?.[1] ?? []);
    let number = Math.max(0, ...started.map(Number));
    for (let count = 0; count < 8 && !over.signal.aborted; count++) {
      number += 1;
      const text = `start ${number} ${name}`;
      acknowledged(`event ${sessionId} ${await ledger.append(newest, [step(text)], DURABLE)} ${text}`);
      appendFileSync(`${folder}/runs`, `${sessionId} ${number}\n`);
      const end = `done ${number} ${name}`;
      acknowledged(`event ${sessionId} ${await ledger.append(newest, [step(end)], DURABLE)} ${end}`);
    }
  } finally {
    clearInterval(renewal);
    await ledger.release(newest).catch(() => undefined);
  }
}

while (!over.signal.aborted) {
  const sessionId = `session-${Math.floor(Math.random() * Number(sessions))}`;
  await runSome(sessionId).catch((error) => {
    if (error.code === undefined || !/^LEASE_|^LEDGER_/.test(error.code)) {
      appendFileSync(`${folder}/errors`, `${error.stack}\n`);
    }
  });
}
await ledger.close();
process.exit(0);
