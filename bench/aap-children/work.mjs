// The work that all servers of the benchmark share.
export const TOKEN = "the-token-of-the-benchmark";

/** Pieces of a turn that comes as fast as it can. */
export const PIECES = 200;
const WORDS = [
  "a ",
  "tool ",
  "call ",
  "is ",
  "announced, ",
  "checked, ",
  "run, ",
  "reported ",
  "and ",
  "remembered. ",
];
export const piece = (index) => WORDS[index % WORDS.length];

/** A turn that takes its time: a piece each so many milliseconds, with the moment it was made in it. */
export const PACE = 20;
export const PACED_PIECES = 300;
/** Calls `make` so many times, when each is due: a server that was late once does not stay late. Then calls `end`. */
export function paced(make, end) {
  const start = performance.now();
  let made = 0;
  const next = () => {
    make(stamp());
    made += 1;
    if (made === PACED_PIECES) end();
    else setTimeout(next, start + (made + 1) * PACE - performance.now());
  };
  setTimeout(next, PACE);
}
/** In one piece, as what is read from a provider is: a template would leave three. */
const stamp = () => ["@", (performance.timeOrigin + performance.now()).toFixed(2), " "].join("");

/** A child says where it listens, and how much memory it uses when it is asked. */
export function listening(url) {
  process.send({ url });
  process.on("message", () => {
    globalThis.gc?.();
    process.send({ memory: process.memoryUsage().rss });
  });
  process.on("disconnect", () => process.exit());
}
