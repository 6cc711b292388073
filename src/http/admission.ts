/** Decides from a request's head alone whether it is admitted. */
import type { IncomingMessage } from "node:http";
import { isOwnName } from "./address.js";
import { isOwnOrigin, METHODS } from "./origins.js";
import type { ProblemCode } from "./problem.js";
import { hasToken } from "./token.js";
import type { Refusal } from "./refuse.js";

const HEALTH_PATH = "/healthz";

export type AdmissionRules = {
  /** The address that the server listens on. */
  readonly address: string;
  /** Names of this server, in lower case. */
  readonly names: ReadonlySet<string>;
  /** Origins whose pages may connect, besides the server's own. */
  readonly origins: ReadonlySet<string>;
  /** The server itself does TLS. */
  readonly isSecure: boolean;
  readonly token: string;
  /** Paths that may be read without the token. */
  readonly openPaths: ReadonlySet<string>;
  readonly bodyBytes: number;
  /** The page's own files and its API, where the server has them. */
  readonly site?: Site | undefined;
  /** The methods of a path; none for a path that the server does not know. */
  readonly methodsOf?: ((path: string) => readonly string[]) | undefined;
};

/** The parts of a server for its own page, whose devices have a cookie in place of the token. */
export type Site = {
  /** Requests that anyone may make: the page's files, and the exchange of a one-time code. */
  readonly isPublic: (method: string, path: string, headers: RequestHeaders) => boolean;
  readonly isForDevices: (path: string) => boolean;
  /** Whether the request's cookie and key are those of a device. */
  readonly isDevice: (headers: RequestHeaders) => boolean;
};

export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Bytes of a body that comes from nobody known. */
const PUBLIC_BODY_BYTES = 4_096;

export type Admission =
  /** Without the token only for a path that needs none. */
  | { readonly type: "admitted"; readonly hasToken: boolean }
  | { readonly type: "health" }
  | { readonly type: "preflight" }
  | ({ readonly type: "refused" } & Refusal);

export function admit(request: IncomingMessage, rules: AdmissionRules): Admission {
  const { method = "", headersDistinct } = request;
  const [host = "", ...otherHosts] = headersDistinct["host"] ?? [];
  if (otherHosts.length > 0 || !isOwnName(host, rules.names, rules.address))
    return refused(
      "WRONG_HOST",
      "This server does not go by that name. Give it the name with --allow-host, or allowedHosts in a program.",
    );
  const isAllowed = (origin: string): boolean =>
    rules.origins.has(origin) || isOwnOrigin(origin, host, rules.isSecure);
  if (!(headersDistinct["origin"] ?? []).every(isAllowed))
    return refused(
      "FORBIDDEN",
      "Pages of that site may not use this server. Name the site with --allow-origin, or allowedOrigins in a program.",
    );
  if (method === "OPTIONS") return { type: "preflight" };
  // The query is ignored; the token is in a header.
  const [path = ""] = (request.url ?? "").split("?", 1);
  const isRead = method === "GET" || method === "HEAD";
  if (isRead && path === HEALTH_PATH) return { type: "health" };
  const routed = routedPath(path);
  const site = isCanonical(path, routed) ? rules.site : undefined;
  const isHolder = hasToken(request, rules.token) || isFromDevice(request, path, site);
  const isPublic = site?.isPublic(method, path, request.headers) ?? false;
  if (!isHolder && !isPublic && !(isRead && rules.openPaths.has(path)))
    return refused("UNAUTHORIZED", "The right token is missing: Authorization: Bearer <token>.");
  const wrongMethod = methodRefusal(method, routed, rules);
  if (wrongMethod) return wrongMethod;
  if (!isHolder && request.headers["transfer-encoding"] !== undefined)
    return refused("BAD_REQUEST", "A body of unknown length is taken only with the token.");
  const bodyBytes = isHolder ? rules.bodyBytes : Math.min(rules.bodyBytes, PUBLIC_BODY_BYTES);
  return bodyRefusal(request, { bodyBytes }) ?? { type: "admitted", hasToken: isHolder };
}

/**
 * The path that is judged here must be the one that is routed later, where `..` and its escapes are resolved. Any other
 * spelling needs the token.
 */
const isCanonical = (path: string, routed: string): boolean =>
  path === routed && path.startsWith("/") && !path.startsWith("//");

/** The path as the server routes it. Never throws: it may be anybody's. */
function routedPath(path: string): string {
  if (path.startsWith("/")) return new URL(`http://own${path}`).pathname;
  return URL.canParse(path) ? new URL(path).pathname : path;
}

/** HEAD goes with GET. A path that nobody knows is not found later, with every method that the server takes. */
function methodRefusal(method: string, path: string, { methodsOf }: AdmissionRules): Admission | undefined {
  const known = path === HEALTH_PATH ? ["GET"] : (methodsOf?.(path) ?? []);
  const allowed = known.length === 0 ? METHODS : known;
  if (allowed.includes(method === "HEAD" ? "GET" : method)) return undefined;
  const why =
    known.length === 0
      ? `This server takes ${allowed.join(", ")}.`
      : `There is no ${method} ${path}, only ${allowed.join(", ")}.`;
  return refused("METHOD_NOT_ALLOWED", why, { allow: allowed.join(", ") });
}

/**
 * A cookie goes to every port of its host, and a browser sends it for any page of that host. So a device also sends a key
 * that only pages of this very origin can read, and its browser must not name another site as the sender.
 */
function isFromDevice(
  { headers, headersDistinct }: IncomingMessage,
  path: string,
  site: Site | undefined,
): boolean {
  if (!site?.isForDevices(path)) return false;
  const sender = headersDistinct["sec-fetch-site"]?.join() ?? "none";
  return (sender === "same-origin" || sender === "none") && site.isDevice(headers);
}

/**
 * A page of another site can make a browser send a form or plain text without a preflight, but not JSON: so only JSON
 * bodies are read.
 */
function bodyRefusal(
  { headers, headersDistinct }: IncomingMessage,
  { bodyBytes }: Pick<AdmissionRules, "bodyBytes">,
): Admission | undefined {
  if ((headers["content-encoding"] ?? "identity") !== "identity")
    return refused("NOT_JSON", "A compressed body is not taken.");
  const length = Number(headers["content-length"] ?? 0);
  if (length > bodyBytes) return refused("TOO_LARGE", `A body may have ${bodyBytes} bytes at most.`);
  const types = headersDistinct["content-type"] ?? [];
  const isJson = types.length === 1 && types.every((type) => /^application\/json\s*(;|$)/i.test(type));
  if ((length > 0 || headers["transfer-encoding"] !== undefined) && !isJson)
    return refused("NOT_JSON", 'The content type must be "application/json".');
  return undefined;
}

function refused(code: ProblemCode, why: string, headers: Refusal["headers"] = {}): Admission {
  return { type: "refused", code, why: `${why} Nothing was done.`, headers };
}
