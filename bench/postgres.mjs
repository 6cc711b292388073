// The ledger on PostgreSQL against bare statements of the same driver at the same durability, on a server of its own in
// the same run: single appends, batches, what another process sees and when, how soon a turn goes on after an answer on
// another server, several instances at once, idle sessions, the list of the newest.
import { execFileSync, fork, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { openLedger } from "toolgate/history";
import { median } from "./measure.mjs";

const BIN = "/usr/lib/postgresql/15/bin";
if (!existsSync(join(BIN, "postgres"))) {
  console.log("postgres: no PostgreSQL 15 is installed here; nothing was measured.");
  process.exit(0);
}
const ROUNDS = 11;
/** Not counted: both sides run compiled code by then, as a server does that has run for a while. */
const WARM_UP_ROUNDS = 10;
const PER_ROUND = 40;
const IDLE_SESSIONS = 10_000;
const IDLE_LEASE_MS = 15_000;
const LISTED_SESSIONS = 200_000;
const PORT = 54_399;
const DURABLE = { durable: true };
const ANSWERS = 10;
const ANSWERED_SESSIONS = 11;
const WRITER_SESSIONS = 20;
const WRITE_MS = 4_000;
const TOKEN = "a-token-of-the-bench-that-is-long-enough";
const answerTimes = new Map();

const folder = mkdtempSync(join(tmpdir(), "toolgate-bench-"));
const server = startServer();
await untilReady();
const address = (schema) =>
  `postgres://toolgate@localhost:${PORT}/postgres?host=${encodeURIComponent(folder)}&schema=${schema}`;
const bare = new Client({ host: folder, port: PORT, user: "toolgate", database: "postgres" });
await bare.connect();
await track("none");
await bare.query(
  "create table bare (session bigint, seq bigint, type text, event text, chain bytea, primary key (session, seq))",
);
const ledger = await openLedger(address("bench"), { place: "bench" });
try {
  console.log("postgres: events of about 400 bytes, every commit on the disk, against bare statements");
  const parts = { appends, followed, resumed, instances, notifyInside, idle, listed };
  const named = process.argv.slice(2);
  for (const [name, run] of Object.entries(parts))
    if (named.length === 0 || named.includes(name)) await run();
} finally {
  await ledger.close();
  await bare.end();
  server.kill("SIGQUIT");
  await new Promise((resolve) => server.on("exit", resolve));
  rmSync(folder, { recursive: true, force: true });
}

async function appends() {
  const leases = await Promise.all(
    Array.from({ length: 100 }, (_, index) => ledger.claim(`s${index}`, "bench", { milliseconds: 6e6 })),
  );
  let seq = 0;
  const insert = (rows) => {
    const all = Array.from({ length: rows }, () => (seq += 1));
    return bare.query({
      name: `insert`,
      text: `insert into bare select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bytea[])`,
      values: [
        all.map(() => 1),
        all,
        all.map(() => "message-chunk"),
        all.map((one) => JSON.stringify(event(one))),
        all.map(() => Buffer.alloc(32, 7)),
      ],
    });
  };
  const insertOne = () => {
    seq += 1;
    return bare.query({
      name: "insert one",
      text: "insert into bare values ($1, $2, $3, $4, $5)",
      values: [1, seq, "message-chunk", JSON.stringify(event(seq)), Buffer.alloc(32, 7)],
    });
  };
  const together = (count) => () =>
    Promise.all(leases.slice(0, count).map((lease, index) => ledger.append(lease, [event(index)], DURABLE)));
  const ratios = { single: [], batch20: [], batch100: [], concurrent: [] };
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
    const single = await timed(PER_ROUND, () => ledger.append(leases[0], [event(1)], DURABLE));
    const one = await timed(PER_ROUND, insertOne);
    const batch20 = await timed(PER_ROUND / 2, together(20));
    const bare20 = await timed(PER_ROUND / 2, () => insert(20));
    const batch100 = await timed(PER_ROUND / 4, together(100));
    const bare100 = await timed(PER_ROUND / 4, () => insert(100));
    if (round < 0) continue;
    ratios.single.push(one / single);
    ratios.batch20.push(bare20 / batch20);
    ratios.batch100.push(bare100 / batch100);
    ratios.concurrent.push((20 * one) / batch20);
  }
  line("single append, of a bare insert", median(ratios.single).toFixed(2), "bar: 0.60");
  line("20 sessions at once, of 20 bare rows", median(ratios.batch20).toFixed(2), "bar: 0.50");
  line("100 sessions at once, of 100 bare rows", median(ratios.batch100).toFixed(2), "bar: 0.50");
  line("20 at once, times single bare inserts", `${median(ratios.concurrent).toFixed(1)}×`, "bar: 8");
}

async function followed() {
  const child = fork(fileURLToPath(new URL("postgres-children/follower.mjs", import.meta.url)), [
    address("bench"),
  ]);
  await new Promise((resolve) => child.once("message", resolve));
  const seen = new Map();
  child.on("message", (message) => seen.set(message.seq, message.at));
  const lease = await ledger.claim("followed", "bench", { milliseconds: 6e6 });
  await ledger.append(lease, [event(0)], DURABLE);
  while (!seen.has(1)) await sleep(5);
  const measure = async (write) => {
    const sent = [];
    for (let index = 0; index < 200; index += 1) {
      const at = Number(process.hrtime.bigint()) / 1e6;
      sent.push([await write(index), at]);
      await sleep(8);
    }
    while (!seen.has(sent.at(-1)[0])) await sleep(5);
    return sent.map(([seq, at]) => seen.get(seq) - at).sort((a, b) => a - b);
  };
  const append = await measure((index) => ledger.append(lease, [event(index)], DURABLE));
  line("append seen by another process", quantiles(append), "bar: p50 8, p99 30 ms");
  const bareTimes = await bareFollow();
  line("  the same by bare statements", quantiles(bareTimes), "insert, NOTIFY, LISTEN, select");
  const times50 = append[Math.floor(append.length / 2)] / bareTimes[Math.floor(bareTimes.length / 2)];
  line("  of it at p50", `${times50.toFixed(2)}×`, "no bar");
  let last = 201;
  const answer = await measure(async (index) => {
    const question = asked(index);
    last = await ledger.append(lease, question, DURABLE);
    await sleep(2);
    const at = Number(process.hrtime.bigint()) / 1e6;
    await ledger.answer(`q${index}`, {
      outcome: { type: "selected", optionId: "yes" },
      intentHash: "i",
      by: "person",
      at: 0,
    });
    answerTimes.set((last += 1), at);
    return last;
  });
  const times = [...answerTimes].map(([seq, at]) => seen.get(seq) - at).sort((a, b) => a - b);
  line("answer seen by another process", quantiles(answer.length > 0 ? times : []), "bar: p99 40 ms");
  child.kill();
}

/** The bare limit of following: another process listens and reads the row, and nothing else. */
async function bareFollow() {
  const child = fork(fileURLToPath(new URL("postgres-children/bare-follower.mjs", import.meta.url)), [
    folder,
    String(PORT),
  ]);
  await new Promise((resolve) => child.once("message", resolve));
  const seen = new Map();
  child.on("message", (message) => seen.set(message.seq, message.at));
  const sent = [];
  for (let seq = 1; seq <= 200; seq += 1) {
    sent.push([seq, Number(process.hrtime.bigint()) / 1e6]);
    await bare.query({
      name: "insert one",
      text: "insert into bare values ($1, $2, $3, $4, $5)",
      values: [3, seq, "message-chunk", JSON.stringify(event(seq)), Buffer.alloc(32, 7)],
    });
    await bare.query({ name: "notify", text: "select pg_notify('bare', $1)", values: [String(seq)] });
    await sleep(8);
  }
  while (!seen.has(200)) await sleep(5);
  child.kill();
  return sent.map(([seq, at]) => seen.get(seq) - at).sort((a, b) => a - b);
}

/** Two servers of different places: from an answer over HTTP at one until the other has recorded that the call may run. */
async function resumed() {
  const cwd = mkdtempSync(join(tmpdir(), "toolgate-bench-work-"));
  const ask = { calls: [{ tool: "terminal", input: { command: "echo x >> runs" } }] };
  const steps = Array.from({ length: ANSWERS }, () => ask);
  writeFileSync(join(cwd, "script.json"), JSON.stringify({ steps: [...steps, { say: "Done." }] }));
  const [here, far] = [await startServe(cwd, "here"), await startServe(cwd, "far")];
  const times = [];
  for (let count = 0; count < ANSWERED_SESSIONS; count += 1) {
    const { sessionId } = await here.request("/sessions", {
      agent: { name: "toolgate", tools: [{ name: "terminal" }] },
    });
    const messages = [{ role: "user", content: "Go" }];
    await here.request(`/sessions/${sessionId}/turns`, { stream: "none", messages });
    times.push(...(await answerAll(far, sessionId)));
  }
  const ended = [here, far].map(({ child }) => new Promise((resolve) => child.once("exit", resolve)));
  for (const { child } of [here, far]) child.kill("SIGKILL");
  await Promise.all(ended);
  rmSync(cwd, { recursive: true, force: true, maxRetries: 10 });
  // The first answers find programs that are not compiled yet.
  const warm = times.slice(ANSWERS).sort((a, b) => a - b);
  line("answer at a server, turn goes on at another", quantiles(warm), "bar: p99 40 ms");
}

async function answerAll(far, sessionId) {
  const answeredAt = new Map();
  const times = [];
  for (let after = 0; times.length < ANSWERS;) {
    const page = await ledger.read(sessionId, { after });
    let open;
    for (const { seq, event: one } of page) {
      after = seq;
      if (one.type === "question-asked") open = one.question;
      if (one.type === "call-cleared") times.push(one.at - answeredAt.get(one.toolCallId));
    }
    if (open) {
      // The turn is parked by then.
      await sleep(50);
      answeredAt.set(open.toolCallId, Date.now());
      await far.request(`/questions/${encodeURIComponent(open.questionId)}`, { optionId: "allow_once" });
    } else await sleep(5);
  }
  return times;
}

async function startServe(cwd, place) {
  const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
  const words = [
    "serve",
    "--port",
    "0",
    "--cwd",
    cwd,
    "--script",
    join(cwd, "script.json"),
    "--place",
    place,
  ];
  const env = { ...process.env, TOOLGATE_CONFIG: join(cwd, `settings-${place}`), TOOLGATE_TOKEN: TOKEN };
  const child = spawn(process.execPath, [program, ...words, "--ledger", address("bench")], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
  const url = () => /Serving AAP at (\S+) for/.exec(output)?.[1];
  while (url() === undefined) await sleep(20);
  const request = async (path, body) => {
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    const method = body ? "POST" : "GET";
    const response = await fetch(url() + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  return { child, request };
}

/** Each instance appends to sessions of its own: neither the CPU time of an append nor waits for locks may grow with them. */
async function instances() {
  for (const count of [1, 2, 4]) {
    const names = Array.from({ length: count }, (_, index) => `writer ${count} ${index}`);
    const writer = fileURLToPath(new URL("postgres-children/writer.mjs", import.meta.url));
    const children = names.map((name) => fork(writer, [address("bench"), name, String(WRITER_SESSIONS)]));
    await Promise.all(children.map((child) => new Promise((resolve) => child.once("message", resolve))));
    const reports = children.map((child) => new Promise((resolve) => child.once("message", resolve)));
    const before = serverCpuMs();
    const start = performance.now();
    for (const child of children) child.send("start");
    const waits = { samples: 0, locks: 0 };
    while (performance.now() - start < WRITE_MS) {
      const { rows } = await bare.query(
        "select count(*) filter (where wait_event_type = 'Lock')::int as locks from pg_stat_activity",
      );
      waits.samples += 1;
      waits.locks += rows[0].locks;
      await sleep(10);
    }
    const ms = performance.now() - start;
    const serverMs = serverCpuMs() - before;
    for (const child of children) child.send("stop");
    const all = await Promise.all(reports);
    const total = all.reduce((sum, one) => sum + one.appends, 0);
    const nodeMs = all.reduce((sum, one) => sum + one.cpuMs, 0);
    const micros = (cpuMs) => ((cpuMs * 1000) / total).toFixed(0);
    line(
      `${count} at once, ${WRITER_SESSIONS} sessions each`,
      `${((total * 1000) / ms).toFixed(0)} appends/s`,
      `CPU of an append: ${micros(nodeMs)} µs here, ${micros(serverMs)} µs on the server; waits for locks: ${waits.locks} in ${waits.samples} looks`,
    );
  }
}

/** The CPU time of the server, of its processes that run and of those that have ended. */
function serverCpuMs() {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  let ticks = 0;
  for (const pid of pids) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ")
        .map(Number);
      const isServer = Number(pid) === server.pid;
      if (isServer || fields[1] === server.pid) ticks += fields[11] + fields[12];
      if (isServer) ticks += fields[13] + fields[14];
    } catch {
      // The process has ended.
    }
  }
  return ticks * 10;
}

/** The trap: a notification inside the transaction makes all commits wait for each other. */
async function notifyInside() {
  const clients = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const client = new Client({ host: folder, port: PORT, user: "toolgate", database: "postgres" });
      await client.connect();
      return client;
    }),
  );
  await bare.query("create sequence trap");
  const run = (text) => () =>
    Promise.all(
      clients.map(async (client) => {
        for (let index = 0; index < 20; index += 1) await client.query({ name: text.slice(0, 60), text });
      }),
    );
  const insert = "insert into bare select 2, nextval('trap'), 'x', repeat('x', 400), '\\x07'";
  const ratios = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const outside = await timed(1, run(insert));
    const inside = await timed(
      1,
      run(`with i as (${insert} returning 1) select pg_notify('trap', 'x') from i`),
    );
    ratios.push(outside / inside);
  }
  line("the trap: NOTIFY inside, 8 writers", median(ratios).toFixed(2), "of the same inserts without");
  for (const client of clients) await client.end();
}

/** Sessions that a server holds and somebody follows, while nothing is written: what renewals, polls and looks cost. */
async function idle() {
  await bare.query("create extension pg_stat_statements");
  await track("top");
  const leases = [];
  for (let from = 0; from < IDLE_SESSIONS; from += 200) {
    const some = Array.from({ length: 200 }, (_, index) =>
      ledger.claim(`idle${from + index}`, "bench", { milliseconds: IDLE_LEASE_MS }),
    );
    leases.push(...(await Promise.all(some)));
  }
  const over = new AbortController();
  const { signal } = over;
  for (const { sessionId } of leases) void drained(ledger.follow(sessionId, { signal }));
  void drained(ledger.work({ signal }));
  const stopWatching = ledger.watch(() => undefined);
  // The followers have looked once.
  await sleep(2_000);
  const before = await statements();
  // Each lease is renewed once in a third of its time, as an open session does.
  const periodMs = IDLE_LEASE_MS / 3;
  const renewals = leases.map(async (lease, index) => {
    await sleep((index / leases.length) * periodMs);
    await ledger.renew(lease, { milliseconds: IDLE_LEASE_MS });
  });
  await Promise.all(renewals);
  const after = await statements();
  const seconds = (after.at - before.at) / 1000;
  const counts = [...after.counts].map(([text, calls]) => [text, calls - (before.counts.get(text) ?? 0)]);
  const total = counts.reduce((sum, [, calls]) => sum + calls, 0);
  line(`${IDLE_SESSIONS} idle sessions, followed`, `${(total / seconds).toFixed(1)} statements/s`, "bar: 30");
  for (const [text, calls] of counts.filter(([, count]) => count > 0).sort((a, b) => b[1] - a[1]))
    line(`  ${text.replaceAll(/\s+/g, " ").slice(0, 38)}`, `${(calls / seconds).toFixed(1)} /s`, "of them");
  over.abort();
  stopWatching();
}

/** Statements are counted for idle sessions only: counting costs a little for each. */
async function track(which) {
  await bare.query(`alter system set pg_stat_statements.track = '${which}'`);
  await bare.query("select pg_reload_conf()");
}

async function drained(items) {
  for await (const item of items) void item;
}

/** How often each statement has run; the server's own counters of transactions lag by up to ten seconds. */
async function statements() {
  const { rows } = await bare.query(
    "select query, sum(calls)::int as calls from pg_stat_statements where query not like '%pg_stat_statements%' group by 1",
  );
  return { at: performance.now(), counts: new Map(rows.map(({ query, calls }) => [query, calls])) };
}

async function listed() {
  await bare.query(`with s as (
      insert into bench.sessions (session_id) select 'listed' || n from generate_series(1, ${LISTED_SESSIONS}) n returning number)
    insert into bench.heads (session, last_seq, created_at, updated_at, bucket)
    select number, 1, 1.7e12 + number * 1000, 1.7e12 + number * 1000, floor((1.7e12 + number * 1000) / 60000) from s`);
  await bare.query("analyze bench.heads");
  await bare.query("analyze bench.sessions");
  const times = [];
  for (let index = 0; index < 50; index += 1)
    times.push(await timed(1, () => ledger.sessions({ limit: 50 })));
  line(`newest 50 of ${LISTED_SESSIONS} sessions`, `${median(times).toFixed(2)} ms`, "bar: 2 ms");
}

function event(index) {
  const text = `chunk ${index} of what an agent says in the course of a day. `.repeat(4);
  return {
    type: "message-chunk",
    at: 1.7e12 + index,
    messageId: "m",
    role: "agent",
    block: { type: "text", text },
  };
}

function asked(index) {
  const toolCallId = `c${index}`;
  const at = 1.7e12;
  const options = [{ optionId: "yes", name: "Allow", kind: "allow_once" }];
  const question = {
    questionId: `q${index}`,
    sessionId: "followed",
    toolCallId,
    intentHash: "i",
    title: "x",
    options,
    askedAt: at,
  };
  return [
    { type: "call-announced", toolCallId, at, name: "x", title: "x", kind: "edit", kindSource: "declared" },
    { type: "input-ready", toolCallId, at, rawInput: {} },
    { type: "question-asked", toolCallId, at, question },
  ];
}

async function timed(count, run) {
  const start = performance.now();
  for (let index = 0; index < count; index += 1) await run();
  return (performance.now() - start) / count;
}

function quantiles(sorted) {
  const at = (share) => (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(1);
  return `p50 ${at(0.5)}, p99 ${at(0.99)} ms`;
}

function line(what, value, bar) {
  console.log(`  ${what.padEnd(42)} ${value.padStart(22)} (${bar})`);
}

/** PostgreSQL refuses to run as root. */
function startServer() {
  chmodSync(folder, 0o755);
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync("/etc/passwd", "utf8")) ?? [];
  const who = process.getuid() === 0 ? { uid: Number(uid), gid: Number(gid) } : {};
  if (who.uid !== undefined) chownSync(folder, who.uid, who.gid);
  const data = join(folder, "data");
  const options = { ...who, cwd: "/", stdio: "ignore" };
  execFileSync(
    join(BIN, "initdb"),
    ["-D", data, "-U", "toolgate", "-E", "UTF8", "--locale=C", "-A", "trust"],
    options,
  );
  const settings = [
    "-c",
    `unix_socket_directories=${folder}`,
    "-c",
    "listen_addresses=",
    "-c",
    "shared_buffers=256MB",
    "-c",
    "shared_preload_libraries=pg_stat_statements",
  ];
  return spawn(join(BIN, "postgres"), ["-D", data, "-p", "54399", ...settings], options);
}

async function untilReady() {
  for (;;) {
    try {
      execFileSync(join(BIN, "pg_isready"), ["-h", folder, "-p", "54399"], { stdio: "ignore" });
      return;
    } catch {
      await sleep(50);
    }
  }
}
