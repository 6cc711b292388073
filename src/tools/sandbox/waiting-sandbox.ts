/**
 * A sandbox that was started before its command, so that the command need not wait for namespaces and mounts. The
 * process inside waits for the command at its stdin. Each sandbox takes one command and ends with it, so nothing of a
 * command stays for the next.
 *
 * Invariant: a command enters only when the sandbox would get the same mounts now, and when each mount of the workspace
 * is still at its path, as the kernel's own list says. A file that was replaced meanwhile has lost its mount.
 */
import { readFileSync, rmSync } from "node:fs";
import { readText, startChildWithStdin } from "../../process/index.js";
import type { TextProgram } from "../../process/index.js";
import type { ParkedCommonFolder } from "./common-folder.js";
import { unescaped } from "./expected-mounts.js";
import type { Mount } from "./mount.js";
import { READY, WAITING_TEXT } from "./start-script.js";

const MAX_IDLE_MS = 120_000;

export type WaitingOptions = {
  readonly argv: readonly [string, ...string[]];
  readonly env: NodeJS.ProcessEnv;
  /** Equal when two sandboxes have the same mounts. */
  readonly key: string;
  readonly guarding: readonly Mount[];
  /** Our files in the repositories. */
  readonly parked: readonly ParkedCommonFolder[];
  /** Called when these files are out of the repositories. */
  readonly onParked: () => void;
  /** The file in which bubblewrap names the process inside. */
  readonly status: string;
  /** Called when it ended without a command. */
  readonly onEnd: () => void;
};

export class WaitingSandbox {
  readonly #options: WaitingOptions;
  readonly #child: ReturnType<typeof startChildWithStdin>;
  readonly #timer: NodeJS.Timeout;
  #isReady = false;
  #isOver = false;

  constructor(options: WaitingOptions) {
    this.#options = options;
    this.#child = startChildWithStdin(options.argv, { env: options.env, cwd: "/" });
    this.#child.setKeepsAlive(false);
    this.#timer = setTimeout(() => this.end(), MAX_IDLE_MS).unref();
    this.#child.stdin.write(WAITING_TEXT);
    this.#child.stdout.once("data", (bytes: Buffer) => this.#onReady(bytes.toString("latin1")));
    const onExit = (): void => {
      if (!this.#isOver) this.#giveUp();
    };
    this.#child.exit.then(onExit, onExit);
  }

  /** True when a command may enter now; then the repositories are prepared for it. */
  take(key: string): boolean {
    if (this.#isOver || !this.#isReady || key !== this.#options.key) return false;
    if (!this.#options.parked.every((one) => one.place()) || !this.#isWhole()) return false;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#child.setKeepsAlive(true);
    return true;
  }

  /** Starts the command. `text`: see `commandText`. */
  run(text: string, onText: (text: string) => void): TextProgram {
    this.#child.stdin.end(text);
    readText(this.#child, onText);
    this.#child.stdout.resume();
    return this.#child;
  }

  /** Ends it without a command. */
  end(): void {
    if (this.#isOver) return;
    // The shell inside meets the end of its script.
    this.#child.stdin.end();
    this.#giveUp();
  }

  #onReady(text: string): void {
    this.#child.stdout.pause();
    if (this.#isOver) return;
    if (text !== READY) return this.end();
    try {
      for (const one of this.#options.parked) one.park();
    } catch {
      // On another disk.
      return this.end();
    }
    this.#options.onParked();
    this.#isReady = true;
  }

  #giveUp(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    for (const one of this.#options.parked) one.remove();
    this.#options.onParked();
    this.#child.tree?.release();
    this.#child.closePipes();
    rmSync(this.#options.status, { force: true });
    this.#options.onEnd();
  }

  /** Whether the mounts of the workspace are all there. */
  #isWhole(): boolean {
    try {
      const pid = /"child-pid": (?<pid>\d+)/.exec(readFileSync(this.#options.status, "utf8"))?.groups?.[
        "pid"
      ];
      const modes = mountModes(readFileSync(`/proc/${pid}/mountinfo`, "utf8"));
      return this.#options.guarding.every(
        ({ type, path }) => modes.get(path) === (type === "write" ? "rw" : "ro"),
      );
    } catch {
      return false;
    }
  }
}

/** By path; the last mount at a path covers the others. */
function mountModes(mountInfo: string): ReadonlyMap<string, string> {
  return new Map(
    mountInfo.split("\n").map((line) => {
      const [, , , , path = "", options = ""] = line.split(" ");
      return [unescaped(path), options.slice(0, 2)];
    }),
  );
}
