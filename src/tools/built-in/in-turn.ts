/** Tasks with the same key, one after another; those with different keys do not wait for each other. */

const last = new Map<string, Promise<unknown>>();

export async function inTurn<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
  const before = last.get(key) ?? Promise.resolve();
  // How the task before ended is its own caller's business.
  const mine = before.then(task, task);
  last.set(key, mine);
  try {
    return await mine;
  } finally {
    if (last.get(key) === mine) last.delete(key);
  }
}
