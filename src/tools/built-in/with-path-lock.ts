/**
 * A lock on paths: conflicting changes run one after another, others run at the same time. Two changes conflict when
 * they touch the same path, or one touches a folder that contains the other's path.
 */
import { isWithin } from "../../call/absolute-path.js";

type Change = { readonly paths: readonly string[]; readonly ended: Promise<void> };

const open = new Set<Change>();

export async function withPathLock<Result>(
  paths: readonly string[],
  task: () => Promise<Result>,
): Promise<Result> {
  // A change waits only for earlier ones, so there is no deadlock.
  const before = [...open].filter((change) => meet(change.paths, paths)).map(({ ended }) => ended);
  const mine = Promise.all(before).then(task);
  // Only the caller of a change handles its error.
  const ended = mine.then(
    () => undefined,
    () => undefined,
  );
  const change = { paths, ended };
  open.add(change);
  try {
    return await mine;
  } finally {
    open.delete(change);
  }
}

function meet(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.some((other) => isWithin(one, other) || isWithin(other, one)));
}
