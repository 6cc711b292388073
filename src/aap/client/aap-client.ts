/** A client of AAP v3, for browsers and for Node: typed `fetch`, and turns as they stream. */
import { messagesFromEvents } from "./messages-from-events.js";
import type {
  HistoryMessage,
  Meta,
  NewSession,
  SessionInfo,
  SessionPage,
  TurnEvent,
  TurnRequest,
  TurnResult,
} from "./protocol.js";
import { SseParser } from "./sse-parser.js";

export type AapClientOptions = {
  /** Where the server is, with its path prefix if it has one. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly fetch?: (request: Request) => Promise<Response>;
};

export type TurnOptions = {
  /** Hears of every event as it comes; never called in the mode `none`. */
  readonly onEvent?: (event: TurnEvent) => void;
  /** Stops listening. The turn goes on at the server. */
  readonly signal?: AbortSignal;
};

const VERSION = 3;

export class AapClient {
  readonly #baseUrl: string;
  readonly #apiKey: string | undefined;
  readonly #fetch: (request: Request) => Promise<Response>;

  constructor({ baseUrl, apiKey, fetch: send }: AapClientOptions) {
    this.#baseUrl = baseUrl.endsWith("/") ? baseUrl.slice(0, -1) : baseUrl;
    this.#apiKey = apiKey;
    // Not `globalThis.fetch` itself: browsers want it called on their window.
    this.#fetch = send ?? ((request) => fetch(request));
  }

  /** Throws when the server speaks another version. */
  async meta(): Promise<Meta> {
    const meta = await this.#json<Meta>("GET", "/meta");
    if (meta.version === VERSION) return meta;
    throw new AapError(
      "WRONG_VERSION",
      `The server speaks AAP version ${meta.version}, this client version ${VERSION}.`,
    );
  }

  sessions({ after }: { readonly after?: string } = {}): Promise<SessionPage> {
    const query = after === undefined ? "" : `?after=${encodeURIComponent(after)}`;
    return this.#json("GET", `/sessions${query}`);
  }

  createSession(session: NewSession): Promise<{ readonly sessionId: string }> {
    return this.#json("POST", "/sessions", session);
  }

  session(sessionId: string): Promise<SessionInfo> {
    return this.#json("GET", sessionPath(sessionId));
  }

  async deleteSession(sessionId: string): Promise<void> {
    await this.#send("DELETE", sessionPath(sessionId));
  }

  async history(sessionId: string, type: "full" | "compacted" = "full"): Promise<readonly HistoryMessage[]> {
    const path = `${sessionPath(sessionId)}/history?type=${type}`;
    const { history } = await this.#json<{ history: { [key in typeof type]?: HistoryMessage[] } }>(
      "GET",
      path,
    );
    return history[type] ?? [];
  }

  /** Takes a turn and returns with all that it brought forth, in whichever mode it came. */
  async turn(sessionId: string, request: TurnRequest, options: TurnOptions = {}): Promise<TurnResult> {
    const { onEvent, signal } = options;
    const response = await this.#send("POST", `${sessionPath(sessionId)}/turns`, request, signal);
    if ((request.stream ?? "none") === "none") return (await response.json()) as TurnResult;
    const events: TurnEvent[] = [];
    for await (const event of turnEvents(response)) {
      events.push(event);
      onEvent?.(event);
    }
    const stop = events.findLast((event) => event.event === "turn_stop");
    if (!stop) {
      throw new AapError(
        "STREAM_CUT",
        `The stream of session ${sessionId} ended before its turn did. The turn goes on at the server; read the history to see what became of it.`,
      );
    }
    return { ...stop.data, messages: messagesFromEvents(events) };
  }

  async #json<Body>(method: string, path: string, body?: object): Promise<Body> {
    const response = await this.#send(method, path, body);
    // The protocol says what is in it; a server that breaks its word is not this client's to mend.
    return (await response.json()) as Body;
  }

  async #send(method: string, path: string, body?: object, signal?: AbortSignal): Promise<Response> {
    const headers = new Headers();
    if (this.#apiKey !== undefined) headers.set("authorization", `Bearer ${this.#apiKey}`);
    if (body) headers.set("content-type", "application/json");
    const request = new Request(this.#baseUrl + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    const response = await this.#fetch(request);
    if (response.ok) return response;
    throw new AapError("REFUSED", await refusal(response), response.status);
  }
}

export type AapErrorCode = "REFUSED" | "STREAM_CUT" | "WRONG_VERSION";

/** `status`: the server's, when it refused a request. */
export class AapError extends Error {
  constructor(
    readonly code: AapErrorCode,
    message: string,
    readonly status?: number,
  ) {
    super(message);
    this.name = "AapError";
  }
}

const sessionPath = (sessionId: string): string => `/sessions/${encodeURIComponent(sessionId)}`;

async function refusal(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    if (typeof error === "string") return error;
  } catch {
    // Not ours, or a proxy in between: the text says what it says.
  }
  return `The server answered ${response.status}: ${text.slice(0, 500)}`;
}

async function* turnEvents(response: Response): AsyncGenerator<TurnEvent> {
  if (!response.body) return;
  const parser = new SseParser();
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      for (const { event, data } of parser.push(decoder.decode(value, { stream: true }))) {
        // Events that this client does not know are handed on too, for whoever does.
        yield { event, data: JSON.parse(data) as object } as TurnEvent;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
