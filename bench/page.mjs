// The page under load, in a real Chromium against the built program: bytes of the first load, a session of 10,000 calls opened
// and scrolled to its start, 1,000 updates a second for ten seconds with the time until the last one is painted, the memory
// of the tab, and how long a question takes from the moment it is asked to the screen: asked by another process on the same
// record, as an editor's agent asks, and by an agent that runs in the server.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { openLedger } from "toolgate/history";
import { ServeClient } from "toolgate/serve/client";

const CALLS = Number(process.env.BENCH_CALLS ?? 10_000);
const UPDATES_PER_SECOND = 1_000;
const SECONDS = 10;
const QUESTIONS = Number(process.env.BENCH_QUESTIONS ?? 200);
const TOKEN = "the-token-of-the-bench-of-the-page";

const home = mkdtempSync(join(tmpdir(), "toolgate-bench-page-"));
const project = join(home, "shop");
mkdirSync(project);
const { link, origin, server } = await startServer();
const ledger = await openLedger(join(home, "toolgate", "ledger.sqlite"));
const browser = await chromium.launch({
  executablePath: process.env.TOOLGATE_CHROMIUM ?? "/usr/bin/chromium-headless-shell",
  args: ["--no-sandbox"],
});
const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
page.setDefaultTimeout(120_000);
const cdp = await page.context().newCDPSession(page);
try {
  await firstLoad();
  const lease = await record("long", CALLS);
  await opened();
  await scrolled();
  await updated(lease);
  await askedElsewhere();
  await opensByItself();
  await askedHere();
} finally {
  await browser.close();
  await ledger.close();
  server.kill();
}

async function firstLoad() {
  let bytes = 0;
  await cdp.send("Network.enable");
  const onLoaded = ({ encodedDataLength }) => (bytes += encodedDataLength);
  cdp.on("Network.loadingFinished", onLoaded);
  await page.goto(link);
  await page.getByRole("button", { name: "Start the demo" }).waitFor();
  cdp.off("Network.loadingFinished", onLoaded);
  console.log(`page: first load ${(bytes / 1000).toFixed(1)} kB over the wire (bar: 120), all requests`);
}

/** A session whose last call still runs. */
async function record(sessionId, calls) {
  const lease = await ledger.claim(sessionId, "bench", { milliseconds: Infinity });
  const now = Date.now();
  await ledger.append(
    lease,
    [
      { type: "info-changed", at: now, info: { cwd: project, title: `${calls} calls`, agent: "bench" } },
      { type: "turn-started", at: now, turnId: "t1" },
      { type: "message-chunk", at: now, messageId: "m0", role: "user", block: { type: "text", text: "Go" } },
    ],
    { durable: true },
  );
  let batch = [];
  for (let number = 1; number <= calls; number += 1) {
    batch.push(...callEvents(number, now + number, number === calls));
    if (batch.length < 5_000 && number < calls) continue;
    await ledger.append(lease, batch, { durable: false });
    batch = [];
  }
  return lease;
}

function callEvents(number, at, isOpen) {
  const toolCallId = `call_${number}`;
  const one = (type, data) => ({ type, toolCallId, at, ...data });
  const isCommand = number % 2 === 0;
  const path = `${project}/src/file-${number}.ts`;
  const title = isCommand ? `Run npm test -- part-${number}` : `Edit src/file-${number}.ts`;
  const body = isCommand
    ? [
        one("content-appended", { content: { type: "terminal", terminalId: "t" } }),
        one("terminal-output", {
          terminalId: "t",
          text: `\u001B[32mok\u001B[0m part ${number}\n`.repeat(12),
        }),
      ]
    : [
        one("content-appended", {
          content: {
            type: "diff",
            path,
            oldText: `const a = 1;\nconst b = ${number};\n`,
            newText: `const a = 1;\nconst b = ${number + 1};\n`,
          },
        }),
      ];
  return [
    one("call-announced", {
      name: isCommand ? "terminal" : "edit_file",
      title,
      kind: isCommand ? "execute" : "edit",
      kindSource: "declared",
    }),
    one("input-ready", { rawInput: isCommand ? { command: `npm test -- part-${number}` } : { path } }),
    one("call-cleared", { decision: { by: "rule", rule: "allow execute", at } }),
    one("run-started"),
    ...body,
    ...(isOpen ? [] : [one("call-done", { rawOutput: { exitCode: 0 } })]),
  ];
}

async function opened() {
  const times = [];
  for (let round = 0; round < 3; round += 1) {
    const start = performance.now();
    await page.goto(`${origin}/s/long`);
    await page.getByRole("article").last().waitFor();
    times.push(performance.now() - start);
  }
  const [first, ...again] = times;
  console.log(
    `  ${CALLS} calls: first card after ${first.toFixed(0)} ms, with the whole page load; again ${Math.min(...again).toFixed(0)} ms`,
  );
}

/** As a fast hand scrolls, 6,000 pixels a second; then to the very first entry as fast as the entries come. */
async function scrolled() {
  const smooth = await page.evaluate(scrollUp, { pixels: 100, frames: 300 });
  console.log(`  scrolled by 100 pixels a frame: frames ${percentiles(smooth)}`);
  const start = performance.now();
  const fast = await page.evaluate(scrollUp, { pixels: 1_200, frames: Infinity });
  const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
  console.log(
    `  to its start in ${((performance.now() - start) / 1_000).toFixed(0)} s: frames ${percentiles(fast)}; ${nodes} elements, ${await heap()}`,
  );
  if ((await page.getByText("earlier entr").count()) > 0) throw new Error("The start was not reached.");
  await page.keyboard.press("f");
}

/** In the page: the time of each frame. Ends after that many, or when the start has been in sight for a second. */
async function scrollUp({ pixels, frames }) {
  const flow = document.querySelector(".flow");
  const times = [];
  let last = performance.now();
  for (let still = 0; still < 60 && times.length < frames;) {
    const before = flow.scrollTop;
    flow.scrollTop = Math.max(0, before - pixels);
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const now = performance.now();
    times.push(now - last);
    last = now;
    still = flow.scrollTop === 0 && before === 0 ? still + 1 : 0;
  }
  return times;
}

async function updated(lease) {
  const toolCallId = `call_${CALLS}`;
  const last = UPDATES_PER_SECOND * SECONDS;
  const painted = page.evaluate(waitForText, `update ${last} of ${last}`);
  const frames = page.evaluate(async (milliseconds) => {
    const times = [];
    const end = performance.now() + milliseconds;
    for (let before = performance.now(); before < end;) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = performance.now();
      times.push(now - before);
      before = now;
    }
    return times;
  }, SECONDS * 1_000);
  const started = performance.now();
  let [sent, at] = [0, 0];
  while (sent < last) {
    const due = Math.min(last, Math.floor(((performance.now() - started) / 1_000) * UPDATES_PER_SECOND));
    const events = [];
    for (; sent < due; sent += 1)
      events.push({
        type: "terminal-output",
        toolCallId,
        at: Date.now(),
        terminalId: "t",
        text: `update ${sent + 1} of ${last}\n`,
      });
    at = Date.now();
    if (events.length > 0) await ledger.append(lease, events, { durable: false });
    await setTimeout(5);
  }
  const shownAt = await painted;
  console.log(
    `  ${UPDATES_PER_SECOND} updates/s for ${SECONDS} s: the last one painted after ${shownAt - at} ms (bar: 250); frames meanwhile ${percentiles(await frames)}; ${await heap()}`,
  );
}

/** By another process, into the list of a page that shows another question. */
async function askedElsewhere() {
  await page.goto(`${origin}/`);
  await page.getByText("Connected, live").first().waitFor();
  const times = [];
  for (let number = 1; number <= QUESTIONS; number += 1) {
    const subject = `make part-${number}`;
    const painted = page.evaluate(waitForText, subject);
    const { at, withdraw } = await ask(`asking-${number}`, subject);
    times.push((await painted) - at);
    await withdraw();
  }
  console.log(
    `  ${QUESTIONS} questions of another process, from the append to the list: ${percentiles(times)} (bar: p99 100 ms)`,
  );
}

/** By another process, into an inbox without questions: with all that will happen, and the buttons. */
async function opensByItself() {
  await nothingWaits();
  const times = [];
  for (let number = 1; number <= QUESTIONS; number += 1) {
    await page.keyboard.press("Escape");
    await page.getByText("A question appears here as soon as").waitFor();
    const subject = `make whole-${number}`;
    const painted = page.evaluate(waitForCard, subject);
    const { at, withdraw } = await ask(`opening-${number}`, subject);
    times.push((await painted) - at);
    await withdraw();
    await nothingWaits();
  }
  console.log(
    `  ${QUESTIONS} questions of another process, from the append to the opened card: ${percentiles(times)}`,
  );
}

/** By an agent in the server. `askedAt` is the time at which the gate made the question, before its append. */
async function askedHere() {
  const client = new ServeClient({ baseUrl: origin, apiKey: TOKEN, keys: { get() {}, set() {} } });
  await page.goto(`${origin}/`);
  await page.getByText("Connected, live").first().waitFor();
  const times = [];
  for (let number = 1; number <= QUESTIONS; number += 1) {
    const painted = page.evaluate(waitForOpenRow);
    const { sessionId } = await client.createSession({ prompt: [{ type: "text", text: `Go ${number}` }] });
    const shownAt = await painted;
    const { questions } = await client.questions({ state: "open" });
    times.push(shownAt - questions[0].askedAt);
    await client.cancel(sessionId);
    await nothingWaits();
  }
  console.log(
    `  ${QUESTIONS} questions of the server's own agent, from the gate to the list: ${percentiles(times)} (bar: p99 100 ms)`,
  );
}

function nothingWaits() {
  return page.waitForFunction(() => document.querySelector("a.q:not(.gone)") === null);
}

async function ask(sessionId, command) {
  const lease = await ledger.claim(sessionId, "bench", { milliseconds: Infinity });
  const at = Date.now();
  await ledger.append(lease, questionEvents(sessionId, command, at), { durable: true });
  const questionId = `${sessionId}/call_1/1`;
  const withdraw = () => {
    const withdrawn = {
      type: "question-withdrawn",
      at: Date.now(),
      questionId,
      reason: "the turn was cancelled",
    };
    return ledger.append(lease, [withdrawn], { durable: false });
  };
  return { at, withdraw };
}

function questionEvents(sessionId, command, at) {
  const toolCallId = "call_1";
  const question = {
    questionId: `${sessionId}/call_1/1`,
    sessionId,
    toolCallId,
    intentHash: "hash",
    title: `Run ${command}`,
    about: [`runs: ${command}`],
    options: [
      { optionId: "once", name: "Allow once", kind: "allow_once" },
      { optionId: "no", name: "Reject", kind: "reject_once" },
    ],
    askedAt: at,
  };
  return [
    { type: "info-changed", at, info: { cwd: project, title: "Asks", agent: "bench" } },
    { type: "turn-started", at, turnId: "t1" },
    {
      type: "call-announced",
      toolCallId,
      at,
      name: "terminal",
      title: `Run ${command}`,
      kind: "execute",
      kindSource: "declared",
    },
    { type: "input-ready", toolCallId, at, rawInput: { command } },
    { type: "question-asked", toolCallId, at, question },
  ];
}

/** In the page: the time at which the text is in a painted frame. */
function waitForText(text) {
  return new Promise((resolve) => {
    const look = () => {
      if (document.querySelector("main")?.textContent?.includes(text))
        requestAnimationFrame(() => resolve(Date.now()));
      else requestAnimationFrame(look);
    };
    look();
  });
}

/** In the page: the time at which a question's card with the text and the buttons is in a painted frame. */
function waitForCard(text) {
  return new Promise((resolve) => {
    const look = () => {
      const isThere =
        document.querySelector(".q-what")?.textContent?.includes(text) &&
        document.querySelector(".acts button");
      if (isThere) requestAnimationFrame(() => resolve(Date.now()));
      else requestAnimationFrame(look);
    };
    look();
  });
}

/** In the page: the time at which an open question in the list is in a painted frame. */
function waitForOpenRow() {
  return new Promise((resolve) => {
    const look = () => {
      if (document.querySelector("a.q:not(.gone)")) requestAnimationFrame(() => resolve(Date.now()));
      else requestAnimationFrame(look);
    };
    look();
  });
}

async function heap() {
  await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  return `${(usedSize / 1e6).toFixed(0)} MB of JavaScript heap`;
}

function percentiles(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))].toFixed(0);
  return `p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, longest ${at(1)} ms`;
}

async function startServer() {
  const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
  const script = join(home, "script.json");
  const steps = [
    { calls: [{ tool: "terminal", input: { command: "git push origin main" } }] },
    { say: "Done." },
  ];
  writeFileSync(script, JSON.stringify({ steps }));
  const env = {
    ...process.env,
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: home,
    TOOLGATE_TOKEN: TOKEN,
  };
  const words = [main, "serve", "--port", "0", "--script", script];
  const child = spawn(process.execPath, words, { cwd: project, env });
  // Also when the browser does not start, or somebody ends the bench.
  process.once("exit", () => {
    child.kill("SIGKILL");
    rmSync(home, { recursive: true, force: true });
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
  const found = await new Promise((resolve) => {
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (piece) => {
        text += piece;
        const [url] = /http\S+\/login#\S+/.exec(text) ?? [];
        if (url) resolve(url);
      });
  });
  return { link: found, origin: new URL(found).origin, server: child };
}
