/** The origins whose pages may connect, and the CORS headers for their browsers. */

export type Headers = Readonly<Record<string, string>>;

/** Headers that a page may send and read besides the default ones. */
export type PageHeaders = { readonly sent: readonly string[]; readonly read: readonly string[] };

export const METHODS: readonly string[] = ["GET", "HEAD", "POST", "DELETE"];

/** Accepts an origin as browsers write it; any other form would never match. */
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

/**
 * True for a page of this very server: the origin has the host and port that the request names. The caller has checked
 * that the host is a name of this server, so a site that points its own name here is not taken for it. Behind a proxy
 * that does TLS the page is https and the request is not; a page without TLS is never the page of a server with TLS.
 */
export function isOwnOrigin(origin: string, host: string, isSecure: boolean): boolean {
  const own = host.toLowerCase();
  return origin === `https://${own}` || (!isSecure && origin === `http://${own}`);
}

/** Headers for the requesting page, if its origin is allowed. */
export function corsHeaders(
  origin: string | undefined,
  origins: ReadonlySet<string>,
  { read }: PageHeaders,
): Headers {
  if (origin === undefined || !origins.has(origin)) return {};
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": read.join(", "),
    vary: "origin",
  };
}

export const preflightHeaders = ({ sent }: PageHeaders): Headers => ({
  allow: [...METHODS, "OPTIONS"].join(", "),
  "access-control-allow-methods": METHODS.join(", "),
  "access-control-allow-headers": ["authorization", "content-type", ...sent].join(", "),
  "access-control-max-age": "600",
});
