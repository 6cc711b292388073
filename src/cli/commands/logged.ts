/** Runs a command and writes its failure to the log. Settings with a mistake start nothing. */
import type { LogFlags } from "../open-log.js";

export async function logged(flags: LogFlags, run: () => Promise<void>): Promise<void> {
  const [{ logFailure, openLog }, { readRedaction }] = await Promise.all([
    import("../open-log.js"),
    import("../redaction.js"),
  ]);
  readRedaction();
  await openLog(flags);
  try {
    await run();
  } catch (error) {
    await logFailure(flags, error);
    throw error;
  }
}
