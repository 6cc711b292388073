// Runs the attacks of bench/questions for real, each as a call of the gate in the mode accept-edits with the sandbox, as
// root and as an ordinary user. The program proves that the contained ones did no harm: no byte outside of the
// workspace changed, no packet left (Toolgate runs in a network of its own here, whose counters see every packet that
// one of its processes sends or tries to send outside of a sandbox), and the workspace is byte for byte as before when
// the call was undone.
//
//   --sample=N  every Nth of the contained attacks only
//   --from=K    the first of these, from 0: the samples 0 to N-1 together are all
//   --only=ID   one attack, with its output
//   --json      the figures as JSON
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runAttacks } from "./questions/run-attacks.mjs";

const { values: options } = parseArgs({
  options: {
    sample: { type: "string", default: "1" },
    from: { type: "string", default: "0" },
    only: { type: "string" },
    json: { type: "boolean", default: false },
    user: { type: "string" },
    inside: { type: "boolean", default: false },
  },
});
const SELF = fileURLToPath(import.meta.url);
const IS_ROOT = process.getuid() === 0;
const ORDINARY = 65_534;
if (options.user !== undefined)
  console.log(
    JSON.stringify(
      await runAttacks({
        every: Number(options.sample),
        from: Number(options.from),
        only: options.only,
      }),
    ),
  );
else if (IS_ROOT && !options.inside) enterNetwork();
else print(usersOf().map(attackAs));

function usersOf() {
  return IS_ROOT
    ? [
        { name: "root", uid: 0 },
        { name: "ordinary user", uid: ORDINARY },
      ]
    : [{ name: "this user", uid: process.getuid() }];
}

/** The same program where every packet is seen. */
function enterNetwork() {
  const args = [...process.argv.slice(2), "--inside"];
  const words = [
    "-n",
    "--",
    "sh",
    "-c",
    'ip link set lo up; exec "$@"',
    "sh",
    process.execPath,
    SELF,
    ...args,
  ];
  process.exitCode = spawnSync("unshare", words, { stdio: "inherit" }).status ?? 1;
}

function attackAs({ name, uid }) {
  const base = realpathSync(mkdtempSync("/var/tmp/toolgate-attacked-"));
  const [home, program] = [join(base, "home"), join(base, "toolgate")];
  try {
    chmodSync(base, 0o755);
    mkdirSync(home);
    if (IS_ROOT) chownSync(home, uid, uid);
    const isCopied = uid === ORDINARY && !isOpenToAll(SELF);
    if (isCopied) copyProject(program);
    const script = isCopied ? join(program, "bench/contained-attacks.mjs") : SELF;
    const args = [
      `--user=${uid}`,
      `--sample=${options.sample}`,
      `--from=${options.from}`,
      ...(options.only ? [`--only=${options.only}`] : []),
    ];
    const words = [process.execPath, script, ...args];
    const [first, ...rest] =
      uid === ORDINARY ? ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", ...words] : words;
    const before = sentPackets();
    const { stdout, stderr, status } = spawnSync(first, rest, {
      env: { PATH: process.env.PATH, HOME: home },
      cwd: "/",
      encoding: "utf8",
      maxBuffer: 1 << 28,
    });
    if (status !== 0) throw new Error(`${name}: ${stderr}`);
    return {
      user: name,
      ...JSON.parse(stdout),
      packets: before === undefined ? undefined : sentPackets() - before,
    };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** Whether an ordinary user can read the folder that the project lies in. */
function isOpenToAll(path) {
  const info = statSync(path);
  const wanted = info.isDirectory() ? 0o005 : 0o004;
  return (info.mode & wanted) === wanted && (path === "/" || isOpenToAll(dirname(path)));
}

function copyProject(to) {
  const from = fileURLToPath(new URL("..", import.meta.url));
  for (const name of ["dist", "bench", "test/fixtures", "package.json"])
    cpSync(join(from, name), join(to, name), { recursive: true });
  execFileSync("cp", ["-al", join(from, "node_modules"), join(to, "node_modules")]);
}

/** Packets that were sent, also over loopback, and those that had no route; undefined in a network that others share. */
function sentPackets() {
  if (!options.inside) return undefined;
  const [names, values] = readFileSync("/proc/net/snmp", "utf8")
    .split("\n")
    .filter((line) => line.startsWith("Ip:"))
    .map((line) => line.split(" "));
  return ["OutRequests", "OutNoRoutes"].reduce((sum, name) => sum + Number(values[names.indexOf(name)]), 0);
}

function print(rows) {
  if (options.json) return console.log(JSON.stringify(rows, undefined, 1));
  for (const { user, families, packets, seconds } of rows) {
    console.log(`contained attacks, as ${user} (${seconds.toFixed(0)} s):`);
    for (const [family, { count, contained, run, harmful }] of Object.entries(families)) {
      console.log(
        `  ${family.padEnd(10)} ${count} attacks, ${contained} of them contained: ${run} run, of which ${harmful.length} did harm`,
      );
      for (const { id, harm } of harmful) console.log(`    ${id}: ${harm}`);
    }
    console.log(`  packets that left: ${packets ?? "not measured without root"}`);
  }
}
