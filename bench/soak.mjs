// Memory over time: a server on SQLite and twenty workers that take turn after turn over HTTP. Each turn has two calls,
// one of them asked about and granted, and sessions are compacted; a worker begins a new session after forty turns. The
// memory is taken after a full garbage collection. Prints it each tenth of the run, and the slope of a straight line
// through the rest after the first sixth.
//   node bench/soak.mjs [minutes]   2 by default; the long one is 30
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { connect, runTurn } from "toolgate/aap/client";

const minutes = Number(process.argv[2] ?? 2);
const WORKERS = 20;
const TURNS = 40;
const TOKEN = "the-token-of-the-soak-test-server";
const folder = mkdtempSync(join(tmpdir(), "toolgate-soak-"));
const child = fork(
  fileURLToPath(new URL("soak-children/server.mjs", import.meta.url)),
  [join(folder, "l.sqlite")],
  {
    execArgv: ["--expose-gc"],
  },
);
const next = () => new Promise((resolve) => child.once("message", resolve));
const client = connect((await next()).url, TOKEN);
const end = performance.now() + minutes * 60_000;
const counts = { turns: 0, sessions: 0, failed: 0 };

async function worker() {
  while (performance.now() < end) {
    const tools = [{ name: "look" }, { name: "change" }];
    const { sessionId } = await client.createSession({ agent: { name: "soak", tools } });
    counts.sessions += 1;
    for (let turn = 0; turn < TURNS && performance.now() < end; turn += 1) {
      const messages = [{ role: "user", content: `work ${turn}` }];
      const { stopReason } = await runTurn(
        client,
        sessionId,
        { stream: turn % 2 ? "delta" : "none", messages },
        { permit: () => ({ granted: true }) },
      );
      counts.turns += 1;
      if (stopReason !== "end_turn") counts.failed += 1;
      await sleep(1000 + Math.random() * 1000);
    }
  }
}

const samples = [];
async function sampler() {
  const start = performance.now();
  const every = Math.min(10_000, (minutes * 60_000) / 60);
  while (performance.now() < end) {
    await sleep(every);
    child.send("memory");
    const { rss, heapUsed, external } = await next();
    samples.push({
      minute: (performance.now() - start) / 60_000,
      rss: rss / 2 ** 20,
      heap: heapUsed / 2 ** 20,
      external: external / 2 ** 20,
    });
  }
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The slope of the straight line with the least squares. */
function slope(points, field) {
  const [x, y] = [mean(points.map(({ minute }) => minute)), mean(points.map((point) => point[field]))];
  const covariance = mean(points.map((point) => (point.minute - x) * (point[field] - y)));
  return covariance / mean(points.map(({ minute }) => (minute - x) ** 2));
}

await Promise.all([...Array.from({ length: WORKERS }, worker), sampler()]);
for (let index = 0; index < samples.length; index += Math.ceil(samples.length / 10)) {
  const { minute, rss, heap, external } = samples[index];
  console.log(
    `  after ${minute.toFixed(1).padStart(5)} min: RSS ${rss.toFixed(0)} MiB, heap ${heap.toFixed(1)} MiB, external ${external.toFixed(1)} MiB`,
  );
}
const settled = samples.filter(({ minute }) => minute > minutes / 6);
console.log(
  `soak: ${counts.turns} turns in ${counts.sessions} sessions, ${counts.failed} failed; after ${(minutes / 6).toFixed(1)} min RSS grows by ${slope(settled, "rss").toFixed(2)} MiB a minute, the heap by ${slope(settled, "heap").toFixed(2)}`,
);
child.disconnect();
await new Promise((resolve) => child.once("exit", resolve));
rmSync(folder, { recursive: true });
