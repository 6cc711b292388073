/**
 * The token for a server at an address. The stored token of this machine is sent to this machine only, and no token is
 * sent over a network without TLS unless the user allows it.
 */
import { visibleText } from "../call/index.js";
import type { RunFlags } from "./commands/run.js";
import { readText } from "./read-text.js";
import { storedServerToken } from "./server-token.js";

type UrlFlags = Pick<RunFlags, "tokenFile" | "insecureUrl"> & { readonly url: string };

export async function tokenFor({
  url,
  tokenFile,
  insecureUrl = false,
}: UrlFlags): Promise<string | undefined> {
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: "", hostname: "" };
  const isHere = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
  const given = tokenFile === undefined ? process.env["TOOLGATE_TOKEN"] : (await readText(tokenFile)).trim();
  // The stored token opens this machine, so it is never sent to another one.
  const token = given ?? (isHere ? storedServerToken() : undefined);
  if (token === undefined || protocol !== "http:" || isHere || insecureUrl) return token;
  throw Object.assign(
    new Error(
      `The token would go to ${visibleText(hostname)} without TLS, where others on the network path can read it. Nothing was sent. Use https://, or --insecure-url where the path is safe.`,
    ),
    { code: "TOKEN_UNSAFE" },
  );
}
