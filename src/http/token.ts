/**
 * Whether a request brings the token. It comes in the Authorization header, or, from a browser's WebSocket, which
 * can set no headers, as a subprotocol; never in the address, which others write down.
 */
import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** What a header and a WebSocket's subprotocol can both carry, too long to be guessed. */
export const isToken = (text: string): boolean => /^[\w.~+-]{16,512}$/.test(text);
export const TOKEN_RULE = "16 to 512 letters, digits or any of . _ ~ + -";

const AS_SUBPROTOCOL = "toolgate.bearer.";

export function bringsToken(request: IncomingMessage, token: string): boolean {
  const given = bearerOf(request) ?? subprotocolOf(request);
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

/** Given twice, one of them would be for somebody else to read: then neither counts. */
function bearerOf({ headersDistinct }: IncomingMessage): string | undefined {
  const [header, ...others] = headersDistinct["authorization"] ?? [];
  if (header === undefined || others.length > 0) return undefined;
  return /^Bearer +(\S+) *$/i.exec(header)?.[1];
}

function subprotocolOf({ headers }: IncomingMessage): string | undefined {
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  return offered.find((name) => name.startsWith(AS_SUBPROTOCOL))?.slice(AS_SUBPROTOCOL.length);
}

/** Of one length whatever was given, so that comparing takes the same time however much of it is right. */
const digest = (text: string): Buffer => hash("sha256", text, "buffer");
