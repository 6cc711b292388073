/**
 * Proves that the sandbox holds on this machine, by trying the ways out in a small workspace of its own, with the very
 * words that later start a command. A kernel or a container can take each of the protections away without an error.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { collectOutput, exitReport } from "../../process/index.js";
import type { Sandbox } from "./sandbox.js";
import type { SandboxFolder } from "./sandbox-folder.js";

const TIMEOUT_MS = 30_000;
const PASSED = "contained";

/** Files of the workspace in which the test runs. */
const FILES = {
  ".env": "SECRET=1\n",
  ".vscode/settings.json": "{}\n",
  ".git/HEAD": "ref: refs/heads/main\n",
  ".git/config": "[core]\n",
  "a.txt": "a\n",
};

/** Prints a line for each way out that is open. */
export const SELF_TEST = `
outside=$1 pid=$2 network=$3 stays=$4
open() { echo "$1"; }
status() { sed -n "s/^$1:[[:space:]]*//p" /proc/self/status; }
[ "$(status Seccomp)" = 2 ] || open "no filter of system calls"
[ "$(status NoNewPrivs)" = 1 ] || open "programs can gain rights"
case $(status CapEff) in 0000000000000000 | 000000000000000b) ;; *) open "rights of root are left" ;; esac
[ "$network" = yes ] || [ "$(sed -n 's/^ *\\([^ :]*\\):.*/\\1/p' /proc/net/dev)" = lo ] || open "the network is there"
[ ! -e "$outside" ] || open "the home folder is seen"
kill -0 "$pid" 2>/dev/null && open "other processes are reached"
(: >/usr/.toolgate-self-test) 2>/dev/null && open "the system can be written"
(: >/etc/.toolgate-self-test) 2>/dev/null && open "the system's settings can be written"
(: >/dev/.toolgate-self-test) 2>/dev/null && open "devices can be made"
value=$(cat /proc/sys/kernel/core_pattern) && (echo "$value" >/proc/sys/kernel/core_pattern) 2>/dev/null && open "the kernel's settings can be written"
[ -s /proc/1/environ ] && tr '\\0' '\\n' </proc/1/environ | grep -q '^HOME=' && open "our variables are seen"
cat .env >/dev/null 2>&1 && open "a secret can be read"
(echo >.vscode/settings.json) 2>/dev/null && open "a protected file can be written"
mv .vscode moved 2>/dev/null && open "a protected folder can be moved"
mv .git moved 2>/dev/null && open "the repository can be moved"
(echo >.git/hooks/pre-commit) 2>/dev/null && open "a hook of git can be written"
(echo >.git/config) 2>/dev/null && open "a setting of git can be written"
(echo >.git/commondir) 2>/dev/null && open "the settings of git can be replaced"
if (echo b >a.txt) 2>/dev/null; then
  [ "$stays" = no ] || open "the workspace can be written by a server"
else
  [ "$stays" = yes ] || open "the workspace cannot be written"
fi
set -- $(sh -c 'echo $$; exec readlink /proc/self')
[ "$1" = "$2" ] || open "other processes are seen"
unshare --user true 2>/dev/null && open "namespaces can be made"
chmod u+s a.txt 2>/dev/null && open "a file can get its owner's rights"
(echo x >AGENTS.md) 2>/dev/null
echo ${PASSED}
`;

export type SelfTestPlace = { readonly folder: SandboxFolder; readonly hasNetwork: boolean };

/** The first way out that is open, or why nothing could be tried; undefined when the sandbox holds. */
export async function selfTest(
  enter: Sandbox["enter"],
  { folder, hasNetwork }: SelfTestPlace,
  { stays = false }: { readonly stays?: boolean } = {},
): Promise<string | undefined> {
  const root = mkdtempSync(join(folder.run, "self-test-"));
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  for (const name of ["objects", "refs"]) mkdirSync(join(root, ".git", name));
  try {
    const words = [folder.filter, String(process.pid), hasNetwork ? "yes" : "no", stays ? "yes" : "no"];
    const entered = await enter(["/bin/sh", "-c", SELF_TEST, "sh", ...words], {
      roots: [root],
      cwd: root,
    });
    const [program = "", ...args] = entered.argv;
    const { exit, stdout, stderr } = await collectOutput([program, ...args], {
      env: entered.env,
      timeoutMs: TIMEOUT_MS,
    });
    const refusals = await entered.leave(exit);
    const [first = "", ...more] = stdout.toString().trim().split("\n");
    if (more.length > 0) return first;
    if (first !== PASSED) return stderr.trim().split("\n", 1)[0] || exitReport(exit, "");
    const isHeldBack = refusals.some(({ text }) => text.includes("AGENTS.md"));
    return isHeldBack || (stays && !existsSync(join(root, "AGENTS.md")))
      ? undefined
      : "a new protected name stays";
  } catch (error) {
    return String(error);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
