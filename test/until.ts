const LIMIT_MS = 120_000;

/** Waits for a condition. The limit is for one that never comes, so a busy machine does not reach it. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  describe: () => string = () => "",
): Promise<void> {
  const end = Date.now() + LIMIT_MS;
  while (!(await condition())) {
    if (Date.now() > end)
      throw new Error(`It did not happen within ${LIMIT_MS / 1000} seconds.\n${describe()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
