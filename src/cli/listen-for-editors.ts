/** `toolgate acp --listen`: the agent for editors that cannot start it themselves, over HTTP and WebSocket, until a signal. */
import { listenAcp } from "../acp/agent/listen-acp.js";
import { openDoorOptions } from "./open-door-options.js";
import { openEditorHost } from "./open-editor-host.js";
import { firstSignal, noteStopping } from "./signals.js";
import { packageVersion } from "./package-version.js";
import type { AcpFlags, ListenFlags } from "./commands/acp.js";
import { note } from "./stderr.js";
import { errorText } from "./error-text.js";

export async function listenForEditors(flags: AcpFlags & ListenFlags): Promise<void> {
  const stopped = firstSignal();
  const { door, noteToken } = openDoorOptions(flags);
  const host = await openEditorHost(flags);
  try {
    const { url, close } = await listenAcp({
      name: "toolgate",
      title: "Toolgate",
      version: packageVersion(),
      v2: flags.acpV2 ?? false,
      mcp: true,
      host,
      at: flags.listen,
      onTrouble: (error) => note(errorText(error)),
      ...door,
    });
    noteToken();
    process.stdout.write(`Serving ACP at ${url}, over HTTP and WebSocket. Stop with Ctrl-C.\n`);
    noteStopping(await stopped);
    await close();
  } finally {
    await host.close?.();
  }
  process.exit();
}
