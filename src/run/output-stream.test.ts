import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { appendText, boundText, EMPTY_TEXT, shownText } from "../call/index.js";
import { OutputStream } from "./output-stream.js";

// The contract, written out.
const HEAD = 16_384;
const TAIL = 49_152;
const WINDOW = HEAD + TAIL;
const BUDGET = 1_048_576;
const RARE = 4096;

const RUNS = Number(process.env["TOOLGATE_RUNS"] ?? 20);

type Emitted = { readonly at: number; readonly text: string; readonly skipped: number };

/** A stream on a clock that a test turns. With `early`, timers run that much before their time. */
function aStream({ early = 0 } = {}) {
  let clock = 0;
  let timer: { readonly due: number; readonly run: () => void } | undefined;
  const emitted: Emitted[] = [];
  const stream = new OutputStream({
    emit: (text, skipped) => void emitted.push({ at: clock, text, skipped }),
    now: () => clock,
    setTimer: (run, milliseconds) => {
      timer = { due: clock + Math.max(milliseconds - early, 0.25), run };
      return () => (timer = undefined);
    },
  });
  const wait = (milliseconds: number) => {
    const until = clock + milliseconds;
    while (timer && timer.due <= until) {
      const { due, run } = timer;
      timer = undefined;
      clock = due;
      run();
    }
    clock = until;
  };
  return { stream, emitted, wait };
}

const fold = (emitted: readonly Emitted[]) =>
  emitted.reduce((text, { text: chunk, skipped }) => appendText(text, chunk, skipped), EMPTY_TEXT);

const lengthOf = (emitted: readonly Emitted[]) => emitted.reduce((sum, { text }) => sum + text.length, 0);

test("shows the first output at once, and the rest together 53 ms later", () => {
  const { stream, emitted, wait } = aStream();
  stream.write("one\n");
  expect(emitted).toEqual([{ at: 0, text: "one\n", skipped: 0 }]);
  stream.write("two\n");
  wait(20);
  stream.write("three\n");
  wait(32);
  expect(emitted).toHaveLength(1);
  wait(1);
  expect(emitted.slice(1)).toEqual([{ at: 53, text: "two\nthree\n", skipped: 0 }]);
  wait(1000);
  stream.write("four\n");
  expect(emitted.slice(2)).toEqual([{ at: 1053, text: "four\n", skipped: 0 }]);
});

test("shows no more than its rate when a timer fires early", () => {
  const { stream, emitted, wait } = aStream({ early: 0.5 });
  for (let index = 0; index < 200; index++) {
    stream.write("x");
    wait(10);
  }
  const gaps = emitted.slice(1).map(({ at }, index) => at - (emitted[index]?.at ?? 0));
  expect(gaps.length).toBeGreaterThan(30);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(53);
});

test("shows the rest on a flush, and nothing twice", () => {
  const { stream, emitted, wait } = aStream();
  stream.write("one ");
  stream.write("two");
  stream.flush();
  expect(emitted.map(({ text }) => text)).toEqual(["one ", "two"]);
  stream.flush();
  wait(5000);
  expect(emitted).toHaveLength(2);
});

test("shows nothing when nothing was written", () => {
  const { stream, emitted } = aStream();
  stream.write("");
  stream.flush();
  expect(emitted).toEqual([]);
});

test("shows the beginning and the end of a burst, and how much came between", () => {
  const { stream, emitted, wait } = aStream();
  stream.write(".");
  const burst = Array.from({ length: 100_000 }, (_, index) => `line ${index}\n`).join("");
  for (let at = 0; at < burst.length; at += 10_000) stream.write(burst.slice(at, at + 10_000));
  wait(53);
  expect(emitted.slice(1)).toEqual([
    { at: 53, text: burst.slice(0, HEAD), skipped: 0 },
    { at: 53, text: burst.slice(-TAIL), skipped: burst.length - WINDOW },
  ]);
});

test("shows a burst that just fits in one piece", () => {
  const { stream, emitted, wait } = aStream();
  const whole = "ab".repeat(WINDOW / 2);
  stream.write(".");
  stream.write(whole);
  wait(53);
  expect(emitted.slice(1)).toEqual([{ at: 53, text: whole, skipped: 0 }]);
});

test("shows an emoji of two chunks when it is whole", () => {
  const { stream, emitted, wait } = aStream();
  stream.write("a\uD83D");
  wait(1000);
  stream.write("\uDE00b");
  wait(1000);
  stream.write("\uD83D");
  wait(1000);
  expect(emitted.map(({ text }) => text)).toEqual(["a", "😀b"]);
  stream.flush();
  expect(emitted.at(-1)?.text).toBe("\uD83D");
});

test("does not join half characters on both sides of skipped output", () => {
  const { stream, emitted, wait } = aLongStream();
  const [before, after] = ["a\uD83D\uD83D", `${"b".repeat(3 * TAIL)}${"\uDE00".repeat(TAIL)}`];
  stream.write(".");
  stream.write(before);
  stream.write(after);
  wait(1000);
  stream.flush();
  const shown = emitted.map(({ text }) => text).join("");
  expect(shown === `.${"\uDE00".repeat(TAIL)}`).toBe(true);
});

/** A stream that has used up what it may show of a long text; the time is a second after its last update. */
function aLongStream() {
  const long = aStream();
  for (let index = 0; index < BUDGET / WINDOW; index++) {
    long.stream.write("x".repeat(WINDOW));
    long.wait(53);
  }
  long.wait(1000);
  long.emitted.splice(0);
  return long;
}

test("bounds the log of an hour of endless output to megabytes", () => {
  const { stream, emitted, wait } = aStream();
  const chunk = "y\n".repeat(32_768);
  for (let tenths = 0; tenths < 36_000; tenths++) {
    stream.write(chunk);
    wait(100);
  }
  stream.flush();
  expect(lengthOf(emitted)).toBeLessThan(BUDGET + WINDOW + 3601 * RARE + TAIL);
  expect(emitted.length).toBeLessThan(3700);
  expect(fold(emitted).total).toBe(36_000 * 65_536);
});

test("slows down after a long output, and shows slow output as it comes", () => {
  const { stream, emitted, wait } = aLongStream();
  stream.write("slow\n");
  wait(1000);
  stream.write("and ");
  wait(300);
  stream.write("steady\n");
  wait(700);
  expect(emitted.map(({ text, skipped }) => [text, skipped])).toEqual([
    ["slow\n", 0],
    ["and ", 0],
    ["steady\n", 0],
  ]);
});

test("catches up with a burst after a long output when it pauses", () => {
  const { stream, emitted, wait } = aLongStream();
  const burst = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`).join("");
  stream.write(burst);
  stream.write("the end\n");
  wait(60_000);
  expect(emitted.every(({ text }) => text.length <= RARE)).toBe(true);
  const shown = emitted.map(({ text }) => text).join("");
  expect(shown.endsWith("line 19999\nthe end\n")).toBe(true);
  // The first piece is where the last of the burst begins, and from there on it is whole.
  expect(emitted.slice(1).every(({ skipped }) => skipped === 0)).toBe(true);
});

test("shows the whole end after a long output", () => {
  const { stream, emitted, wait } = aLongStream();
  const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index}\n`);
  for (const line of lines) {
    stream.write(line);
    wait(1);
  }
  stream.flush();
  const whole = lines.join("");
  expect(shownText(fold(emitted)).endsWith(whole.slice(-TAIL))).toBe(true);
});

test("works with Node's own clock and timers", async () => {
  const emitted: string[] = [];
  const shown = new Promise<void>((resolve) => {
    const stream = new OutputStream({
      emit: (text) => {
        emitted.push(text);
        if (emitted.length === 2) resolve();
      },
    });
    stream.write("one");
    stream.write("two");
  });
  await shown;
  expect(emitted).toEqual(["one", "two"]);
});

test("keeps little in memory, however much arrives between two updates", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void; // what the flag puts there
  const { stream, emitted } = aStream();
  stream.write(".");
  collect();
  const before = process.memoryUsage().heapUsed;
  const total = 1 + writeMuch(stream);
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000);
  stream.flush();
  expect(fold(emitted).total).toBe(total);
});

/** Chunks as a pipe brings them, then many small ones, then a very large one. */
function writeMuch(stream: OutputStream): number {
  let total = 0;
  const write = (text: string) => {
    total += text.length;
    stream.write(text);
  };
  for (let index = 0; index < 500; index++) write(Buffer.alloc(65_536, "x").toString());
  for (let index = 0; index < 200_000; index++) write(`line ${index}\n`);
  write(Array.from({ length: 200_000 }, () => "one of many long lines ".repeat(6)).join("\n"));
  return total;
}

// Sizes around every edge, with pairs and lone halves that fall on it.
const chunk = fc
  .record({
    pattern: fc.constantFrom(
      "a",
      "😀",
      "ab😀",
      "a\uDE00",
      "\uD83Da",
      "\uDE00\uDE00",
      "\uD83D\uD83D😀",
      "😀\uDE00",
      "x\n",
    ),
    shift: fc.nat(3),
    length: fc.constantFrom(0, 5, 100, RARE, HEAD, TAIL, WINDOW, 2 * TAIL, 5 * TAIL, BUDGET),
    more: fc.integer({ min: -3, max: 3 }),
  })
  .map(({ pattern, shift, length, more }) => pattern.repeat(length + 3).slice(shift, shift + length + more));
const pause = fc.constantFrom(0, 0, 0, 1, 52, 53, 54, 999, 1000, 1001, 5000);
const steps = fc.array(fc.record({ chunk, pause, flush: fc.nat(9).map((one) => one === 0) }), {
  maxLength: 25,
});

type Step = { readonly chunk: string; readonly pause: number; readonly flush: boolean };

/** `isLong`: after as much output that only little more is shown. */
function played(taken: readonly Step[], isLong: boolean) {
  const { stream, emitted, wait } = aStream();
  const windows = isLong ? BUDGET / WINDOW : 0;
  const before = Array.from({ length: windows }, () => ({
    chunk: "p".repeat(WINDOW),
    pause: 53,
    flush: false,
  }));
  for (const step of [...before, ...taken]) {
    stream.write(step.chunk);
    wait(step.pause);
    if (step.flush) stream.flush();
  }
  stream.flush();
  return { emitted, whole: [...before, ...taken].map((step) => step.chunk).join("") };
}

const unflushed = (taken: readonly Step[]) => taken.map((step) => ({ ...step, flush: false }));

test("ends with the same text as if it came at once", () => {
  fc.assert(
    fc.property(steps, fc.boolean(), (taken, isLong) => {
      const { emitted, whole } = played(taken, isLong);
      const folded = fold(emitted);
      expect(folded.total).toBe(whole.length);
      expect(shownText(folded) === shownText(boundText(whole))).toBe(true);
    }),
    { numRuns: RUNS },
  );
});

test("emits pieces of the text at their stated offsets, and cuts no surrogate pair", () => {
  fc.assert(
    fc.property(steps, fc.boolean(), (taken, isLong) => {
      const { emitted, whole } = played(unflushed(taken), isLong);
      let at = 0;
      for (const { text, skipped } of emitted) {
        const start = at + skipped;
        at = start + text.length;
        expect(whole.startsWith(text, start)).toBe(true);
        expect(isInsidePair(whole, start) || isInsidePair(whole, at)).toBe(false);
      }
      expect(at).toBe(whole.length);
    }),
    { numRuns: RUNS },
  );
});

const isInsidePair = (text: string, at: number) =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, at - 1), at + 1));

test("updates are never closer than 53 ms nor larger than a window, and later a second apart and small", () => {
  fc.assert(
    fc.property(steps, fc.boolean(), (taken, isLong) => {
      const { emitted } = played(unflushed(taken), isLong);
      const times = [...new Set(emitted.map(({ at }) => at))];
      // The last update may be the flush, which comes when it comes and holds all of the tail.
      for (const [index, at] of times.slice(0, -1).entries()) {
        const before = lengthOf(emitted.filter((one) => one.at < at));
        const isRare = before >= BUDGET;
        if (index > 0) expect(at - (times[index - 1] ?? 0)).toBeGreaterThanOrEqual(isRare ? 1000 : 53);
        const size = lengthOf(emitted.filter((one) => one.at === at));
        // One unit more at each of the two cuts, where it would fall inside a pair.
        expect(size).toBeLessThanOrEqual(isRare ? RARE : WINDOW + 2);
      }
    }),
    { numRuns: RUNS },
  );
});
