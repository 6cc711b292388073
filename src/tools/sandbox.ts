/**
 * Confines commands to the workspace, with bubblewrap.
 *
 * Inside, only the workspace's folders are writable; the rest of the disk is readable, except `/tmp` and `/run`, which
 * are private: through their sockets a command could make a service outside act for it. A command sees no other
 * process, has no capability that leads out, and no network unless that is enabled. Reading is not limited: a command
 * can read secrets on the disk and, with a network, send them.
 *
 * When the sandbox is not available, opening it throws: nothing runs without it instead.
 */
import { existsSync } from "node:fs";
import { checkOptions, FLAG, TEXT } from "../call/check-options.js";
import { captureOutput, exitReport } from "../process/index.js";
import { ToolFailure } from "./tool.js";

export type Sandbox = {
  /** The argv that runs this argv inside the sandbox. */
  wrap(argv: readonly string[], place: SandboxPlace): readonly string[];
};

export type SandboxPlace = {
  /** The folders that can be written. */
  readonly roots: readonly string[];
  readonly cwd: string;
  /** Set inside only: a variable can make bubblewrap itself run other code (LD_PRELOAD, for one). */
  readonly env?: { readonly [name: string]: string };
};

export type SandboxOptions = {
  /** Off unless true. */
  readonly network?: boolean;
  /** The path of bubblewrap, when it is not at its usual place. */
  readonly program?: string;
};

// Not PATH: that often leads through the project, where an agent could put a bwrap of its own.
const PROGRAMS = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

/** Throws NoSandbox where bubblewrap is not installed or does not work. */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  checkOptions<SandboxOptions>("openSandbox", options, { network: FLAG, program: TEXT });
  const { network = false, program = PROGRAMS.find((path) => existsSync(path)) } = options;
  if (program === undefined || !existsSync(program)) throw new NoSandbox();
  const sandbox: Sandbox = {
    wrap: (argv, place) => [program, ...wordsFor(place, network), "--", ...argv],
  };
  const [, ...args] = sandbox.wrap(["true"], { roots: [], cwd: "/" });
  const trouble = await failureOf([program, ...args]);
  if (trouble !== undefined) throw new NoSandbox(trouble);
  return sandbox;
}

const TRIAL_TIMEOUT_MS = 10_000;

/** Returns the first line of what went wrong, or undefined when the program succeeds. */
async function failureOf(argv: readonly [string, ...string[]]): Promise<string | undefined> {
  try {
    const { exit, stderr } = await captureOutput(argv, { env: process.env, timeoutMs: TRIAL_TIMEOUT_MS });
    if (exit.exitCode === 0) return undefined;
    return stderr.trim().split("\n", 1)[0] || exitReport(exit, "");
  } catch (error) {
    return String(error);
  }
}

export class NoSandbox extends Error {
  readonly code = "NO_SANDBOX";

  /** `trouble`: why bubblewrap fails, where it is installed. */
  constructor(trouble?: string) {
    super(
      trouble === undefined
        ? "There is no sandbox: bubblewrap (bwrap) is not installed. Nothing was run. Install it, or continue without a sandbox."
        : `There is no sandbox: bubblewrap (bwrap) does not work here (${trouble}). Nothing was run. See whether this system permits user namespaces, or continue without a sandbox.`,
    );
    this.name = "NoSandbox";
  }
}

function wordsFor({ roots, cwd, env = {} }: SandboxPlace, network: boolean): readonly string[] {
  if (roots.includes("/"))
    throw new ToolFailure(
      "The command could not be started: the workspace is the whole disk, and a sandbox around that would confine nothing. Nothing was run. Use a smaller workspace.",
    );
  const fixed = [
    "--die-with-parent --new-session --unshare-pid --unshare-ipc --unshare-uts",
    network ? "" : "--unshare-net",
    process.getuid?.() === 0 ? ROOT_CAPABILITIES : "",
    "--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --tmpfs /run",
    // Needed parts of /run that are not sockets: host names, and all programs on some systems.
    ...NEEDED_IN_RUN.map((path) => `--ro-bind-try ${path} ${path}`),
  ].flatMap((line) => line.split(" ").filter((word) => word !== ""));
  // One inside of another is there already. By its own name, a command could have put a link to the outside there.
  const outer = roots.filter((root) => !roots.some((other) => root.startsWith(`${other}/`)));
  return [
    ...fixed,
    // After /tmp and /run, so that a workspace in there is seen.
    ...outer.flatMap((root) => ["--bind", root, root]),
    ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
    "--chdir",
    cwd,
  ];
}

const NEEDED_IN_RUN = ["/run/systemd/resolve", "/run/current-system", "/run/wrappers"];

/** Root would keep all of them and could undo the rest; these only let it write what others own. */
const ROOT_CAPABILITIES =
  "--cap-drop ALL --cap-add CAP_DAC_OVERRIDE --cap-add CAP_CHOWN --cap-add CAP_FOWNER";
