/**
 * The cookie of a device, and the header with its key. Cookies go to every port of a host, so the name has the port, and
 * the key, which the page keeps in storage of its own origin, is required beside it.
 */
import type { RequestHeaders } from "../../http/index.js";

const KEY_HEADER = "x-toolgate-key";

const LIFETIME_MS = 90 * 24 * 60 * 60_000;

export function cookieIn(headers: RequestHeaders): string | undefined {
  const name = cookieName(textOf(headers["host"]));
  for (const pair of textOf(headers["cookie"]).split(";")) {
    const [key = "", value = ""] = pair.trim().split("=", 2);
    if (key === name) return value;
  }
  return undefined;
}

export const keyIn = (headers: RequestHeaders): string | undefined =>
  textOf(headers[KEY_HEADER]) || undefined;

export function cookieHeader(host: string, value: string, isSecure: boolean): string {
  const age = value === "" ? 0 : LIFETIME_MS / 1000;
  const secure = isSecure ? "; Secure" : "";
  return `${cookieName(host)}=${value}; Path=/api; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`;
}

const cookieName = (host: string): string => `toolgate${/:(\d+)$/.exec(host)?.[1] ?? ""}`;

const textOf = (header: RequestHeaders[string]): string =>
  typeof header === "string" ? header : (header ?? []).join("; ");
