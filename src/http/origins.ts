/** The sites whose pages may talk to a server, and what their browsers are told. */

export type Headers = Readonly<Record<string, string>>;

/** What a page may send and read beside what every page may. */
export type PageHeaders = { readonly sent: readonly string[]; readonly read: readonly string[] };

export const METHODS: readonly string[] = ["GET", "HEAD", "POST", "DELETE"];

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

/** For the page that asks, if it may. */
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
