/**
 * Keeping a workspace before a command, against `git add -A && git write-tree` on the same tree in the same run.
 *
 * Cold: the first keep, seeded from the repository's index, against a first `git add -A` into a repository of its own.
 * Allowed: a command that a person allowed, through the gate, with and without a keep: what undo by default costs.
 * Warm: a keep when one file was edited, one made and one deleted, against the same in that other repository: the
 * workspace's own is as it is when a command changes files and not git.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryLedger } from "../dist/history/index.js";
import { allowAll, openGate } from "../dist/run/index.js";
import { builtInTools, LocalWorkspace, openKeeper } from "../dist/tools/index.js";
import { median } from "./measure.mjs";

const SIZES = (process.env.TOOLGATE_FILES ?? "20000,100000").split(",").map(Number);
const ALLOWED_SIZES = [400, 20_000];
const ALLOWED_ROUNDS = 11;
const ROUNDS = 5;
const MAX_RATIO = 1.5;
const FILES_PER_FOLDER = 100;
const LIMITS = { maxMs: 600_000, maxFiles: 1_000_000 };

const base = mkdtempSync(join(tmpdir(), "toolgate-bench-keep-"));
let isBad = false;
try {
  for (const files of ALLOWED_SIZES)
    for (const isRepository of [true, false]) await measureAllowed(files, isRepository);
  for (const files of SIZES) await measure(files);
} finally {
  rmSync(base, { recursive: true, force: true });
}
process.exitCode = isBad ? 1 : 0;

async function measureAllowed(files, isRepository) {
  const root = join(base, `allowed-${files}-${isRepository}`);
  makeTree(root, files);
  if (isRepository) commitAll(root);
  const [bare, kept] = [
    await allowedTimes(root),
    await allowedTimes(root, openKeeper({ folder: `${root}.kept`, limits: LIMITS })),
  ];
  const place = isRepository ? "a repository" : "no repository";
  console.log(`allowed command, ${files} files, ${place}: kept ${shown(kept)}; not kept ${shown(bare)}`);
}

function shown({ first, later }) {
  return `first ${Math.round(first)} ms, later ${Math.round(later)} ms`;
}

async function allowedTimes(root, keeper) {
  const gate = await openGate({
    ledger: new MemoryLedger(),
    workspace: await LocalWorkspace.open(root, keeper ? { keeper } : {}),
    tools: builtInTools,
    policy: () => ({ rules: [], default: "ask" }),
    ask: allowAll,
    loopLimit: 1_000,
  });
  const times = [];
  for (let round = 0; round < ALLOWED_ROUNDS; round += 1) {
    const command = `echo ${round} >> src/m0/d0/file1.ts`;
    times.push(
      await timed(async () => {
        const { state, notKept } = await gate.call({ name: "terminal", input: { command } });
        if (state.status !== "done" || notKept) throw new Error(`${state.status} ${notKept}`);
      }),
    );
  }
  await gate.close();
  const [first, ...later] = times;
  return { first, later: median(later) };
}

function commitAll(root) {
  const git = (...words) => execFileSync("git", words, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  git("init", "-q");
  git("-c", "core.looseCompression=1", "add", "-A");
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "gc.auto=0", "commit", "-qm", "one");
  return git;
}

async function measure(files) {
  const root = join(base, String(files));
  makeTree(root, files);
  const git = commitAll(root);

  const other = join(base, `${files}.git`);
  const cold = { git: 0, keep: 0 };
  const aside = (...words) =>
    git(`--git-dir=${other}`, `--work-tree=${root}`, "-c", "core.bare=false", ...words);
  cold.git = await timed(() => {
    git("init", "-q", "--bare", other);
    aside("add", "-A");
    aside("write-tree");
  });
  const keeper = openKeeper({ folder: join(base, `${files}.kept`), commands: "writing", limits: LIMITS });
  const keep = async () => {
    const kept = await keeper.keep([root]);
    if (kept.type !== "kept") throw new Error(kept.reason);
    return kept;
  };
  let kept;
  cold.keep = await timed(async () => (kept = await keep()));

  const rounds = { git: [], keep: [], changes: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    change(root, 2 * round);
    const both = [
      async () => rounds.git.push(await timed(() => (aside("add", "-A"), aside("write-tree")))),
      async () => {
        await keeper.changes(kept);
        change(root, 2 * round + 1);
        rounds.keep.push(await timed(async () => (kept = await keep())));
        rounds.changes.push(await timed(() => keeper.changes(kept)));
        kept = await keep();
      },
    ];
    for (const one of round % 2 === 0 ? both : both.toReversed()) await one();
  }
  await keeper.changes(kept);
  const warm = { git: median(rounds.git), keep: median(rounds.keep) };
  show(`${files} files, first keep, seeded`, cold, true);
  show(`${files} files, after a change`, warm, true);
  console.log(`${files} files, changes after a command: ${Math.round(median(rounds.changes))} ms`);
}

function show(name, { git, keep }, isBound) {
  const ratio = keep / git;
  const isOver = isBound && ratio > MAX_RATIO;
  isBad ||= isOver;
  console.log(
    `${name}: keep ${Math.round(keep)} ms, git ${Math.round(git)} ms, ratio ${ratio.toFixed(2)}${isOver ? ` (more than ${MAX_RATIO})` : ""}`,
  );
}

/** One file edited, one new, one deleted. */
function change(root, round) {
  appendFileSync(join(root, "src/m0/d0/file1.ts"), `// ${round}\n`);
  writeFileSync(join(root, `src/m0/d0/new${round}.ts`), "new\n");
  rmSync(join(root, `src/m0/d0/file${10 + round}.ts`), { force: true });
}

function makeTree(root, files) {
  const body = "export const value = 1; // some text of a source file\n".repeat(78);
  for (let folder = 0; folder < files / FILES_PER_FOLDER; folder += 1) {
    const path = join(root, "src", `m${Math.floor(folder / 10)}`, `d${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < FILES_PER_FOLDER; file += 1)
      writeFileSync(join(path, `file${file}.ts`), `// ${folder} ${file}\n${body}`);
  }
}

async function timed(act) {
  const startedAt = performance.now();
  await act();
  return performance.now() - startedAt;
}
