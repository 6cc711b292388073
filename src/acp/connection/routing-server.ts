/**
 * The SDK's server refuses a client's response to a request of ours when the response does not name its session in a
 * header, and some clients never do. The id of the response belongs to one session of the connection: the one under
 * which the SDK accepts it.
 */
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import { isJsonObject } from "../json.js";
import { CONNECTION_ID } from "./client-presence.js";

const SESSION_ID = "acp-session-id";

const BAD_REQUEST = 400;

type HandleOptions = Parameters<AcpServer["handleRequest"]>[1];

export class RoutingServer extends AcpServer {
  /** The sessions that each connection has named so far. */
  readonly #sessions = new Map<string, Set<string>>();

  override async handleRequest(request: Request, options?: HandleOptions): Promise<Response> {
    const connectionId = request.headers.get(CONNECTION_ID);
    if (connectionId === null) return super.handleRequest(request, options);
    if (request.method === "DELETE") this.#sessions.delete(connectionId);
    const sessionId = request.headers.get(SESSION_ID);
    if (request.method !== "POST" || sessionId !== null) {
      if (sessionId !== null) this.#note(connectionId, sessionId);
      return super.handleRequest(request, options);
    }
    const text = await request.text();
    const named = isResponse(text) ? [...(this.#sessions.get(connectionId) ?? [])] : [];
    for (const one of named) {
      const response = await super.handleRequest(withBody(request, text, one), options);
      if (response.status !== BAD_REQUEST) return response;
    }
    return super.handleRequest(withBody(request, text), options);
  }

  #note(connectionId: string, sessionId: string): void {
    const known = this.#sessions.get(connectionId) ?? new Set();
    this.#sessions.set(connectionId, known.add(sessionId));
  }
}

function isResponse(text: string): boolean {
  try {
    const message: unknown = JSON.parse(text);
    return isJsonObject(message) && "id" in message && !("method" in message);
  } catch {
    return false;
  }
}

function withBody({ url, headers, signal }: Request, body: string, sessionId?: string): Request {
  const sent = new Headers(headers);
  if (sessionId !== undefined) sent.set(SESSION_ID, sessionId);
  return new Request(url, { method: "POST", headers: sent, body, signal });
}
