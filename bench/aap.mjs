// Turns over AAP: our server, durable on SQLite, against a bare node:http server and a bare hono one that say the same
// and remember nothing. A model's pieces that come in one moment are one event of ours; the bare servers write an event
// for each, and one more of them writes our very bytes. None of these asks a model. For turns that are sent whole, one more
// does no more than it must to ask the same model and to keep its turns: the bare limit of such a server. Servers are
// processes of their own and take turns in every round; what counts is the median of the rounds' ratios. All are nearly
// cold: each has taken 30 turns before. Every turn must end with its stop, or the benchmark fails.
import { fork } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PacedListener } from "./aap-children/paced-listener.mjs";
import { PACE, PIECES, TOKEN } from "./aap-children/work.mjs";
import { median } from "./measure.mjs";

const ROUNDS = Number(process.env.TOOLGATE_ROUNDS ?? 5);
const PACED_ROUNDS = Math.min(ROUNDS, 5);
const BARE = "node:http";
const OURS = "toolgate, SQLite";
/** Nothing but a synced line for each turn that is sent whole: no server that keeps its turns can be faster. */
const DURABLE = "node:http, durable";
/** Asks the same model, and keeps each turn in two commits on SQLite, the second one synced: no checks, no events, no lease. */
const LIMIT = "model and SQLite";
/** Concurrent sessions, and the turns that each takes in sequence per round. */
const LOADS = [
  { sessions: 1, turns: 40 },
  { sessions: 50, turns: 4 },
  { sessions: 500, turns: 1 },
];
const IDLE = 1_000;
/** Sessions that get their chunks one at a time. */
const PACED = 500;
const folder = mkdtempSync(join(tmpdir(), "toolgate-bench-"));
let agent = new Agent({ keepAlive: true });
const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };

class Served {
  #child;

  static async start(name, file, ...more) {
    const path = fileURLToPath(new URL(`aap-children/${name}.mjs`, import.meta.url));
    const served = new Served();
    served.#child = fork(path, [file, ...more], { execArgv: ["--expose-gc"] });
    served.url = (await served.#next()).url;
    return served;
  }

  async memory() {
    this.#child.send("memory");
    return (await this.#next()).memory;
  }

  async stop() {
    const left = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.disconnect();
    await left;
  }

  #next() {
    return new Promise((resolve, reject) => {
      this.#child.once("message", resolve);
      this.#child.once("exit", () => reject(new Error("A server of the benchmark has ended.")));
    });
  }
}

/** Sends a body and passes on each piece of the response as it comes. */
function post(url, body, onPiece) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      response.on("data", onPiece);
      response.on("end", () => resolve(response.statusCode));
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

async function text(url, body) {
  const pieces = [];
  const status = await post(url, body, (piece) => pieces.push(piece));
  const all = Buffer.concat(pieces).toString();
  if (status >= 300) throw new Error(`${url} answered ${status}: ${all}`);
  return all;
}

/** Opens new connections: servers close idle ones. */
async function connected(url, count) {
  agent.destroy();
  agent = new Agent({ keepAlive: true });
  const one = () =>
    new Promise((resolve, reject) => {
      const sent = request(`${url}/meta`, { agent }, (response) => response.resume().on("end", resolve));
      sent.on("error", reject).end();
    });
  await Promise.all(Array.from({ length: count }, one));
}

const turnBody = (stream, content) => JSON.stringify({ stream, messages: [{ role: "user", content }] });
const END_OF_STREAM = 'event: turn_stop\ndata: {"stopReason":"end_turn"}';
const END_OF_WHOLE = '"stopReason":"end_turn"';
let turnsTaken = 0;

/** Milliseconds of one turn. Throws unless the turn stopped and all of its bytes arrived. */
async function turn(base, sessionId, stream, bytes) {
  let [length, head, tail] = [0, "", ""];
  const start = performance.now();
  const status = await post(`${base}/sessions/${sessionId}/turns`, turnBody(stream, "go"), (piece) => {
    length += piece.length;
    if (head === "") head = piece.toString("latin1", 0, 64);
    tail =
      piece.length >= 128
        ? piece.toString("latin1", piece.length - 128)
        : (tail + piece.toString("latin1")).slice(-128);
  });
  const took = performance.now() - start;
  // The other bare server writes the id last.
  const hasStop = stream === "none" ? (head + tail).includes(END_OF_WHOLE) : tail.includes(END_OF_STREAM);
  if (status !== 200 || !hasStop || length < bytes * 0.95)
    throw new Error(`A turn ended with ${status}, ${length} bytes of ${bytes}, and ${tail}`);
  turnsTaken += 1;
  return took;
}

const newSession = async (base) =>
  JSON.parse(await text(`${base}/sessions`, JSON.stringify({ agent: { name: "bench" } }))).sessionId;

/** Fresh sessions, where a server has any: a session's past is not measured here. */
async function sessionsFor(name, base, count) {
  if (name !== OURS) return Array.from({ length: count }, () => "s");
  await connected(base, 1);
  const ids = [];
  for (let at = 0; at < count; at += 50)
    ids.push(
      ...(await Promise.all(Array.from({ length: Math.min(50, count - at) }, () => newSession(base)))),
    );
  return ids;
}

const at = (all, part) => all.sort((a, b) => a - b)[Math.min(all.length - 1, Math.floor(all.length * part))];
const number = (value, digits, width) => value.toFixed(digits).padStart(width);

/** Our server's response to one turn: the bare ones repeat it. */
async function recorded(base) {
  const one = async (mode) => text(`${base}/sessions/${await newSession(base)}/turns`, turnBody(mode, "go"));
  return { delta: await one("delta"), none: await one("none") };
}

async function compareLoad(servers, { sessions, turns }, mode, bytes) {
  const rows = new Map(
    Object.keys(servers).map((name) => [name, { rates: [], ratios: [], ofLimit: [], times: [] }]),
  );
  for (let round = 0; round < ROUNDS; round += 1) {
    const rates = {};
    for (const [name, { url }] of Object.entries(servers)) {
      const ids = await sessionsFor(name, url, sessions);
      const { times } = rows.get(name);
      await connected(url, sessions);
      const start = performance.now();
      await Promise.all(
        ids.map(async (sessionId) => {
          for (let count = 0; count < turns; count += 1) times.push(await turn(url, sessionId, mode, bytes));
        }),
      );
      rates[name] = ((sessions * turns) / (performance.now() - start)) * 1000;
    }
    for (const [name, row] of rows) {
      row.rates.push(rates[name]);
      row.ratios.push(rates[name] / rates[BARE]);
      row.ofLimit.push(rates[name] / rates[LIMIT]);
    }
  }
  console.log(`${sessions} session${sessions === 1 ? "" : "s"}, ${mode}, ${PIECES} pieces a turn`);
  for (const [name, { rates, ratios, ofLimit, times }] of rows) {
    const rate = median(rates);
    const limit =
      name === OURS && LIMIT in servers ? `, ${median(ofLimit).toFixed(2)} of "${LIMIT}" (bar: 0.30)` : "";
    console.log(
      `  ${name.padEnd(20)} ${number(rate, 0, 7)} turns/s ${number(rate * PIECES, 0, 9)} pieces/s   p50 ${number(at(times, 0.5), 1, 7)} ms  p99 ${number(at(times, 0.99), 1, 7)} ms   ${median(ratios).toFixed(2)} of bare${limit}`,
    );
  }
}

/** The bare servers that keep their turns do so only for those that are sent whole. */
const serversFor = (mode, servers) =>
  Object.fromEntries(
    Object.entries(servers).filter(([name]) => mode === "none" || (name !== DURABLE && name !== LIMIT)),
  );

/** 500 sessions get a chunk every 20 ms: the cost of each session, and the time from making a chunk to its arrival. */
async function pacedTimes(name, base) {
  const turns = [];
  const listener = new PacedListener(PACED);
  const { hostname, port, host } = new URL(base);
  const ids = await sessionsFor(name, base, PACED);
  const sockets = await Promise.all(ids.map(() => listener.open({ hostname, port })));
  const body = turnBody("delta", "paced");
  const head = Object.entries({ ...headers, host, "content-length": body.length });
  const lines = head.map(([field, value]) => `${field}: ${value}\r\n`).join("");
  await Promise.all(
    ids.map(async (sessionId, index) => {
      // Spread over time, not all at once.
      await new Promise((resolve) => setTimeout(resolve, index * 2));
      const start = performance.now();
      await sockets[index](`POST /sessions/${sessionId}/turns HTTP/1.1\r\n${lines}\r\n${body}`);
      turns.push(performance.now() - start);
      turnsTaken += 1;
    }),
  );
  const steady = listener.lags({ isSteady: true });
  if (steady.length === 0) throw new Error(`${name}: its ${PACED} sessions never spoke at once.`);
  return {
    "a turn": turns,
    "a piece, while all speak": steady,
    "a piece, all in all": listener.lags({ isSteady: false }),
  };
}

async function comparePaced(servers) {
  const rows = new Map();
  for (let round = 0; round < PACED_ROUNDS; round += 1)
    for (const [name, { url }] of Object.entries(servers))
      for (const [what, times] of Object.entries(await pacedTimes(name, url))) {
        const row = rows.get(what) ?? new Map();
        const known = row.get(name) ?? { p50: [], p99: [], ratios: [] };
        known.p50.push(at(times, 0.5));
        known.p99.push(at(times, 0.99));
        rows.set(what, row.set(name, known));
        known.ratios.push(known.p99.at(-1) / row.get(BARE).p99.at(-1));
      }
  for (const [what, row] of rows) {
    console.log(`${PACED} sessions, a piece each ${PACE} ms: ${what}`);
    for (const [name, { p50, p99, ratios }] of row)
      console.log(
        `  ${name.padEnd(20)} p50 ${number(median(p50), 2, 8)} ms  p99 ${number(median(p99), 1, 7)} ms   ${median(ratios).toFixed(2)} times bare's p99`,
      );
  }
}

/** Bytes that a session keeps in memory after its turn. */
async function idleSize() {
  const server = await Served.start("ours", join(folder, "idle.sqlite"));
  const use = async (count) => {
    const ids = await sessionsFor(OURS, server.url, count);
    const worker = async () => {
      for (let id = ids.pop(); id !== undefined; id = ids.pop()) await turn(server.url, id, "delta", 0);
    };
    await Promise.all(Array.from({ length: 20 }, worker));
  };
  await use(200);
  const before = await server.memory();
  await use(IDLE);
  const after = await server.memory();
  await server.stop();
  console.log(
    `${IDLE} sessions that took a turn and idle: ${((after - before) / IDLE / 1024).toFixed(1)} KB each, the process ${(after / 1024 / 1024).toFixed(0)} MB`,
  );
}

try {
  const ours = await Served.start("ours", join(folder, "ledger.sqlite"));
  const answers = await recorded(ours.url);
  const file = join(folder, "recorded.json");
  writeFileSync(file, JSON.stringify(answers));
  const servers = {
    [BARE]: await Served.start("bare-http", file),
    "node:http, our bytes": await Served.start("bare-http", file, "joined"),
    [DURABLE]: await Served.start("bare-http", file, "durable", join(folder, "lines")),
    [LIMIT]: await Served.start("bare-sqlite", join(folder, "limit.sqlite")),
    "hono streamSSE": await Served.start("bare-hono", file),
    [OURS]: ours,
  };
  for (const [name, { url }] of Object.entries(servers))
    for (let count = 0; count < 30; count += 1) {
      const mode = name === LIMIT || count % 2 === 1 ? "none" : "delta";
      await turn(url, name === OURS ? await newSession(url) : "s", mode, 0);
    }
  for (const mode of ["none", "delta"])
    for (const load of LOADS) await compareLoad(serversFor(mode, servers), load, mode, answers[mode].length);
  await comparePaced(serversFor("delta", servers));
  for (const server of Object.values(servers)) await server.stop();
  await idleSize();
  console.log(`all ${turnsTaken} turns ended with turn_stop`);
} finally {
  agent.destroy();
  rmSync(folder, { recursive: true, force: true });
}
