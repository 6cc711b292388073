/**
 * The token for a server at an address. This machine's own token goes to this machine only, and no token goes over a
 * network where others can read it unless the user says so.
 */
import { visibleText } from "../call/index.js";
import type { RunFlags } from "./commands/run.js";
import { readText } from "./read-text.js";
import { keptServerToken } from "./server-token.js";

type UrlFlags = Pick<RunFlags, "tokenFile" | "insecureUrl"> & { readonly url: string };

export async function tokenFor({
  url,
  tokenFile,
  insecureUrl = false,
}: UrlFlags): Promise<string | undefined> {
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: "", hostname: "" };
  const isHere = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
  const given = tokenFile === undefined ? process.env["TOOLGATE_TOKEN"] : (await readText(tokenFile)).trim();
  // The token of this machine's own servers opens this machine, so nobody else is told it.
  const token = given ?? (isHere ? keptServerToken() : undefined);
  if (token === undefined || protocol !== "http:" || isHere || insecureUrl) return token;
  throw Object.assign(
    new Error(
      `The token would go to ${visibleText(hostname)} without TLS, where others on the way can read it. Nothing was sent. Use https://, or --insecure-url where the way is safe.`,
    ),
    { code: "TOKEN_UNSAFE" },
  );
}
