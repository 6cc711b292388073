/**
 * Who may talk to a listening agent. Decided from a request's head alone: of a request that is turned away, no
 * byte of the body is read.
 */
import type { IncomingMessage } from "node:http";
import { isOwnName } from "./listen-address.js";
import { bringsToken } from "./listen-token.js";

export const ACP_PATH = "/acp";
export const HEALTH_PATH = "/healthz";

export type AdmissionRules = {
  /** What is listened on. */
  readonly address: string;
  /** Names of this server, in lower case. */
  readonly names: ReadonlySet<string>;
  /** Sites whose pages may talk to it. */
  readonly origins: ReadonlySet<string>;
  readonly token: string;
};

export type Admission =
  | { readonly type: "admitted" }
  | { readonly type: "health" }
  | { readonly type: "preflight" }
  | { readonly type: "refused"; readonly status: number; readonly why: string };

export function admit(request: IncomingMessage, rules: AdmissionRules): Admission {
  const { method = "", headers, headersDistinct } = request;
  const hosts = headersDistinct["host"] ?? [];
  if (hosts.length !== 1 || !hosts.every((host) => isOwnName(host, rules.names, rules.address)))
    return refused(421, "This server does not go by that name. Start it with --allow-host to give it one.");
  const foreign = (headersDistinct["origin"] ?? []).filter((origin) => !rules.origins.has(origin));
  if (foreign.length > 0)
    return refused(403, "Pages of that site may not talk to this server. --allow-origin lets them.");
  // No part of an address is believed; the token is in a header.
  const [path] = (request.url ?? "").split("?", 1);
  if (path === HEALTH_PATH && (method === "GET" || method === "HEAD")) return { type: "health" };
  if (path !== ACP_PATH) return refused(404, `There is nothing here. The agent is at ${ACP_PATH}.`);
  if (method === "OPTIONS" && headers.origin !== undefined) return { type: "preflight" };
  if (!bringsToken(request, rules.token))
    return refused(401, "The right token is missing: Authorization: Bearer <token>.");
  if (method !== "GET" && method !== "POST" && method !== "DELETE")
    return refused(405, "The agent takes GET, POST and DELETE.");
  if ((headers["content-encoding"] ?? "identity") !== "identity")
    return refused(415, "A compressed body is not taken.");
  return { type: "admitted" };
}

const refused = (status: number, why: string): Admission => ({
  type: "refused",
  status,
  why: `${why} Nothing was done.`,
});

/** As browsers write it; anything else would never match. */
export function readOrigin(text: string): string {
  const origin = URL.canParse(text) ? new URL(text).origin : "null";
  if (origin !== "null" && origin === text.toLowerCase().replace(/\/$/, "")) return origin;
  throw Object.assign(
    new Error(
      `"${text}" is no origin. Nothing was started; write it as browsers do: https://editor.example or http://localhost:5173.`,
    ),
    { code: "BAD_ORIGIN" },
  );
}
