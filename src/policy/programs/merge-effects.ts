/** Several effects as one. */
import type { Effects } from "./program.js";

export type AllEffects = Required<Effects>;

export function mergeEffects(effects: readonly Effects[]): AllEffects {
  const all = (part: Exclude<keyof Effects, "runs" | "takesList">) =>
    effects.flatMap((effect) => effect[part] ?? []);
  return {
    doubts: all("doubts"),
    reads: all("reads"),
    writes: all("writes"),
    deletes: all("deletes"),
    moves: all("moves"),
    editsBelow: all("editsBelow"),
    deletesBelow: all("deletesBelow"),
    urls: all("urls"),
    sends: all("sends"),
    installs: all("installs"),
    publishes: all("publishes"),
    deploys: all("deploys"),
    reveals: all("reveals"),
    runsFiles: all("runsFiles"),
    runs: effects.some(({ runs }) => runs === true),
    takesList: effects.some(({ takesList }) => takesList === true),
  };
}
