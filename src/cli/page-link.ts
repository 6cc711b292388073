/** The one-time link to the page, and the note of where the server listens, for `toolgate pair`. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { diskTrouble } from "../call/error-code.js";
import type { Devices } from "../serve/index.js";
import { stateFolder } from "../tools/state-folder.js";

const LINK_MS = 30 * 60_000;

/** The code stands behind the #, which no browser sends and no server logs. */
export async function pageLink(url: string, devices: Devices): Promise<string> {
  const { code } = await devices.createCode({ role: "all", lifetimeMs: LINK_MS });
  return `${url}/login#${code}`;
}

const EVERY_ADDRESS: ReadonlySet<string> = new Set(["0.0.0.0", "[::]"]);

/** An address that a browser can open: a server that listens on every address goes by its first name, or by this machine's. */
export function openableUrl(url: string, names: readonly string[] = []): string {
  const { protocol, hostname, port } = new URL(url);
  if (!EVERY_ADDRESS.has(hostname)) return url;
  const [name = "localhost"] = names;
  return `${protocol}//${name}${port === "" ? "" : `:${port}`}`;
}

const noteFile = (): string => join(stateFolder(), "page-address");

/** The last server that was started. A server that can only read, on a disk that takes nothing, goes without. */
export function noteAddress(url: string): void {
  try {
    mkdirSync(stateFolder(), { recursive: true, mode: 0o700 });
    writeFileSync(noteFile(), `${url}\n`, { mode: 0o600 });
  } catch (error) {
    if (diskTrouble(error) === undefined) throw error;
  }
}

export function notedAddress(): string | undefined {
  try {
    return readFileSync(noteFile(), "utf8").trim() || undefined;
  } catch {
    // No server was started yet.
    return undefined;
  }
}
