/**
 * What a listening agent answers by itself: to whoever is turned away, to a look at its health, and to a browser
 * that asks first.
 */
import { STATUS_CODES } from "node:http";
import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Admission } from "./listen-admission.js";

export type Headers = Readonly<Record<string, string>>;
export type NotAdmitted = Exclude<Admission, { readonly type: "admitted" }>;

type Answer = { readonly status: number; readonly text: string; readonly headers: Headers };

/** `cors` are the headers for the page that asks, if it may. */
export function answer(response: ServerResponse, admission: NotAdmitted, cors: Headers): void {
  const { status, text, headers } = answerTo(admission);
  response.writeHead(status, { ...headers, ...cors }).end(text);
}

export function answerUpgrade(socket: Duplex, admission: NotAdmitted): void {
  // Whoever is turned away may be gone already.
  socket.on("error", () => undefined);
  const { status, text, headers } = answerTo(admission);
  const all = { ...headers, connection: "close", "content-length": String(Buffer.byteLength(text)) };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join("")}\r\n${text}`, () =>
    socket.destroy(),
  );
}

export function corsHeaders(origin: string | undefined, origins: ReadonlySet<string>): Headers {
  if (origin === undefined || !origins.has(origin)) return {};
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "acp-connection-id",
    vary: "origin",
  };
}

function answerTo(admission: NotAdmitted): Answer {
  switch (admission.type) {
    case "health":
      return { status: 200, text: "ok\n", headers: PLAIN };
    case "preflight":
      return { status: 204, text: "", headers: PREFLIGHT };
    case "refused": {
      const { status, why } = admission;
      const challenge = status === 401 && { "www-authenticate": "Bearer" };
      // The body is not read, so nothing more can come on this socket.
      return { status, text: `${why}\n`, headers: { ...PLAIN, ...challenge, connection: "close" } };
    }
    default:
      return admission satisfies never;
  }
}

const PLAIN = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };

const PREFLIGHT = {
  "access-control-allow-methods": "GET, POST, DELETE",
  "access-control-allow-headers": "authorization, content-type, acp-connection-id, acp-session-id",
  "access-control-max-age": "600",
};
