/** `toolgate acp --listen`: the agent for editors that cannot start it themselves, over HTTP and WebSocket, until it is told to stop. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { listenAcp } from "../acp/connection/listen.js";
import type { ListenOptions } from "../acp/connection/listen.js";
import { openEditorHost } from "./editor-host.js";
import { packageVersion } from "./package-version.js";
import type { AcpFlags, ListenFlags } from "./program.js";
import { openServerToken } from "./server-token.js";
import type { ServerToken } from "./server-token.js";
import { tell } from "./tell.js";
import { troubleText } from "./trouble.js";

export async function listenForEditors(flags: AcpFlags & ListenFlags): Promise<void> {
  const tls = readTls(flags);
  const stopped = Promise.race(["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => once(process, signal)));
  const host = await openEditorHost(flags);
  try {
    const serverToken = openServerToken();
    // At once: whatever happens next, one that was made now is not shown again.
    tell(tokenText(serverToken));
    const { url, close } = await listenAcp({
      name: "toolgate",
      title: "Toolgate",
      version: packageVersion(),
      v2: flags.acpV2 ?? false,
      host,
      at: flags.listen,
      token: serverToken.token,
      isGuarded: flags.insecureListen ?? false,
      allowedHosts: flags.allowHost ?? [],
      allowedOrigins: flags.allowOrigin ?? [],
      onTrouble: (error) => tell(troubleText(error)),
      ...(tls && { tls }),
    });
    process.stdout.write(`Serving ACP at ${url}, over HTTP and WebSocket. Stop with Ctrl-C.\n`);
    await stopped;
    await close();
  } finally {
    await host.close?.();
  }
  process.exit();
}

function readTls({ tlsCert, tlsKey }: ListenFlags): ListenOptions["tls"] {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined)
    throw Object.assign(
      new Error("--tls-cert and --tls-key belong together. Nothing was started; give both."),
      { code: "TLS_INCOMPLETE" },
    );
  return { cert: readFileSync(tlsCert, "utf8"), key: readFileSync(tlsKey, "utf8") };
}

function tokenText({ token, file, isNew }: ServerToken): string {
  if (file === undefined) return "clients need the token of TOOLGATE_TOKEN.";
  if (!isNew) return `clients need the token in ${file}.`;
  return `clients need this token, which is shown only now and kept in ${file}: ${token}`;
}
