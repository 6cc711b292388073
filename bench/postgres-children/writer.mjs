// One of several instances that write at the same time: appends to its own sessions, all of them at once, until the
// bench stops it, and reports how many appends it made and the CPU time that they took.
import { openLedger } from "toolgate/history";

const [address, name, count] = process.argv.slice(2);
const ledger = await openLedger(address);
const claims = Array.from({ length: Number(count) }, (_, index) =>
  ledger.claim(`${name} ${index}`, name, { milliseconds: 6e5 }),
);
const leases = await Promise.all(claims);
const text = "What an agent says in the course of a day, and some more of it. ".repeat(4);
const event = {
  type: "message-chunk",
  at: 1.7e12,
  messageId: "m",
  role: "agent",
  block: { type: "text", text },
};
const over = new AbortController();
process.on("message", (message) => {
  if (message === "stop") over.abort();
  if (message === "start") void write();
});
process.send("ready");

async function write() {
  const before = process.cpuUsage();
  let appends = 0;
  while (!over.signal.aborted) {
    await Promise.all(leases.map((lease) => ledger.append(lease, [event], { durable: true })));
    appends += leases.length;
  }
  const { user, system } = process.cpuUsage(before);
  process.send({ appends, cpuMs: (user + system) / 1000 });
  await ledger.close();
  process.exit();
}
