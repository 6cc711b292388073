// The whole gate for one call, against calling the tool's function bare: announced, checked, decided by a
// rule, recorded in memory, run and recorded again. Each call has an input of its own, so that the loop
// guard stays quiet. Prints the median and the slowest in a hundred, and the share of `submit` and `proceed`.
import { tmpdir } from "node:os";
import { defineTool, MemoryLedger, openGate } from "toolgate";
import { z } from "zod";

const WARM = 5_000;
const CALLS = 20_000;

const work = async ({ path, from }) => `${path}:${from}`;
const input = z.object({ path: z.string(), from: z.number().int() });
const tool = defineTool({ name: "look_up", description: "Looks up.", kind: "read", input, run: work });
const inputOf = (index) => ({ path: `/home/user/project/src/file-${index}.ts`, from: index });

async function gate() {
  const rules = [{ allow: "read" }];
  return openGate({ ledger: new MemoryLedger(), workspace: tmpdir(), tools: [tool], rules });
}

/** Microseconds of each call, after some that only warm it up. */
async function timed(one) {
  const times = [];
  for (let index = 0; index < WARM + CALLS; index += 1) {
    const start = performance.now();
    await one(index);
    if (index >= WARM) times.push((performance.now() - start) * 1000);
  }
  return times.sort((a, b) => a - b);
}

const bare = await timed(async (index) => work(input.parse(inputOf(index))));

const whole = await gate();
const call = await timed((index) => whole.call({ name: "look_up", input: inputOf(index) }));
await whole.close();

const inSteps = await gate();
const { signal } = new AbortController();
const submits = [];
const proceeds = [];
await timed(async (index) => {
  const start = performance.now();
  await inSteps.submit([{ name: "look_up", input: inputOf(index) }]);
  const submitted = performance.now();
  await inSteps.proceed(signal);
  if (index < WARM) return;
  submits.push((submitted - start) * 1000);
  proceeds.push((performance.now() - submitted) * 1000);
});
await inSteps.close();

console.log(`run: ${CALLS} calls one after another, an allow rule, a ledger in memory, input checked by zod`);
line("the function bare, input checked", bare);
line("the gate: call", call, "bar: 50 µs");
line("  of it: submit", submits);
line("  of it: proceed", proceeds);

function line(what, times, bar) {
  const sorted = times.sort((a, b) => a - b);
  const at = (part) => sorted[Math.floor(sorted.length * part)].toFixed(1).padStart(8);
  console.log(`  ${what.padEnd(34)} median ${at(0.5)} µs   p99 ${at(0.99)} µs${bar ? ` (${bar})` : ""}`);
}
