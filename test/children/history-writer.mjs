// A process that appends to session s1. Usage: history-writer.mjs <ledger> flood|once [<milliseconds>]
// flood: two events at a time for ever, printing each acknowledged seq. once: claims for so many milliseconds,
// prints that, waits for a line, and prints with which codes appending and renewing end.
import { createInterface } from "node:readline";
import { openLedger } from "../../src/history/index.js";

const [file, what, milliseconds = "60000"] = process.argv.slice(2);
const tell = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const codeOf = (promise) =>
  promise.then(
    () => "none",
    (thrown) => thrown.code,
  );
const said = (at) => ({
  type: "message-chunk",
  at,
  messageId: "m",
  role: "agent",
  block: { type: "text", text: `${at}` },
});
const ledger = await openLedger(file);
const lease = await ledger.claim("s1", "ann", { milliseconds: Number(milliseconds) });
tell("ready");
if (what === "flood") {
  for (let at = 1; ; at += 2) {
    tell(await ledger.append(lease, [said(at), said(at + 1)], { durable: at % 4 === 1 }));
  }
}
for await (const _ of createInterface(process.stdin)) {
  tell([
    await codeOf(ledger.append(lease, [said(1)], { durable: true })),
    await codeOf(ledger.renew(lease, { milliseconds: 1000 })),
  ]);
  process.exit();
}
