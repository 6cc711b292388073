/**
 * `toolgate acp`: the agent for an editor, on stdin and stdout. An editor that closes the connection cancels its turns.
 *
 * Editors start their agents long before they use them, so this file loads only the code that answers the first
 * message; the rest is loaded afterwards.
 */
import { constants } from "node:os";
import { serveWire } from "../acp/agent/serve-wire.js";
import { stdioWire } from "../acp/connection/stdio-wire.js";
import { packageVersion } from "./package-version.js";
import type { AcpFlags } from "./commands/acp.js";

/** A person who starts this by hand with an unknown flag sees the error after this time. */
const READ_FLAGS_AFTER_MS = 500;

/** `readFlags` is called once, after the first message or READ_FLAGS_AFTER_MS; invalid flags end the process. */
export async function serveEditor(
  readFlags: () => Promise<AcpFlags>,
  { v2 }: { readonly v2: boolean },
): Promise<void> {
  let flags: Promise<AcpFlags> | undefined;
  let isOpened = false;
  let failure: unknown;
  // Each later request fails with the same error; stderr shows it once.
  const failed = (error: unknown): never => {
    failure = error;
    noteError(error);
    process.exitCode ??= 1;
    throw error;
  };
  const theFlags = () => (flags ??= readFlags());
  const wire = stdioWire(process.stdin, process.stdout);
  // Every signal cancels running calls and records how they ended.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => {
      process.exitCode = 128 + constants.signals[signal];
      void wire.close();
    });
  setTimeout(() => void theFlags(), READ_FLAGS_AFTER_MS).unref();
  await serveWire(wire, {
    name: "toolgate",
    title: "Toolgate",
    version: packageVersion(),
    v2,
    mcp: true,
    base: process.cwd(),
    openHost: async () => {
      isOpened = true;
      const read = await theFlags();
      const { openEditorHost } = await import("./open-editor-host.js");
      return openEditorHost(read).catch(asMessage).catch(failed);
    },
    onTrouble: (error) => void (error === failure || noteError(error)),
  });
  // Invalid flags are reported even when the client left before they were read.
  const read = await theFlags();
  if (!isOpened && process.exitCode === undefined) {
    const { checkEditorFlags } = await import("./open-editor-host.js");
    await checkEditorFlags(read)
      .catch(asMessage)
      .catch(failed)
      .catch(() => undefined);
  }
  process.exit();
}

function noteError(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(`toolgate: ${text}\n`);
}

/** Turns a system error about one of the user's files into a message that the editor can show. */
async function asMessage(error: unknown): Promise<never> {
  if (!(error instanceof Error && "syscall" in error)) throw error;
  const { errorText } = await import("./error-text.js");
  throw Object.assign(new Error(errorText(error)), { code: "CANNOT_START" });
}
