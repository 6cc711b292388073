// The SQLite ledger against the bare driver doing the same insert, in files side by side on the same disk:
// single durable appends, single appends that may wait, and a streamed burst of these.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { openLedger } from "toolgate/history";
import { compareAsync } from "./measure.mjs";

const ROUNDS = 21;
const SINGLE = 100;
const BURST = 1_000;

const folder = mkdtempSync(join(tmpdir(), "toolgate-bench-"));
const event = (index) => ({
  type: "message-chunk",
  at: 1_700_000_000_000 + index,
  messageId: "message-1",
  role: "agent",
  block: { type: "text", text: `chunk ${index} of what an agent says in the course of a day. `.repeat(4) },
});

const ledger = await openLedger(join(folder, "ledger.db"));
const lease = await ledger.claim("bench", "bench", { milliseconds: Infinity });
const bare = new DatabaseSync(join(folder, "bare.db"));
bare.exec("pragma journal_mode = wal");
bare.exec("create table events (session integer, seq integer, event text, primary key (session, seq))");
const insert = bare.prepare("insert into events values (1, ?, ?)");
let seq = 0;
const insertOne = (index) => insert.run((seq += 1), JSON.stringify(event(index)));

const each = (count, one) => async () => {
  for (let index = 0; index < count; index += 1) await one(index);
};
const synced = (mode, run) => async () => {
  bare.exec(`pragma synchronous = ${mode}`);
  await run();
};
const append = (options) => (index) => ledger.append(lease, [event(index)], options);

const times = await compareAsync(
  {
    durable: each(SINGLE, append({ durable: true })),
    bareDurable: synced("full", each(SINGLE, insertOne)),
    quick: each(SINGLE, append({ durable: false })),
    bareQuick: synced("normal", each(SINGLE, insertOne)),
    burst: () => Promise.all(Array.from({ length: BURST }, (_, index) => append({ durable: false })(index))),
    bareBurst: synced("normal", async () => {
      bare.exec("begin immediate");
      for (let index = 0; index < BURST; index += 1) insertOne(index);
      bare.exec("commit");
    }),
    batch: () =>
      ledger.append(
        lease,
        Array.from({ length: BURST }, (_, index) => event(index)),
        { durable: true },
      ),
  },
  ROUNDS,
);

console.log("ledger: SQLite, events of about 400 bytes, against the bare driver doing the same insert");
line("single durable appends", SINGLE, times.durable, times.bareDurable, "bar: 0.50");
line("single appends that may wait", SINGLE, times.quick, times.bareQuick);
line(`${BURST} appends in one turn`, BURST, times.burst, times.bareBurst);
line(`one append of ${BURST} events`, BURST, times.batch, times.bareBurst);
await ledger.close();
bare.close();
rmSync(folder, { recursive: true });

function line(what, count, ours, theirs, bar) {
  const rate = (milliseconds) => `${Math.round((count / milliseconds) * 1000)}/s`.padStart(9);
  const relative = (theirs / ours).toFixed(2);
  console.log(
    `  ${what.padEnd(30)} ${rate(ours)}   bare ${rate(theirs)}   relative speed ${relative}${bar ? ` (${bar})` : ""}`,
  );
}
