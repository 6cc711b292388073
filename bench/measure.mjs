// How the benchmarks measure: the best of many runs, since noise only ever adds time.
const RUNS = 25;

/** Milliseconds of the fastest run. */
export function best(run, runs = RUNS) {
  let fastest = Infinity;
  for (let count = 0; count < runs; count += 1) {
    const start = performance.now();
    run();
    fastest = Math.min(fastest, performance.now() - start);
  }
  return fastest;
}

export function report(title, rows) {
  console.log(title);
  for (const [name, milliseconds] of rows) console.log(`  ${name.padEnd(28)} ${milliseconds.toFixed(2).padStart(9)} ms`);
}
