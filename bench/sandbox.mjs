// The cost of containing a command: `true` in the sandbox against the same command started bare by the same code, in a
// small project and in one with 20,000 files, each a repository with protected names; and where the time goes. After a
// contained command Toolgate starts the sandbox of the next one, so commands that follow the thought of a model find it
// waiting: that is the figure with the bar. The first command, and one of two at the same time, starts its own. The CPU
// time, of this process and its children with all preparations, is what a busy machine leaves of the figures.
//
//   --json   the figures as JSON
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { LocalWorkspace, openSandbox } from "toolgate/tools";
import { median } from "./measure.mjs";

const ROUNDS = 60;
const BAR_MS = 15;
/** Between two commands, as a model takes longer to think. */
const THOUGHT_MS = 100;
const SIZES = { "400 files": [20, 20], "20,000 files": [400, 50] };

function project([folders, files]) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "toolgate-bench-")));
  execFileSync("git", ["init", "-q", root]);
  for (const name of [".env", "AGENTS.md", ".vscode/settings.json", ".github/workflows/ci.yml"]) {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), "");
  }
  for (let folder = 0; folder < folders; folder += 1) {
    const path = join(root, "src", `part-${folder % 20}`, `folder-${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < files; file += 1) writeFileSync(join(path, `file-${file}.ts`), "");
  }
  return root;
}

/** Milliseconds of the steps of contained commands, beside those of the whole. */
function timedSandbox(sandbox, steps) {
  const timed = async (name, run) => {
    const start = performance.now();
    const result = await run();
    steps[name].push(performance.now() - start);
    return result;
  };
  return {
    trouble: () => sandbox.trouble(),
    async enter(argv, place) {
      const isPrepared = place.isPrepared && steps.way === "contained";
      const entered = await timed("enter", () => sandbox.enter(argv, { ...place, isPrepared }));
      if (steps.way === "contained") steps.waiting += entered.start ? 1 : 0;
      return { ...entered, leave: (...given) => timed("leave", () => entered.leave(...given)) };
    },
  };
}

const sandbox = await openSandbox();
const results = {};
for (const [name, size] of Object.entries(SIZES)) {
  const root = project(size);
  try {
    const steps = { enter: [], leave: [], way: "", waiting: 0 };
    const workspace = await LocalWorkspace.open(root, { containing: timedSandbox(sandbox, steps) });
    const options = { signal: new AbortController().signal, onOutput: () => {} };
    const times = { bare: [], contained: [], first: [] };
    const cpu = { bare: 0, contained: 0, first: 0 };
    for (let round = 0; round < ROUNDS + 5; round += 1)
      for (const way of ["bare", "contained", "first"]) {
        steps.way = way;
        const [start, cpuStart] = [performance.now(), cpuMs()];
        const { exitCode } = await workspace.runCommand("true", {
          ...options,
          ...(way !== "bare" && { contained: { guards: [] } }),
        });
        const took = performance.now() - start;
        if (exitCode !== 0) throw new Error(`${way}: exit code ${exitCode}`);
        await setTimeout(THOUGHT_MS);
        if (round < 5) continue;
        times[way].push(took);
        cpu[way] += (cpuMs() - cpuStart) / ROUNDS;
      }
    const [bare, contained, first] = [median(times.bare), median(times.contained), median(times.first)];
    const [enter, leave] = [median(steps.enter.slice(5)), median(steps.leave.slice(5))];
    results[name] = {
      bare,
      contained,
      over: contained - bare,
      fastestOver: Math.min(...times.contained) - Math.min(...times.bare),
      firstOver: first - bare,
      waiting: steps.waiting,
      enter,
      leave,
      cpuOver: cpu.contained - cpu.bare,
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

if (process.argv.includes("--json")) console.log(JSON.stringify(results, undefined, 1));
else {
  console.log(`sandbox: \`true\`, bare and contained, median of ${ROUNDS}`);
  for (const [name, figures] of Object.entries(results)) {
    const { bare, contained, over, fastestOver, firstOver, enter, leave, cpuOver, waiting } = figures;
    const parts = `workspace looked at before ${ms(enter)}, after ${ms(leave)}; ${waiting} found one waiting`;
    console.log(
      `  ${name.padEnd(14)} bare ${ms(bare)}  contained ${ms(contained)}  over ${ms(over)}, fastest ${ms(fastestOver)}, CPU ${ms(cpuOver)} (${parts})  bar: ${BAR_MS} ms\n` +
        `  ${"".padEnd(14)} without one that waits: over ${ms(firstOver)}`,
    );
  }
}

/** The time of this process and of all children that have ended, by ticks of 10 ms. */
function cpuMs() {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ");
  return 10 * fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
}

function ms(milliseconds) {
  return `${milliseconds.toFixed(1)} ms`;
}
