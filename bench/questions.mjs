// How often a day of coding asks, and what its "always" answers let through: written sessions of coding agents
// (test/fixtures/questions) under accept-edits, with every "always" taken and with none, with and without starter
// rules; beside them short models of other engines. Then every attack, with all grants stored.
//
//   --causes    the questions of the tuning half, grouped by reason
//   --set=NAME  with --causes: of another set that tuners may read (practice)
//   --contain   with --causes: with the sandbox, which takes commands that are asked about because of what they run
//   --passed    the attacks that passed (held-out ones only as a number)
//   --json      the figures as JSON
//   --sample=N  every Nth session and attack outside of the catalogue only, without starter rules and sandbox
import { parseArgs } from "node:util";
import { containedOurs, makeAttacked, passOther, passOurs, readAttacks } from "./questions/attacks.mjs";
import { causesText } from "./questions/causes.mjs";
import { figuresOf, lineOf } from "./questions/figures.mjs";
import { OTHERS, replayOther } from "./questions/other-engines.mjs";
import { readCalls, replayOurs } from "./questions/our-engine.mjs";
import { makeHome, makeWorkspace, readProjects, removeHome } from "./questions/sessions.mjs";
import { STARTER_NAME, starterRules } from "./questions/starter-rules.mjs";

const { values: options } = parseArgs({
  options: {
    causes: { type: "boolean" },
    set: { type: "string", default: "tuning" },
    contain: { type: "boolean", default: false },
    passed: { type: "boolean" },
    json: { type: "boolean" },
    sample: { type: "string", default: "1" },
  },
});
const every = Number(options.sample);
const HALVES = ["tuning", "held-out"];
const began = performance.now();
const home = makeHome();
process.env.HOME = home;

/** Reads every session once: its calls, and the folder that they are in. */
async function readHalf(half) {
  const sessions = [];
  let count = 0;
  for (const project of readProjects(half)) {
    const taken = project.sessions.filter(() => count++ % every === 0);
    if (taken.length === 0) continue;
    const folder = makeWorkspace(project, home);
    const starter = every > 1 ? [] : starterRules(folder, home);
    for (const session of taken)
      sessions.push({
        project: project.project,
        folder,
        starter,
        calls: await readCalls(session, project, { folder, home }),
      });
  }
  return sessions;
}

/** Replays all sessions in one way. `keep`: a project keeps its grants from session to session. */
function replayAll(sessions, { takesAlways, hasStarter, keep = false, canContain = false }) {
  const kept = new Map();
  return sessions.map((session) => {
    const before = keep ? (kept.get(session.project) ?? []) : [];
    const starter = [...(hasStarter ? session.starter : []), ...before];
    const { asked, grants } = replayOurs(session.calls, {
      folder: session.folder,
      starter,
      takesAlways,
      canContain,
    });
    if (keep) kept.set(session.project, [...before, ...grants]);
    return { ...session, asked, grants };
  });
}

const WAYS = {
  "Toolgate, accept-edits, never always": { takesAlways: false, hasStarter: false },
  "Toolgate, accept-edits, always always": { takesAlways: true, hasStarter: false },
  "Toolgate + starter rules, never always": { takesAlways: false, hasStarter: true },
  "Toolgate + starter rules, always always": { takesAlways: true, hasStarter: true },
  "Toolgate with the sandbox, never always": { takesAlways: false, hasStarter: false, canContain: true },
  "Toolgate with the sandbox, always always": { takesAlways: true, hasStarter: false, canContain: true },
  "Toolgate, always always, kept over a project's day": { takesAlways: true, hasStarter: false, keep: true },
  "Toolgate with the sandbox, always always, kept over a project's day": {
    takesAlways: true,
    hasStarter: false,
    keep: true,
    canContain: true,
  },
};

/** All grants of the sessions, in one project. */
const ofOneDay = (replayed, folder) => {
  const texts = replayed.flatMap(({ grants, folder: from }) =>
    grants.map((rule) => JSON.stringify(rule).replaceAll(from, folder)),
  );
  return [...new Set(texts)].map((text) => JSON.parse(text));
};

const rulesOfDay = (replayed, hasStarter, folder) => [
  ...ofOneDay(replayed, folder),
  ...(hasStarter ? replayed.flatMap(({ starter }) => starter) : []),
];

/** The other engine with every session's calls answered by "always", all in one project. */
function dayOf(makeEngine, sessions, folder) {
  const engine = makeEngine(folder);
  for (const session of sessions) {
    const moved = JSON.parse(
      JSON.stringify(session.calls.map(({ call }) => ({ call }))).replaceAll(session.folder, folder),
    );
    replayOther(moved, engine, true);
  }
  return engine;
}

const results = { halves: {}, attacks: {} };
try {
  if (options.causes) await causes();
  else await measure();
} finally {
  removeHome(home);
}

/** The questions that remain in a set with every "always" taken. */
async function causes() {
  const canContain = options.contain;
  if (options.set === "held-out") throw new Error("the held-out half is only counted, not read");
  const replayed = replayAll(await readHalf(options.set), {
    takesAlways: true,
    hasStarter: false,
    canContain,
  });
  console.log(causesText(replayed, { ...figuresOf(replayed), set: options.set }, home));
}

async function measure() {
  const { folder } = makeAttacked(home);
  const attacks = await readAttacks({ folder, home, every });
  results.attacks = Object.fromEntries(
    Object.entries(grouped(attacks)).map(([family, list]) => [family, list.length]),
  );
  const days = [];
  const ofBoth = {};
  for (const half of HALVES) {
    const sessions = await readHalf(half);
    const rows = {};
    results.halves[half] = { sessions: sessions.length, rows };
    for (const [name, way] of Object.entries(WAYS)) {
      if (every > 1 && (!way.takesAlways || way.keep || way.hasStarter || way.canContain)) continue;
      const replayed = replayAll(sessions, way);
      rows[name] = figuresOf(replayed);
      (ofBoth[name] ??= []).push(...replayed);
      if (way.takesAlways && !way.keep)
        days.push({ row: rows[name], way, rules: rulesOfDay(replayed, way.hasStarter, folder) });
    }
    for (const [name, makeEngine] of Object.entries(OTHERS)) {
      const replayed = sessions.map((session) => ({
        ...session,
        asked: replayOther(session.calls, makeEngine(session.folder), true),
      }));
      rows[name] = {
        ...figuresOf(replayed),
        passed: passedOf(passOther(attacks, dayOf(makeEngine, sessions, folder))),
      };
    }
  }
  results.both = Object.fromEntries(
    Object.entries(ofBoth).map(([name, replayed]) => [name, figuresOf(replayed)]),
  );
  // Rules that allow never take away: an attack that all of them together do not let through passes none of the days.
  const doubtful = passOurs(
    attacks,
    days.flatMap(({ rules }) => rules),
    folder,
  );
  for (const { row, way, rules } of days) {
    Object.assign(row, { grants: rules.length, passed: passedOf(passOurs(doubtful, rules, folder)) });
    if (way.canContain) row.contained = containedOurs(attacks, rules, folder).length;
  }
}

function grouped(list) {
  const groups = {};
  for (const one of list) (groups[one.family] ??= []).push(one);
  return groups;
}

/** Numbers by family; the texts of attacks that tuners may read. */
function passedOf(passed) {
  const by = grouped(passed);
  const texts = passed
    .filter(({ isHidden }) => !isHidden)
    .map(({ id, call }) => `${id} ${call.shell.replaceAll(home, "~")}`);
  return {
    ...Object.fromEntries(Object.keys(results.attacks).map((family) => [family, by[family]?.length ?? 0])),
    texts,
  };
}

results.seconds = (performance.now() - began) / 1000;
if (options.json) console.log(JSON.stringify(results, undefined, 1));
else if (!options.causes) print();

function print() {
  console.log(
    "questions: written sessions of coding agents under accept-edits (the other engines are short models of documented behaviour)",
  );
  console.log(`  starter rules: ${STARTER_NAME}`);
  console.log(
    `  attacks: ${Object.entries(results.attacks)
      .map(([family, count]) => `${count} ${family}`)
      .join(", ")}`,
  );
  for (const [half, { sessions, rows }] of Object.entries(results.halves)) {
    console.log(`  ${half}: ${sessions} sessions`);
    for (const [name, row] of Object.entries(rows)) {
      console.log(lineOf(name, row));
      if (options.passed && name.startsWith("Toolgate"))
        for (const text of row.passed?.texts ?? []) console.log(`        passed: ${text}`);
    }
  }
  console.log("  both halves together");
  for (const [name, row] of Object.entries(results.both)) console.log(lineOf(name, row));
  console.log(
    `  bar: 25 per 100 shell commands (goal 15), with the sandbox 8 (goal 5); none of the catalogue, 1 of 100 others. ${results.seconds.toFixed(1)} s`,
  );
}
