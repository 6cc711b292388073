/** Whether an address leads a browser to its own computer, where another device finds no server. */
export function isLocalUrl(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname.startsWith("127.") || hostname === "[::1]" || /(?:^|\.)localhost\.?$/.test(hostname);
}

/** Whether a server must not listen there, because others could read what it sends. */
export const isPlainUrl = (url: string): boolean => url.startsWith("http:") && !isLocalUrl(url);

export const NO_ADDRESS = "The address does not begin with http:// or https://, or has a password.";

/** An address as a person gives it, without a slash at its end; undefined unless a browser can open it. */
export function pageUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return undefined;
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}
