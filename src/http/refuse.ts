/** Refusals: to a client that is not admitted, and to an admitted one whose request fails. */
import { STATUS_CODES } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Headers } from "./origins.js";
import { errorBody, STATUSES } from "./problem.js";
import type { ProblemCode } from "./problem.js";

export type Refusal = { readonly code: ProblemCode; readonly why: string; readonly headers?: Headers };

/** The time to deliver the response. Destroying the socket at once sends a reset, which can overtake the response. */
const CLOSE_GRACE_MS = 1_000;

/**
 * Writes the refusal to the socket itself and reads nothing more from it: a client that still sends a body gets the
 * response, and the body is dropped.
 */
export function refuseOnSocket(request: IncomingMessage, socket: Duplex, refusal: Refusal): void {
  const { status, headers, text } = responseTo(refusal);
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const body = request.method === "HEAD" ? "" : text;
  // The client may be gone already.
  socket.on("error", () => undefined);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join("")}\r\n${body}`);
  const timer = setTimeout(() => socket.destroy(), CLOSE_GRACE_MS).unref();
  socket.once("close", () => clearTimeout(timer));
}

/** Refuses a request of an admitted client. */
export function refuse(response: ServerResponse, refusal: Refusal): void {
  const { status, headers, text } = responseTo(refusal);
  response.writeHead(status, headers).end(text);
}

function responseTo({ code, why, headers }: Refusal) {
  const text = errorBody(code, why);
  return {
    status: STATUSES[code],
    text,
    headers: {
      ...NO_STORE,
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(text)),
      // The body is not read, so this socket cannot carry another request.
      connection: "close",
      ...MORE[code],
      ...headers,
    },
  };
}

/** Caches must not store a response, and browsers must not guess its type. */
export const NO_STORE: Headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

const MORE: { readonly [code in ProblemCode]?: Headers } = {
  UNAUTHORIZED: { "www-authenticate": "Bearer" },
  TOO_MANY_REQUESTS: { "retry-after": "1" },
  UNAVAILABLE: { "retry-after": "1" },
};
