/**
 * One run of ripgrep: the program that comes with us, or the `rg` on the PATH where ours cannot be run.
 *
 * Invariants: no shell reads its arguments, no configuration file adds to them, it never outlives the call, and its
 * output is passed on as it arrives, so that a caller who has enough ends it. Its engine takes linear time, so no
 * pattern can hang it; a large tree can, hence the time limit.
 */
import type { Readable } from "node:stream";
import { commandEnvironment } from "../command-environment.js";
import { errorCode } from "../../call/error-code.js";
import { LineSplitter, startChild } from "../../process/index.js";
import type { Child } from "../../process/index.js";
import { ToolFailure } from "../tool.js";

const MAX_PROBLEM_LENGTH = 2000;

export type RipgrepRun = {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** In milliseconds. */
  readonly timeLimit: number;
  /** The separator of the output's records. */
  readonly separator: "\n" | "\0";
  /** False when no more is wanted. */
  readonly onRecord: (record: string) => boolean;
  /** The programs to try, in this order. */
  readonly programs?: readonly string[];
};

export type RipgrepEnd = {
  /** Why ripgrep ended: by itself, because the caller had enough, or because its time was up. */
  readonly by: "itself" | "enough" | "time";
  readonly exitCode?: number;
  /** ripgrep's error output, shortened. */
  readonly problem: string;
};

/** Throws the signal's reason when the signal aborted it, and ToolFailure when there is no ripgrep. */
export async function runRipgrep(run: RipgrepRun): Promise<RipgrepEnd> {
  run.signal.throwIfAborted();
  const child = await start(run);
  let by: RipgrepEnd["by"] = "itself";
  // ripgrep starts no other programs here, so its group is all there is to kill.
  const cancel = () => child.tree?.killGroup();
  const endBy = (reason: RipgrepEnd["by"]) => {
    by = reason;
    cancel();
  };
  const timer = setTimeout(endBy, run.timeLimit, "time");
  // A time limit of nothing ends the search at once.
  if (run.timeLimit <= 0) endBy("time");
  run.signal.addEventListener("abort", cancel, { once: true });
  try {
    const problem = textOf(child.stderr);
    let isWanted = true;
    eachRecord(child.stdout, run.separator, (record) => {
      if (!isWanted) return;
      isWanted = run.onRecord(record);
      if (!isWanted) endBy("enough");
    });
    await child.closed;
    const { exitCode } = await child.exit;
    run.signal.throwIfAborted();
    return { by, problem: problem(), ...(exitCode !== undefined && { exitCode }) };
  } finally {
    clearTimeout(timer);
    run.signal.removeEventListener("abort", cancel);
    child.tree?.release();
  }
}

async function start(run: RipgrepRun): Promise<Child> {
  const whys: string[] = [];
  for (const program of run.programs ?? (await ourPrograms())) {
    try {
      const child = startChild([program, "--no-config", ...run.argv], {
        cwd: run.cwd,
        env: commandEnvironment(process.env),
      });
      await child.started;
      return child;
    } catch (error) {
      whys.push(errorCode(error) ?? String(error));
    }
  }
  throw new ToolFailure(
    `ripgrep, the program that searches, cannot be run (${whys.join(", ")}). Nothing was searched. ` +
      `Install ripgrep so that "rg" is on the PATH, or search with a command.`,
  );
}

/** The package throws when it has no program for this kind of machine. */
async function ourPrograms(): Promise<readonly string[]> {
  const ours = await import("@vscode/ripgrep").catch(() => undefined);
  return ours ? [ours.rgPath, "rg"] : ["rg"];
}

function textOf(stream: Readable): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    if (text.length < MAX_PROBLEM_LENGTH) text += chunk;
  });
  return () => text.slice(0, MAX_PROBLEM_LENGTH).trim();
}

function eachRecord(stream: Readable, separator: string, onRecord: (record: string) => void): void {
  const splitter = new LineSplitter({
    // A caller that has enough ends the program: the bound is the longest line of a searched file.
    maxBytes: Number.MAX_SAFE_INTEGER,
    separator: separator.charCodeAt(0),
    onLine: (record) => onRecord(record.toString("utf8")),
  });
  stream.on("data", (chunk: Buffer) => splitter.add(chunk));
}
