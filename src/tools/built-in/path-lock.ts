/**
 * Changes that meet, one after another; those that do not meet do not wait for each other. Two changes meet
 * when they touch the same path, or one touches a folder that the other's path is in.
 */

type Change = { readonly paths: readonly string[]; readonly ended: Promise<void> };

const open = new Set<Change>();

export async function withPathLock<Result>(
  paths: readonly string[],
  task: () => Promise<Result>,
): Promise<Result> {
  // Only those that came before are waited for, so no two ever wait for each other.
  const before = [...open].filter((change) => meet(change.paths, paths)).map(({ ended }) => ended);
  const mine = Promise.all(before).then(task);
  // How a change ended is its own caller's business.
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

/** Whether a path is that folder, or in it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
