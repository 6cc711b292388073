// Runs Vitest with the given words. Root on Linux gets a temporary folder in memory, seen by this run alone: the thousands of
// small files that tests make and delete cost much CPU time on a disk.
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const vitest = [`${root}node_modules/vitest/vitest.mjs`, "run", ...process.argv.slice(2)];

/** $1 is this repository, which may lie in the temporary folder $2. Without the right to mount, tests use the disk. */
const WITH_MEMORY = `
exec 3< "$1"
if mount -t tmpfs -o mode=1777 toolgate-tests "$2" 2>/dev/null; then
  mkdir -p "$1" && mount -c --bind /proc/self/fd/3 "$1" || exit 1
fi
exec 3<&-
cd "$1" && shift 2 && exec "$@"`;

const UNSHARE = ["--mount", "--propagation", "private"];
const mayUnshare =
  process.platform === "linux" &&
  process.getuid() === 0 &&
  spawnSync("unshare", [...UNSHARE, "true"]).status === 0;
const { status } = mayUnshare
  ? run("unshare", [...UNSHARE, "sh", "-c", WITH_MEMORY, "sh", root, tmpdir(), process.execPath, ...vitest])
  : run(process.execPath, vitest);
process.exit(status ?? 1);

function run(program, args) {
  return spawnSync(program, args, { cwd: root, stdio: "inherit" });
}
