/** Toolgate is killed with -9: nothing that it started stays, however that has hidden itself. */
import { spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { folder } from "./agent-kit.js";
import { childProgram } from "./child-programs.js";
import { fingerprint } from "../src/mcp/fingerprint.js";
import { readServer } from "../src/mcp/config.js";
import type { Home } from "./cli-kit.js";
import { atHome, command } from "./cli-kit.js";
import { childrenOf, guardiansOf } from "./guardians.js";
import { isAlive } from "./is-alive.js";
import { until } from "./until.js";

const starter = childProgram("start-trees.mjs");
const slowServer = childProgram("mcp-slow.mjs");
const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

const NOTE_AND_SLEEP = `echo $$ >> "$NOTES"; exec sleep 300`;
const HIDDEN = `env -i NOTES="$NOTES" setsid sh -c '${NOTE_AND_SLEEP}' > /dev/null 2>&1 < /dev/null`;

test.skipIf(process.platform !== "linux")("ends children, however they hide, within moments", async () => {
  const { notes, pids } = await noted();
  const scripts = [
    // In its group, in a session of its own, and as an orphan there.
    `sh -c '${NOTE_AND_SLEEP}' & ${NOTE_AND_SLEEP}`,
    `setsid sh -c '${NOTE_AND_SLEEP}' & sleep 300`,
    `(setsid sh -c '${NOTE_AND_SLEEP}' &); sleep 300`,
    // Without its mark in the environment, as an orphan in a session of its own.
    `(${HIDDEN} &); sleep 300`,
    // The leader has exited, and the tree was not released.
    `trap "" HUP TERM INT; setsid sh -c '${NOTE_AND_SLEEP}' > /dev/null 2>&1 & exit 0`,
  ];
  const { program, ways } = await start([notes, ...scripts]);
  await until(() => pids().length === ways * 6);
  expect(pids().filter(isAlive)).toEqual(pids());
  program.kill("SIGKILL");
  await until(
    () => !pids().some(isAlive),
    () => String(pids().filter(isAlive)),
  );
});

test.skipIf(process.platform !== "linux")(
  "ends a process that does nothing but start the next one in a session of its own",
  async () => {
    const { notes, pids } = await noted();
    const forker = `${notes}.sh`;
    writeFileSync(
      forker,
      `echo $$ >> "${notes}"; sleep 0.02; setsid sh "$0" > /dev/null 2>&1 < /dev/null & exit`,
    );
    const { program } = await start([notes, `sh ${forker} & sleep 300`]);
    await until(() => pids().length > 20);
    program.kill("SIGKILL");
    // Each is alive for moments only: it is over when no further one notes itself for many looks.
    let [seen, looks] = [pids().length, 0];
    await until(() => {
      const now = pids().length;
      looks = now === seen ? looks + 1 : 0;
      seen = now;
      return looks > 50;
    });
    expect(pids().filter(isAlive)).toEqual([]);
  },
);

const canUnshare =
  process.platform === "linux" && spawnSync("unshare", ["--pid", "--fork", "true"]).status === 0;

test.skipIf(!canUnshare)(
  "ends the groups of its children where /proc shows another pid namespace",
  async () => {
    const { notes } = await noted();
    const sleep = `sleep 300.${randomInt(1e9)}`;
    // The first process of the namespace stays: with it, all others would end by themselves.
    const words = ["--pid", "--fork", "--kill-child", "sh", "-c", '"$@"; sleep 300', "sh"];
    const around = spawn("unshare", [...words, process.execPath, starter, notes, `${sleep} & ${sleep}`]);
    onTestFinished(() => void around.kill("SIGKILL"));
    const sleeping = () =>
      spawnSync("ps", ["-eo", "args"], { encoding: "utf8" })
        .stdout.split("\n")
        .filter((line) => line.trim() === sleep);
    const [ways] = (await once(around.stdout, "data")) as [Buffer];
    await until(() => sleeping().length === 2 * Number.parseInt(ways.toString(), 10));
    const [first = 0] = childrenOf(around.pid ?? 0);
    const [program = 0] = childrenOf(first);
    process.kill(program, "SIGKILL");
    await expect.poll(sleeping).toEqual([]);
  },
);

test("leaves a background process of a command that ended by itself", async () => {
  const { notes, pids } = await noted();
  const left = `setsid sh -c '${NOTE_AND_SLEEP}' > /dev/null 2>&1 &`;
  const hidden = `(${HIDDEN} &)`;
  const { program, ways } = await start([notes, `released:${left}`, `released:${hidden}`, NOTE_AND_SLEEP]);
  await until(() => pids().length === 2 + ways);
  const [guardian] = guardiansOf(program.pid ?? 0);
  program.kill("SIGKILL");
  await until(() => pids().filter(isAlive).length <= 2);
  // When it has gone, it has done all that it does.
  await until(() => guardian === undefined || !isAlive(guardian));
  expect(pids().filter(isAlive)).toHaveLength(2);
});

test("ends children also when the whole process group is killed", async () => {
  const { notes, pids } = await noted();
  const { program, ways } = await start([notes, `setsid sh -c '${NOTE_AND_SLEEP}' & sleep 300`], true);
  await until(() => pids().length === ways);
  process.kill(-(program.pid ?? 0), "SIGKILL");
  await expect.poll(() => pids().filter(isAlive)).toEqual([]);
});

test("guards again when its guardian was killed", async () => {
  const { notes, pids } = await noted();
  const { program, ways } = await start([notes, NOTE_AND_SLEEP]);
  await until(() => pids().length === ways);
  const guardians = () => guardiansOf(program.pid ?? 0);
  const [first] = guardians();
  if (first === undefined) throw new Error("Nobody guards it.");
  process.kill(first, "SIGKILL");
  await until(() => guardians().some((pid) => pid !== first));
  // A second guardian knows the trees when the turn of the event loop that started it is over.
  for (const _ of [1, 2]) await once(program.stdout, "data");
  program.kill("SIGKILL");
  await expect.poll(() => pids().filter(isAlive)).toEqual([]);
});

test("toolgate run takes its command and its MCP server with it, and the children of both", async () => {
  const at = await atHome();
  const { notes, pids } = await noted();
  const hide = `setsid sh -c 'echo $$ >> ${notes}; exec sleep 300' >/dev/null 2>&1 &`;
  const config = {
    command: "sh",
    args: ["-c", `${hide} exec '${process.execPath}' '${slowServer}' '${notes}' quick`],
  };
  const own = { name: "slow", fingerprint: fingerprint(readServer("slow", config), at.project) };
  const servers = [{ ...own, projectRoot: at.project, approvedAt: 1 }];
  writeFileSync(join(at.settings, "mcp.json"), JSON.stringify({ mcpServers: { slow: config } }));
  writeFileSync(join(at.settings, "mcp-servers.json"), JSON.stringify({ version: 1, servers }));
  const script = at.script([{ calls: [command(`${hide} echo $$ >> ${notes}; sleep 300`)] }]);
  const words = ["--mode", "allow-all", "--script", script];
  expect(await killWhenStarted(at, words, { pids, count: 4 })).toEqual([]);
});

test("toolgate run takes its agent with it, and the agent's children", async () => {
  const at = await atHome();
  const { notes, pids } = await noted();
  const agent = join(at.home, "agent.sh");
  writeFileSync(agent, `setsid sh -c 'echo $$ >> ${notes}; exec sleep 300' & echo $$ >> ${notes}; sleep 300`);
  expect(await killWhenStarted(at, ["--agent", `sh ${agent}`], { pids, count: 2 })).toEqual([]);
});

/** Kills the command when so many processes have noted themselves, and waits until they and its children are gone. */
async function killWhenStarted(
  { home, project }: Home,
  words: readonly string[],
  { pids, count }: { readonly pids: () => readonly number[]; readonly count: number },
) {
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, "config"), XDG_STATE_HOME: home };
  const options = { cwd: project, env: { ...process.env, ...env } };
  const program = spawn(process.execPath, [main, "run", ...words, "go"], options);
  onTestFinished(() => void program.kill("SIGKILL"));
  await until(() => pids().length === count);
  const started = childrenOf(program.pid ?? 0);
  program.kill("SIGKILL");
  await until(() => ![...pids(), ...started].some(isAlive));
  return pids().filter(isAlive);
}

/** A file where processes note their pids; they end with the test at the latest. */
async function noted() {
  const notes = join(await folder(), "notes");
  writeFileSync(notes, "");
  const pids = () => readFileSync(notes, "utf8").split("\n").filter(Boolean).map(Number);
  onTestFinished(() => {
    for (const pid of pids()) if (isAlive(pid)) process.kill(pid, "SIGKILL");
  });
  return { notes, pids };
}

/** Starts the child that starts trees; resolves with the number of ways in which it starts each. */
async function start(words: readonly string[], detached = false) {
  const program = spawn(process.execPath, [starter, ...words], {
    detached,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void program.kill("SIGKILL"));
  const ways = await new Promise<number>((resolve) => {
    // On a busy machine the lines that follow may be in the same piece.
    program.stdout.once("data", (bytes: Buffer) => resolve(Number.parseInt(bytes.toString(), 10)));
  });
  return { program, ways };
}
