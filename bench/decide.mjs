// The rules against two sets of commands: with the single rule `allow <bin> *`, how many abuses of that binary run
// unasked, and how many ordinary commands ask. The authors of the flag lists did not read one half of each set.
// Then: decisions per second, and the slowest of hostile sizes.
import { readFileSync } from "node:fs";
import { decide } from "toolgate/policy";

const set = (name) =>
  JSON.parse(readFileSync(new URL(`../test/fixtures/decide/${name}.json`, import.meta.url), "utf8"));
const places = { roots: ["/ws"], home: "/home/u" };

const intent = (command) => ({
  tool: "terminal",
  kind: "execute",
  input: {},
  cwd: "/ws",
  command,
  paths: [],
  hosts: [],
  baseHashes: {},
});
const effectOf = ({ rule, rules = [rule], command }) =>
  decide(intent(command), {
    ...places,
    rules: rules.map((pattern) => ({ allow: "execute", command: pattern })),
  }).effect;

const share = (entries, effect) =>
  entries.filter((entry) => effectOf(entry) === effect).length / entries.length;
const percent = (value) => `${(100 * value).toFixed(1)} %`;

console.log("decide: one rule, allow <bin> *");
for (const half of ["seen", "held-out"]) {
  const abuse = set(`abuse.${half}`);
  const ordinary = set(`ordinary.${half}`);
  const through = share(abuse, "allow");
  const prompted = 1 - share(ordinary, "allow");
  console.log(`  ${half.padEnd(9)} ${abuse.length} abuses: ${percent(through)} let through (bar: 5 %)`);
  console.log(`  ${"".padEnd(9)} ${ordinary.length} ordinary: ${percent(prompted)} asked (bar: 20 %)`);
}

// The engine that most products began with, on the same sets.
const startsWith = ({ rule, rules = [rule], command }) =>
  rules.some((pattern) => command.startsWith(pattern.replace(/\*$/, "").trimEnd()));
const abuse = [...set("abuse.seen"), ...set("abuse.held-out")];
console.log(
  `  for comparison, startsWith lets ${percent(abuse.filter(startsWith).length / abuse.length)} of the abuses through`,
);

const all = [...abuse, ...set("ordinary.seen"), ...set("ordinary.held-out")];
const times = [];
for (const entry of all) {
  const start = performance.now();
  effectOf(entry);
  times.push(performance.now() - start);
}
times.sort((one, other) => one - other);
const total = times.reduce((sum, time) => sum + time, 0);
console.log(
  `  ${Math.round((1000 * all.length) / total)} decisions a second, p99 ${times[Math.floor(times.length * 0.99)].toFixed(2)} ms`,
);

const hostile = {
  "1 MB of one word": `ls ${"a".repeat(1_000_000)}`,
  "10,000 segments": "ls; ".repeat(10_000),
  "3,000 nested substitutions": `ls ${"$(".repeat(3_000)}${")".repeat(3_000)}`,
  "100 kB of quotes": `ls ${"'a' ".repeat(25_000)}`,
};
for (const [name, command] of Object.entries(hostile)) {
  const start = performance.now();
  const effect = effectOf({ rule: "ls *", command });
  console.log(
    `  ${name.padEnd(28)} ${effect.padEnd(5)} ${(performance.now() - start).toFixed(1).padStart(8)} ms (aim: 50)`,
  );
}
const manyRules = Array.from({ length: 10_000 }, (_, index) => ({
  deny: "execute",
  command: `never${index} *`,
}));
const start = performance.now();
const { effect } = decide(intent("ls src"), {
  ...places,
  rules: [...manyRules, { allow: "execute", command: "ls *" }],
});
console.log(
  `  ${"10,000 rules".padEnd(28)} ${effect.padEnd(5)} ${(performance.now() - start).toFixed(1).padStart(8)} ms (aim: 50)`,
);
