// History under load: durable appends of many callers at once against the bare driver that commits every 5 ms,
// how long an acknowledgement takes, replay, a snapshot and the events of one type against reading and parsing the same rows, and
// pages and searches in an index of a million calls. Everything is in a folder of its own, on the same disk, in the same run.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { readAll, savedSession, SessionBook, sessionFromSaved } from "toolgate/call";
import { openArchive, openLedger } from "toolgate/history";
import { compareAsync } from "./measure.mjs";

const ROUNDS = 9;
const CALLERS = 256;
const ROWS = 20_000;
const RATE = 5_000;
const SECONDS = 4;
const REPLAYED = 100_000;
const INDEXED = Number(process.env.BENCH_ROWS ?? 1_000_000);
const SESSIONS = 10_000;
const NOW = 1_700_000_000_000;

const folder = mkdtempSync(join(tmpdir(), "toolgate-bench-"));
const event = (index) => ({
  type: "message-chunk",
  at: NOW + index,
  messageId: "message-1",
  role: "agent",
  block: { type: "text", text: `chunk ${index} of what an agent says in the course of a day. `.repeat(4) },
});
try {
  await groupedWrites();
  await acknowledgements();
  await replay();
  await aMillion();
} finally {
  rmSync(folder, { recursive: true });
}

async function groupedWrites() {
  const ledger = await openLedger(join(folder, "grouped.db"));
  const leases = await Promise.all(
    Array.from({ length: CALLERS }, (_, index) =>
      ledger.claim(`s${index}`, "bench", { milliseconds: Infinity }),
    ),
  );
  const bare = new DatabaseSync(join(folder, "bare.db"));
  bare.exec("pragma journal_mode = wal; pragma synchronous = full");
  bare.exec("create table events (session integer, seq integer, event text, primary key (session, seq))");
  const insert = bare.prepare("insert into events values (?, ?, ?)");
  let seq = 0;
  const insertOne = (index) => insert.run(index % CALLERS, (seq += 1), JSON.stringify(event(index)));
  // The same callers, each waiting for its row; a commit has the rows of 5 ms.
  let waiting = [];
  const commit = () => {
    const rows = waiting;
    waiting = [];
    bare.exec("begin immediate");
    for (const { index } of rows) insertOne(index);
    bare.exec("commit");
    for (const { resolve } of rows) resolve();
  };
  const bareAppend = (index) =>
    new Promise((resolve) => {
      if (waiting.length === 0) void setTimeout(5).then(commit);
      waiting.push({ index, resolve });
    });
  const bareRun = () =>
    Promise.all(
      leases.map(async (_, caller) => {
        for (let index = caller; index < ROWS; index += CALLERS) await bareAppend(index);
      }),
    );
  // The driver's limit: nobody waits, and rows are always ready for another 5 ms.
  const floodRun = () => {
    for (let index = 0; index < ROWS;) {
      bare.exec("begin immediate");
      for (const end = performance.now() + 5; index < ROWS && performance.now() < end; index += 1)
        insertOne(index);
      bare.exec("commit");
    }
  };
  const ourRun = () =>
    Promise.all(
      leases.map(async (lease, caller) => {
        for (let index = caller; index < ROWS; index += CALLERS) {
          await ledger.append(lease, [event(index)], { durable: true });
        }
      }),
    );
  const { ours, theirs, flood } = await compareAsync(
    { ours: ourRun, theirs: bareRun, flood: floodRun },
    ROUNDS,
  );
  await ledger.close();
  bare.close();
  console.log(`history: ${ROWS} durable appends of one event of about 400 bytes, ${CALLERS} callers at once`);
  console.log(
    `  toolgate ${rate(ROWS, ours)}   bare driver, committed every 5 ms ${rate(ROWS, theirs)}   relative speed ${(theirs / ours).toFixed(2)} (bar: 0.80)`,
  );
  console.log(
    `  the bare driver when nobody waits for a row: ${rate(ROWS, flood)}, relative speed ${(flood / ours).toFixed(2)}`,
  );
}

async function acknowledgements() {
  const ledger = await openLedger(join(folder, "paced.db"));
  const lease = await ledger.claim("s", "bench", { milliseconds: Infinity });
  const times = [];
  const waiting = [];
  const startedAt = performance.now();
  for (let sent = 0; sent < RATE * SECONDS;) {
    const due = Math.min(RATE * SECONDS, ((performance.now() - startedAt) / 1000) * RATE);
    for (; sent < due; sent += 1) {
      const start = performance.now();
      waiting.push(
        ledger
          .append(lease, [event(sent)], { durable: true })
          .then(() => times.push(performance.now() - start)),
      );
    }
    await setTimeout(1);
  }
  await Promise.all(waiting);
  await ledger.close();
  console.log(`  acknowledged at ${RATE} rows/s: ${percentiles(times)}`);
}

async function replay() {
  const file = join(folder, "replay.db");
  const ledger = await openLedger(file);
  const lease = await ledger.claim("s", "bench", { milliseconds: Infinity });
  await ledger.append(lease, workingDay(REPLAYED), { durable: true });
  const bare = new DatabaseSync(file);
  const select = bare.prepare("select seq, event from events where session = 1 and seq > 0 order by seq");
  const readAndFold = async () => {
    const events = (await readAll(ledger, "s")).map((recorded) => recorded.event);
    return new SessionBook("s", events);
  };
  const kept = (await readAndFold()).snapshot();
  await ledger.keepSnapshot(lease, { seq: REPLAYED, saved: savedSession(kept) });
  const { ours, theirs, snapshot, keeping, typed } = await compareAsync(
    {
      ours: async () => (await readAndFold()).callCount,
      snapshot: async () => {
        const { seq, saved } = await ledger.snapshot("s");
        const book = SessionBook.restored(sessionFromSaved(saved));
        book.applyAll((await readAll(ledger, "s", { after: seq })).map((recorded) => recorded.event));
        return book.callCount;
      },
      typed: async () => (await ledger.read("s", { type: "info-changed" })).length,
      keeping: () => ledger.keepSnapshot(lease, { seq: REPLAYED, saved: savedSession(kept) }),
      theirs: () => select.all().map((row) => ({ seq: row.seq, event: JSON.parse(row.event) })).length,
    },
    ROUNDS,
  );
  bare.close();
  await ledger.close();
  console.log(
    `  replay of ${REPLAYED} events: read and fold ${ours.toFixed(0)} ms, read and parse the same rows ${theirs.toFixed(0)} ms, ratio ${(ours / theirs).toFixed(2)} (bar: 1.50)`,
  );
  console.log(
    `  … from a snapshot ${snapshot.toFixed(0)} ms, ratio ${(snapshot / theirs).toFixed(2)} (bar: 0.70); to keep one takes ${keeping.toFixed(0)} ms`,
  );
  console.log(`  … only the fields of a list ${typed.toFixed(0)} ms, ratio ${(typed / theirs).toFixed(2)}`);
}

/** A million calls, inserted by SQL: recording them would take most of an hour. */
async function aMillion() {
  const file = join(folder, "million.db");
  await (await openLedger(file)).close();
  const first = await openArchive(file);
  await first.refresh();
  await first.close();
  const session = `'session-' || n, ${NOW} + n, ${NOW} + n * 7, 1`;
  exec(
    file,
    `${counted(SESSIONS)} insert into sessions (number, session_id, created_at, updated_at, last_seq) select n, ${session} from counted`,
  );
  const words = ["parser", "kernel", "ledger", "turbine", "harbour", "lantern", "meadow", "copper"];
  const word = (by) =>
    `(case n / ${by} % 8 ${words.map((one, index) => `when ${index} then '${one}'`).join(" ")} end)`;
  const columns =
    "id, session, tool_call_id, name, kind, title, status, day, decided_by, rule, ran_ms, output_size, is_part";
  exec(
    `${file}.index`,
    `${counted(SESSIONS)} insert into sessions (number, session_id, created_at, updated_at, last_seq, cwd, calls, messages)
       select n, ${session}, '/home/user/project-' || (n % 50), 100, 0 from counted;
     ${counted(INDEXED)} insert into calls (${columns})
       select (${NOW} + n * 10) * 1024, n % ${SESSIONS} + 1, 'call-' || n, 'tool_' || (n % 20), 'execute', 'Run ' || n, 'done',
         '2023-11-14', 'rule', 'rule-' || (n % 7), n % 1000, 10, 0 from counted;
     drop trigger document_added;
     ${counted(INDEXED)} insert into documents (id, session, tags, text)
       select (${NOW} + n * 10) * 1024, n % ${SESSIONS} + 1, 'kindx',
         'npm test -- ' || ${word(1)} || ' in src/' || ${word(8)} || '/' || ${word(64)} || '-' || n || '.ts passed for everyone, number n' || n
       from counted;
     insert into search (search) values ('rebuild');
     create trigger document_added after insert on documents begin
       insert into search (rowid, tags, text) values (new.id, new.tags, new.text); end;`,
  );
  const opening = performance.now();
  const index = await openArchive(file);
  await index.calls({ limit: 50 });
  console.log(
    `  ${INDEXED} calls: opened and first page ${(performance.now() - opening).toFixed(0)} ms (bar: 1,000)`,
  );
  let before;
  const pages = await timed(500, async () => {
    const page = await index.calls({ limit: 50, ...(before && Math.random() < 0.7 && { before }) });
    before = page.next;
  });
  const deep = await timed(200, (n) =>
    index.calls({ limit: 50, before: String((NOW + ((n * 7919) % INDEXED) * 10) * 1024) }),
  );
  const ofTool = await timed(200, (n) => index.calls({ limit: 50, tool: `tool_${n % 20}` }));
  const sessions = await timed(200, (n) =>
    index.sessions({ limit: 50, ...(n % 2 && { cwd: `/home/user/project-${n % 50}` }) }),
  );
  console.log(`  a page of 50 calls: ${percentiles(pages)} (bar: 50)`);
  console.log(`  … from anywhere in them: ${percentiles(deep)}`);
  console.log(`  … of one tool: ${percentiles(ofTool)}`);
  console.log(`  a page of 50 sessions: ${percentiles(sessions)}`);
  const queries = (n) =>
    [
      words[n % 8],
      `${words[n % 8]} ${words[(n + 3) % 8]}`,
      `"src ${words[n % 8]}"`,
      `n${1 + ((n * 7919) % INDEXED)}`,
      `n${n % 90}*`,
      "passed nowhere",
      "pa*",
    ][n % 7];
  const searches = await timed(350, (n) => index.search({ text: queries(n), limit: 50 }));
  console.log(`  search: ${percentiles(searches)} (bar: 200)`);
  const statistics = await timed(3, () => index.statistics({ by: "tool" }));
  console.log(`  statistics by tool over all of them: ${percentiles(statistics)}`);
  await index.close();
}

function counted(count) {
  return `with recursive counted (n) as (select 1 union all select n + 1 from counted where n < ${count})`;
}

function exec(file, sql) {
  const database = new DatabaseSync(file);
  database.exec(`begin; ${sql}; commit`);
  database.close();
}

async function timed(count, run) {
  const times = [];
  for (let index = 0; index < count; index += 1) {
    const start = performance.now();
    await run(index);
    times.push(performance.now() - start);
  }
  return times;
}

function percentiles(times) {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))].toFixed(1);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
}

function rate(count, milliseconds) {
  return `${Math.round((count / milliseconds) * 1000)}/s`;
}

/** Thirteen events a call, as bench/fold.mjs has them. */
function workingDay(count) {
  const all = [];
  for (let call = 0; all.length < count; call += 1) {
    const toolCallId = `call_${call}`;
    const path = `/home/user/project/src/file-${call}.ts`;
    const at = NOW + call;
    const one = (type, data) => ({ type, toolCallId, at, ...data });
    const revised = (fields) => one("call-revised", { fields });
    all.push(
      one("call-announced", {
        name: "edit_file",
        title: `Edit ${path}`,
        kind: "edit",
        kindSource: "declared",
      }),
      one("input-delta", { text: `{"path":"${path}",` }),
      one("input-delta", { text: `"oldText":"a","newText":"b"}` }),
      one("input-ready", { rawInput: { path, oldText: "a", newText: "b" } }),
      revised({ locations: [{ path, line: 1 }] }),
      one("call-cleared", { decision: { by: "rule", rule: "edits", at } }),
      one("run-started"),
      revised({ progress: { done: 1, total: 3 } }),
      revised({ progress: { done: 2, total: 3 } }),
      one("content-appended", { content: { type: "content", content: { type: "text", text: "changed" } } }),
      revised({ progress: { done: 3, total: 3 } }),
      revised({ title: `Edited ${path}` }),
      one("call-done", { rawOutput: { changed: 1 } }),
    );
  }
  return all.slice(0, count);
}
