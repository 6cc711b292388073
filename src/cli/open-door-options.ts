/** The flags that decide who may connect to the HTTP servers: TLS, host names and the token. */
import { readFileSync } from "node:fs";
import type { DoorOptions } from "../http/index.js";
import type { DoorFlags } from "./commands/door-options.js";
import { openServerToken } from "./server-token.js";
import type { ServerToken } from "./server-token.js";
import { note } from "./stderr.js";

export type OpenedDoorOptions = {
  readonly door: Omit<DoorOptions, "at">;
  /** Call this once the server listens: a user whose server failed to start needs no token. A new token stays in its file. */
  readonly noteToken: () => void;
};

export function openDoorOptions(flags: DoorFlags): OpenedDoorOptions {
  const tls = readTls(flags);
  const serverToken = openServerToken();
  const door = {
    token: serverToken.token,
    isGuarded: flags.insecureListen ?? false,
    allowedHosts: flags.allowHost ?? [],
    allowedOrigins: flags.allowOrigin ?? [],
    ...(tls && { tls }),
  };
  return { door, noteToken: () => note(tokenText(serverToken)) };
}

function readTls({ tlsCert, tlsKey }: DoorFlags): DoorOptions["tls"] {
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
