// Opens sessions as fast as it can, in order, each with a durable first append when it wins. Usage: racer.mjs <file> <count>
import { openLedger, SessionRecord } from "toolgate";

const [file, count] = process.argv.slice(2);
const ledger = await openLedger(file);
const [won, lost] = [[], []];
// A process that listens stays, and with it the leases, until the bench disconnects.
process.on("message", () => void run());
process.send("ready");

async function run() {
  const records = [];
  for (let index = 0; index < Number(count); index += 1) {
    const start = performance.now();
    try {
      const record = await SessionRecord.open(ledger, `session-${index}`, { owner: `racer ${process.pid}` });
      records.push(record);
      won.push(index);
      await record.append([{ type: "info-changed", at: Date.now(), info: { title: `by ${process.pid}` } }], {
        durable: true,
      });
    } catch (error) {
      if (error.code !== "LEASE_HELD") throw error;
      lost.push(performance.now() - start);
    }
  }
  process.send({ won, lost });
}
