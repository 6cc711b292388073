/**
 * `toolgate acp`: the agent for an editor, on stdin and stdout. An editor that is gone has cancelled.
 *
 * Editors start their agents long before they use them, so this file loads only what answers the first message;
 * all else is loaded when that is answered.
 */
import { constants } from "node:os";
import { serveWire } from "../acp/agent/serve-wire.js";
import { stdioWire } from "../acp/connection/stdio-wire.js";
import { packageVersion } from "./package-version.js";
import type { AcpFlags } from "./commands/acp.js";

/** Milliseconds. Whoever starts this by hand, with a flag that does not exist, hears of it all the same. */
const PATIENCE = 500;

/** `readFlags` is called once, when the client has said hello or after a moment; wrong ones end the process. */
export async function serveEditor(
  readFlags: () => Promise<AcpFlags>,
  { v2 }: { readonly v2: boolean },
): Promise<void> {
  let flags: Promise<AcpFlags> | undefined;
  let isOpened = false;
  let failure: unknown;
  // Every request of the client fails with the same then; whoever reads stderr needs it once.
  const failed = (error: unknown): never => {
    failure = error;
    noteError(error);
    process.exitCode ??= 1;
    throw error;
  };
  const theFlags = () => (flags ??= readFlags());
  const wire = stdioWire(process.stdin, process.stdout);
  // However it ends, what still runs is told to stop, and what really happened is recorded.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => {
      process.exitCode = 128 + constants.signals[signal];
      void wire.close();
    });
  setTimeout(() => void theFlags(), PATIENCE).unref();
  await serveWire(wire, {
    name: "toolgate",
    title: "Toolgate",
    version: packageVersion(),
    v2,
    mcp: true,
    openHost: async () => {
      isOpened = true;
      const read = await theFlags();
      const { openEditorHost } = await import("./editor-host.js");
      return openEditorHost(read).catch(inWords).catch(failed);
    },
    onTrouble: (error) => void (error === failure || noteError(error)),
  });
  // Wrong ones are told also to a client that was gone before they were read, and so is what they name.
  const read = await theFlags();
  if (!isOpened && process.exitCode === undefined) {
    const { checkEditorFlags } = await import("./editor-host.js");
    await checkEditorFlags(read)
      .catch(inWords)
      .catch(failed)
      .catch(() => undefined);
  }
  process.exit();
}

function noteError(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(`toolgate: ${text}\n`);
}

/** What a file of the user's own is about is theirs to hear, in the editor too. */
async function inWords(error: unknown): Promise<never> {
  if (!(error instanceof Error && "syscall" in error)) throw error;
  const { errorText } = await import("./error-text.js");
  throw Object.assign(new Error(errorText(error)), { code: "CANNOT_START" });
}
