/** A process of the fault campaign: takes a turn, reports what is on record, and can be hit by a fault. */
import { spawn } from "node:child_process";
import type { ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readlinkSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import type { SessionEvent } from "../src/call/index.js";
import { listProcesses } from "../src/process/process-table.js";
import { childProgram } from "./child-programs.js";
import { until } from "./until.js";

const script = childProgram("fault-turn.mjs");

/** When a fault comes: so many milliseconds after the process has started, or after it has the session open. */
export type Moment = { readonly from: "start" | "open"; readonly milliseconds: number };

/** One line that the process printed. */
type Report =
  | { readonly seq: number; readonly events: readonly SessionEvent[] }
  | { readonly isOver: true }
  | { readonly error: string };

export class FaultProcess {
  /** The number of the last event that is on record, and the events themselves, without text. */
  acknowledgedSeq = 0;
  readonly acknowledged: string[] = [];
  isOpen = false;
  isOver = false;
  hasEnded = false;
  /** The code of the error that ended it, and the error in full. */
  error: string | undefined;
  errorText = "";
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #closed: Promise<unknown>;

  constructor(cwd: string, file: string, ...options: readonly string[]) {
    this.#child = spawn(process.execPath, [script, cwd, file, ...options], {
      cwd,
      // A group of its own, to be killed as a whole.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child.stderr.on("data", (piece: Buffer) => (this.errorText += piece.toString()));
    createInterface(this.#child.stdout).on("line", (line) => this.#read(line));
    this.#closed = once(this.#child, "close").then(() => (this.hasEnded = true));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get wasKilled(): boolean {
    return this.#child.signalCode === "SIGKILL";
  }

  async reach({ from, milliseconds }: Moment): Promise<void> {
    if (from === "open") await until(() => this.isOpen || this.hasEnded);
    await Promise.race([setTimeout(milliseconds), this.#closed]);
  }

  send(signal: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<void> {
    this.send("SIGKILL");
    await this.ended();
  }

  async killGroup(): Promise<void> {
    if (!this.hasEnded) process.kill(-this.pid, "SIGKILL");
    await this.ended();
  }

  async ended(): Promise<void> {
    await until(
      () => this.hasEnded,
      () => this.errorText,
    );
  }

  /** The processes that it has started, and theirs. */
  family(): readonly number[] {
    const all = listProcesses(0);
    const family = [this.pid];
    for (const pid of family)
      family.push(...all.filter(({ parent }) => parent === pid).map((entry) => entry.pid));
    return family.slice(1);
  }

  /** Kills the first child whose command line has the text. False when the process ends before there is one. */
  async killChild(text: string): Promise<boolean> {
    let found: number | undefined;
    await until(() => {
      found = this.family().find((pid) => commandOf(pid).includes(text));
      return found !== undefined || this.hasEnded;
    });
    try {
      return found !== undefined && process.kill(found, "SIGKILL");
    } catch {
      return this.killChild(text);
    }
  }

  #read(line: string): void {
    const report = readReport(line);
    if (!report) return;
    if ("isOver" in report) this.isOver = true;
    else if ("error" in report) this.error = report.error;
    else {
      this.isOpen = true;
      this.acknowledgedSeq = report.seq;
      this.acknowledged.push(...report.events.map((event) => JSON.stringify(event)));
    }
  }
}

/** Undefined for a line that a kill has cut off. */
function readReport(line: string): Report | undefined {
  try {
    return JSON.parse(line) as Report;
  } catch {
    return undefined;
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

/** Processes that run in a folder. */
export function processesIn(folder: string): readonly number[] {
  return listProcesses(0)
    .filter(({ pid, isDead }) => !isDead && folderOf(pid) === folder)
    .map(({ pid }) => pid);
}

function folderOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}
