/**
 * Checks the token of a request. Clients send the token in the Authorization header, or, from a browser's WebSocket,
 * which cannot set headers, as a subprotocol; never in the URL, which ends up in logs.
 */
import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Characters that both a header and a WebSocket subprotocol allow, and too long to guess. */
export const isToken = (text: string): boolean => /^[\w.~+-]{16,512}$/.test(text);
export const TOKEN_RULE = "16 to 512 letters, digits or any of . _ ~ + -";

const AS_SUBPROTOCOL = "toolgate.bearer.";

export function hasToken(request: IncomingMessage, token: string): boolean {
  const given = bearerOf(request) ?? subprotocolOf(request);
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

/** Two Authorization headers are refused: one could be meant for another reader. */
function bearerOf({ headersDistinct }: IncomingMessage): string | undefined {
  const [header, ...others] = headersDistinct["authorization"] ?? [];
  if (header === undefined || others.length > 0) return undefined;
  return /^Bearer +(\S+) *$/i.exec(header)?.[1];
}

function subprotocolOf({ headers }: IncomingMessage): string | undefined {
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  return offered.find((name) => name.startsWith(AS_SUBPROTOCOL))?.slice(AS_SUBPROTOCOL.length);
}

/** Digests have one length, so the comparison takes the same time for every guess. */
const digest = (text: string): Buffer => hash("sha256", text, "buffer");
