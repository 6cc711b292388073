// The line diff against jsdiff on the same texts: 10,000 lines with one edit, as the ratio of the two; then files
// that have little in common, where the longest block of the event loop counts.
import { diffLines, structuredPatch } from "diff";
import { lineHunks } from "toolgate/call";
import { gitPatch } from "../dist/acp/v2/git-patch.js";
import { compare, report } from "./measure.mjs";

const ROUNDS = 5;
const PEER_TIMEOUT = 300;

/** The same numbers on every run. */
function randomNumbers() {
  let state = 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
const random = randomNumbers();

/** Code as it is: lines of its own, and many that are everywhere. */
const code = (name, count) =>
  Array.from({ length: count / 5 }, (_, index) => [
    `export function ${name}${index}(items) {\n`,
    `  const ${name} = items.filter((item) => item.price > ${random(100)});\n`,
    `  return ${name}.length;\n`,
    "}\n",
    "\n",
  ]).flat();

const shuffled = (lines) =>
  lines
    .map((line) => [random(2 ** 31), line])
    .sort(([one], [other]) => one - other)
    .map(([, line]) => line);

const numbered = (words, count) => Array.from({ length: count }, (_, index) => `${words} ${index}\n`);

const before = code("cart", 10_000).join("");
const after = before.replace("function cart1000(items)", "function cart1000(items, most)");
const change = { type: "diff", operation: "modify", path: "/cart.js", oldText: before, newText: after };
const { hunks, theirHunks, patch, theirPatch } = compare({
  hunks: () => lineHunks(before, after),
  theirHunks: () => diffLines(before, after),
  patch: () => gitPatch(change),
  theirPatch: () => structuredPatch("a", "b", before, after, undefined, undefined, { context: 3 }),
});
report("diff: 10,000 lines with one edit", {
  lineHunks: hunks,
  "jsdiff diffLines": theirHunks,
  "as a patch": patch,
  "jsdiff structuredPatch": theirPatch,
});
console.log(
  `  time relative to jsdiff: ${(hunks / theirHunks).toFixed(2)}, as a patch ${(patch / theirPatch).toFixed(2)} (bar: 1.50)`,
);

const own = numbered("a line of its own", 20_000);
const twice = [...own.slice(0, 10_000), ...own.slice(0, 10_000)];
const cases = {
  rewritten: [code("cart", 20_000), code("order", 20_000)],
  shuffled: [own, shuffled(own)],
  "shuffled code": [code("cart", 20_000), shuffled(code("cart", 20_000))],
  "shuffled, each line twice": [twice, shuffled(twice)],
  "all different": [own, numbered("another line", 20_000)],
  "three lines in any order": [numbered("", 20_000), numbered("", 20_000)].map((lines) =>
    lines.map(() => `${random(3)}\n`),
  ),
};

console.log(`diff: the longest of ${ROUNDS} rounds for files of 20,000 lines (bar: 100 ms)`);
for (const [name, [old, now]] of Object.entries(cases)) {
  const texts = [old.join(""), now.join("")];
  let found = 0;
  const ours = longest(() => {
    found = lineHunks(...texts).length;
  });
  let peerFound;
  const theirs = longest(() => {
    peerFound = diffLines(...texts, { timeout: PEER_TIMEOUT });
  });
  const peer = `jsdiff ${theirs.toFixed(1).padStart(6)} ms${peerFound ? "" : `, gave up after ${PEER_TIMEOUT} ms`}`;
  console.log(`  ${name.padEnd(28)} ${ours.toFixed(2).padStart(9)} ms, hunks: ${found}; ${peer}`);
}

function longest(run) {
  let most = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    run();
    most = Math.max(most, performance.now() - start);
  }
  return most;
}
