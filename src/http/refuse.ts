/** What a server answers to whoever it does not let in, or lets in and has nothing for. */
import { STATUS_CODES } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Headers } from "./origins.js";
import { errorBody, STATUSES } from "./problem.js";
import type { ProblemCode } from "./problem.js";

export type Refusal = { readonly code: ProblemCode; readonly why: string; readonly headers?: Headers };

/** How long they have to hear it. To end at once would be a reset, which can overtake the answer. */
const LAST_WORD_MILLISECONDS = 1_000;

/**
 * It is written to the socket itself, of which nothing more is read: whoever still sends a body hears the answer, and
 * the body goes nowhere.
 */
export function refuseOnSocket(request: IncomingMessage, socket: Duplex, refusal: Refusal): void {
  const { status, headers, text } = answerTo(refusal);
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const body = request.method === "HEAD" ? "" : text;
  // Whoever is turned away may be gone already.
  socket.on("error", () => undefined);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join("")}\r\n${body}`);
  const patience = setTimeout(() => socket.destroy(), LAST_WORD_MILLISECONDS).unref();
  socket.once("close", () => clearTimeout(patience));
}

/** To someone who was let in. */
export function refuse(response: ServerResponse, refusal: Refusal): void {
  const { status, headers, text } = answerTo(refusal);
  response.writeHead(status, headers).end(text);
}

function answerTo({ code, why, headers }: Refusal) {
  const text = errorBody(code, why);
  return {
    status: STATUSES[code],
    text,
    headers: {
      ...NOT_KEPT,
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(text)),
      // Its body is not read, so nothing more can come on this socket.
      connection: "close",
      ...MORE[code],
      ...headers,
    },
  };
}

/** No answer is for a cache to keep, or for a browser to take for something else. */
export const NOT_KEPT: Headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

const MORE: { readonly [code in ProblemCode]?: Headers } = {
  UNAUTHORIZED: { "www-authenticate": "Bearer" },
  TOO_MANY_REQUESTS: { "retry-after": "1" },
  UNAVAILABLE: { "retry-after": "1" },
};
