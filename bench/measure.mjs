// How the benchmarks measure: the contenders take turns, and the median of many rounds counts. The best
// round would be one without garbage collection, which is part of the price.
const ROUNDS = 41;

/** Median milliseconds of each of the named runs. */
export function compare(runs) {
  const times = Object.fromEntries(Object.keys(runs).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, run] of Object.entries(runs)) {
      const start = performance.now();
      run();
      times[name].push(performance.now() - start);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]));
}

/** The same for runs that are awaited, and take longer. */
export async function compareAsync(runs, rounds) {
  const times = Object.fromEntries(Object.keys(runs).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(runs)) {
      const start = performance.now();
      await run();
      times[name].push(performance.now() - start);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]));
}

export function median(all) {
  return all.sort((a, b) => a - b)[Math.floor(all.length / 2)];
}

export function report(title, times) {
  console.log(title);
  for (const [name, milliseconds] of Object.entries(times)) {
    console.log(`  ${name.padEnd(28)} ${milliseconds.toFixed(2).padStart(9)} ms`);
  }
}
