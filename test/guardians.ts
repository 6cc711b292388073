import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

export function childrenOf(pid: number): readonly number[] {
  return execFileSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(Number);
}

/** The processes that end the children of this one when it is killed: one, unless it is being replaced. */
export function guardiansOf(pid: number): readonly number[] {
  return childrenOf(pid).filter((child) => commandOf(child).includes("toolgate-guardian"));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
