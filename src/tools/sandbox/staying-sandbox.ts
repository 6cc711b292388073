/**
 * Namespaces of one session that stay: a network with its own loopback, and a view of processes. A server that a
 * contained command leaves in them goes on after the command, and later commands of the same session reach it.
 *
 * A process of ours holds the namespaces and runs nothing else. Invariants: a command joins by descriptors that were
 * opened when the namespaces were new, so a pid that another process has by now leads nowhere; everything in the
 * namespaces ends with the process of ours, and that ends with the session and with Toolgate.
 */
import { closeSync, openSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { startChildWithStdin } from "../../process/index.js";
import { NoSandbox } from "./no-sandbox.js";

export type StayingOptions = {
  /** The words that start the process that holds the namespaces: see `holderWords`. */
  readonly argv: readonly [string, ...string[]];
  readonly env: NodeJS.ProcessEnv;
  /** The file in which bubblewrap names the process inside. */
  readonly status: string;
};

type Descriptors = { readonly network: number; readonly processes: number; readonly user: number };

const MAX_START_MS = 10_000;

export class StayingSandbox {
  readonly #child: ReturnType<typeof startChildWithStdin>;
  readonly #first: number;
  readonly #descriptors: Descriptors;
  readonly #onEnd: (() => void)[] = [];
  #running = 0;
  #isOver = false;

  private constructor(child: ReturnType<typeof startChildWithStdin>, first: number) {
    this.#child = child;
    this.#first = first;
    this.#descriptors = {
      network: openNamespace(first, "net"),
      processes: openNamespace(first, "pid"),
      user: openNamespace(first, "user"),
    };
    const onExit = (): void => this.end();
    child.exit.then(onExit, onExit);
  }

  /** Throws where the namespaces cannot be made. */
  static async open({ argv, env, status }: StayingOptions): Promise<StayingSandbox> {
    const child = startChildWithStdin(argv, { env, cwd: "/" });
    child.setKeepsAlive(false);
    try {
      await isReady(child);
      return new StayingSandbox(child, firstProcess(status));
    } catch (error) {
      child.tree?.kill();
      child.tree?.release();
      child.closePipes();
      throw new NoSandbox(`no namespaces can be kept: ${String(error)}`);
    } finally {
      rmSync(status, { force: true });
    }
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether a command runs in it, or a process is left in it that a command started. */
  get isUsed(): boolean {
    return !this.#isOver && (this.#running > 0 || this.#left() > 0);
  }

  /** Paths by which another program opens the namespaces. */
  paths(): { readonly [Name in keyof Descriptors]: string } {
    const { network, processes, user } = this.#descriptors;
    return { network: ownPath(network), processes: ownPath(processes), user: ownPath(user) };
  }

  /** The number of the first process inside. */
  get first(): string {
    return String(this.#first);
  }

  /** To be called when a command enters; returns the function to be called when it has ended. */
  enter(): () => void {
    this.#running += 1;
    return () => {
      this.#running -= 1;
      if (!this.isUsed) this.end();
    };
  }

  /** Called once, when everything in it has ended or is about to. */
  onEnd(listener: () => void): void {
    this.#onEnd.push(listener);
  }

  /** Ends everything in it. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // The kernel ends every process of the namespace with its first one.
    this.#child.tree?.kill();
    this.#child.tree?.release();
    this.#child.closePipes();
    for (const descriptor of Object.values(this.#descriptors)) closeSync(descriptor);
    for (const listener of this.#onEnd) listener();
  }

  /** Processes whose command has ended: the kernel gives them to the first process. One of its children is ours. */
  #left(): number {
    try {
      const file = `/proc/${this.#first}/task/${this.#first}/children`;
      return readFileSync(file, "latin1").split(" ").filter(Boolean).length - 1;
    } catch {
      return 0;
    }
  }
}

const ownPath = (descriptor: number): string => `/proc/${process.pid}/fd/${descriptor}`;

function isReady(child: ReturnType<typeof startChildWithStdin>): Promise<void> {
  return new Promise((resolve, reject) => {
    let errors = "";
    const timer = setTimeout(() => reject(new Error("it does not start")), MAX_START_MS);
    child.stderr.on("data", (bytes: Buffer) => (errors = (errors + bytes.toString()).slice(0, 1_000)));
    child.stdout.once("data", () => resolve());
    const onExit = (): void => reject(new Error(errors.trim() || "it ended"));
    child.exit.then(onExit, onExit).finally(() => clearTimeout(timer));
    child.stdout.once("data", () => clearTimeout(timer));
  });
}

function firstProcess(status: string): number {
  const pid = Number(/"child-pid": (?<pid>\d+)/.exec(readFileSync(status, "utf8"))?.groups?.["pid"]);
  if (!Number.isInteger(pid)) throw new Error("bubblewrap named no process");
  return pid;
}

/** Throws when the namespace is our own: a command that joins it would be outside. */
function openNamespace(pid: number, name: "net" | "pid" | "user"): number {
  const isShared = name === "user" && process.getuid?.() === 0;
  const path = `/proc/${pid}/ns/${name}`;
  if (!isShared && readlinkSync(path) === readlinkSync(`/proc/self/ns/${name}`))
    throw new Error(`the namespace "${name}" is our own`);
  return openSync(path, "r");
}

const LISTENING = "0A";

/** The ports on which a process listens, in the network namespace of the named one. */
export function listeningPorts(processName: string): ReadonlySet<number> {
  const ports = new Set<number>();
  for (const table of ["tcp", "tcp6"])
    for (const line of linesOf(`/proc/${processName}/net/${table}`)) {
      const [, local = "", , state] = line.trim().split(/\s+/);
      if (state === LISTENING) ports.add(Number.parseInt(local.slice(local.lastIndexOf(":") + 1), 16));
    }
  return ports;
}

function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, "latin1").split("\n").slice(1);
  } catch {
    return [];
  }
}
