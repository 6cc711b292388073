/**
 * `toolgate acp`: the agent for an editor, on stdin and stdout. An editor that is gone has cancelled.
 *
 * Editors start their agents long before they use them, so this file loads only what answers the first message;
 * all else is loaded when that is answered.
 */
import { once } from "node:events";
import { serveWire } from "../acp/agent/serve-wire.js";
import { stdioWire } from "../acp/connection/stdio-wire.js";
import { packageVersion } from "./package-version.js";
import type { AcpFlags } from "./program.js";

export async function serveEditor(flags: AcpFlags): Promise<void> {
  const wire = stdioWire(process.stdin, process.stdout);
  // However it ends, what still runs is told to stop, and what really happened is recorded.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    once(process, signal).then(
      () => wire.close(),
      () => undefined,
    );
  await serveWire(wire, {
    name: "toolgate",
    title: "Toolgate",
    version: packageVersion(),
    v2: flags.acpV2 ?? false,
    openHost: async () => (await import("./editor-host.js")).openEditorHost(flags),
    onTrouble: (error) => {
      const text = error instanceof Error ? error.message : String(error);
      process.stderr.write(`toolgate: ${text}\n`);
    },
  });
  process.exit();
}
