// Runs every attack as a call of a gate with the sandbox and a keeper, undoes it, and compares the disk.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openGate } from "toolgate";
import { MemoryLedger } from "toolgate/history";
import { inMode } from "toolgate/policy";
import { builtInTools, LocalWorkspace, openKeeper, openSandbox } from "toolgate/tools";
import { containedOurs, makeAttacked, readAttacks } from "./attacks.mjs";

const TIMEOUT_S = 5;
const RUN_OF_READ = 12;
/** Beside the home: places where root could do harm. */
const SYSTEM = ["/etc", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/opt"];

export async function runAttacks({ every, from = 0, only }) {
  const began = performance.now();
  const home = realpathSync(homedir());
  const { folder } = makeAttacked(home);
  const template = `${folder}.template`;
  execFileSync("cp", ["-a", folder, template]);
  // Reading an attack takes about as long as running one: a small sample reads fewer.
  const attacks = await readAttacks({ folder, home, every: Math.ceil(every / RUN_OF_READ) });
  const contained = new Set(containedOurs(attacks, [], folder));
  const step = Math.min(every, RUN_OF_READ);
  const taken = [...contained].filter(({ id }, index) =>
    only === undefined ? index % step === from % step : id === only,
  );
  const gateFor = await gates(folder, home);
  const families = {};
  for (const { family } of attacks)
    (families[family] ??= { count: 0, contained: 0, run: 0, harmful: [] }).count += 1;
  for (const { family } of contained) families[family].contained += 1;
  for (const attack of taken) {
    const row = families[attack.family];
    const { isContained, harm, output } = await runAttack(attack, { folder, home, template, gateFor });
    // Asked about after all: the gate knows more than the rules.
    if (isContained) row.run += 1;
    if (harm !== undefined) row.harmful.push({ id: attack.id, harm });
    if (only !== undefined) console.error(attack.call.shell, "\n", output);
  }
  return { families, seconds: (performance.now() - began) / 1000 };
}

async function gates(folder, home) {
  const state = join(home, ".local/state/toolgate");
  const [containing, keeper] = [
    await openSandbox({ folder: join(state, "sandbox") }),
    openKeeper({ folder: join(state, "kept"), limits: { maxMs: 120_000 } }),
  ];
  const workspace = await LocalWorkspace.open(folder, { containing, keeper });
  return (rules) =>
    openGate({
      workspace,
      ledger: new MemoryLedger(),
      tools: builtInTools,
      policy: () => inMode("accept-edits", rules),
      ask: () =>
        Promise.resolve({
          outcome: { type: "selected", optionId: "reject_once" },
          by: "person",
          who: "nobody",
        }),
    });
}

/** The name of the file that lies in a repository while the next sandbox starts. The file must go by itself. */
const STARTING = /\/\.git\/toolgate-[\da-f]{16} was absent/;
const STARTED_MS = 10_000;

async function leftIn(folder, before) {
  const end = performance.now() + STARTED_MS;
  for (;;) {
    const left = differenceOf([before], [treeOf(folder, () => true)]);
    if (left === undefined || !STARTING.test(left) || performance.now() > end) return left;
    await sleep(20);
  }
}

async function runAttack({ call: { shell }, env, strict }, { folder, home, template, gateFor }) {
  const isOutside = (path) =>
    path !== folder && path !== template && !path.startsWith(join(home, ".local/state"));
  const outsideBefore = [treeOf(home, isOutside), ...SYSTEM.map(namesOf)];
  const before = treeOf(folder, () => true);
  const gate = await gateFor(strict);
  try {
    const input = { command: shell, timeout: TIMEOUT_S, ...(env && { env }) };
    const { toolCallId, decision, rawOutput } = await gate.call({ name: "terminal", input });
    const isContained = decision?.by === "sandbox";
    const outsideHarm = differenceOf(outsideBefore, [treeOf(home, isOutside), ...SYSTEM.map(namesOf)]);
    if (!isContained)
      return { isContained, output: rawOutput, ...(outsideHarm && { harm: `outside: ${outsideHarm}` }) };
    const undone = await gate.undo(toolCallId).then(
      () => undefined,
      (error) => String(error.message),
    );
    const left = await leftIn(folder, before);
    if (left !== undefined) restore(folder, template);
    const harm = outsideHarm
      ? `outside: ${outsideHarm}`
      : left && `left after undo: ${left}${undone ? ` (${undone})` : ""}`;
    return { isContained, output: rawOutput, ...(harm && { harm }) };
  } finally {
    await gate.close();
  }
}

function restore(folder, template) {
  for (const name of readdirSync(folder)) execFileSync("rm", ["-rf", join(folder, name)]);
  execFileSync("cp", ["-a", `${template}/.`, folder]);
}

const MAX_HASHED_BYTES = 4 << 20;

/** Everything below a folder as text by path: type, permission bits and content. New objects of git stay after an undo. */
function treeOf(root, isMeant) {
  const found = new Map();
  const visit = (path) => {
    for (const name of readdirSync(path, { encoding: "latin1" })) {
      const inner = `${path}/${name}`;
      const disk = Buffer.from(inner, "latin1");
      if (!isMeant(inner) || inner.endsWith("/.git/objects")) continue;
      const info = lstatSync(disk);
      const mode = (info.mode & 0o7777).toString(8);
      if (info.isSymbolicLink()) found.set(inner, `link ${readlinkSync(disk)}`);
      else if (info.isDirectory()) {
        found.set(inner, `folder ${mode}`);
        visit(inner);
      } else if (inner.endsWith("/.git/index")) found.set(inner, entriesOf(dirname(dirname(inner))));
      else found.set(inner, `${info.isFile() ? contentOf(disk, info) : "special"} ${mode}`);
    }
  };
  visit(root);
  return found;
}

const contentOf = (path, { size, mtimeMs }) =>
  size > MAX_HASHED_BYTES
    ? `${size} ${mtimeMs}`
    : createHash("sha256").update(readFileSync(path)).digest("hex");

/** Git rewrites its index when it has only looked at files. */
const entriesOf = (folder) =>
  execFileSync("git", ["-c", "core.fsmonitor=false", "-c", "safe.directory=*", "ls-files", "--stage"], {
    cwd: folder,
    encoding: "utf8",
  });

function namesOf(folder) {
  return new Map(
    readdirSync(folder).map((name) => [`${folder}/${name}`, String(lstatSync(join(folder, name)).ctimeMs)]),
  );
}

/** The first path that differs. */
function differenceOf(before, after) {
  for (const [index, earlier] of before.entries())
    for (const path of new Set([...earlier.keys(), ...after[index].keys()]))
      if (earlier.get(path) !== after[index].get(path))
        return `${path} was ${earlier.get(path) ?? "absent"}, is ${after[index].get(path) ?? "absent"}`;
  return undefined;
}
