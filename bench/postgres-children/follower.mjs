// Another instance: follows a session and reports when each event was seen, by the clock that all processes share.
import { openLedger } from "toolgate/history";

const ledger = await openLedger(process.argv[2]);
const { signal } = new AbortController();
process.send("ready");
for await (const { seq, event } of ledger.follow("followed", { signal })) {
  process.send({ seq, type: event.type, at: Number(process.hrtime.bigint()) / 1e6 });
}
