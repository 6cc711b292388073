/**
 * Requests to one server, by its address and key.
 *
 * Invariants: the key goes to this server only (redirects are not followed) and is in no error; a refusal is an
 * `AapError` with its status, and so is an answer that is not JSON.
 */
import { AMOUNT, FUNCTION, required, TEXT } from "../../call/check-options.js";
import type { OptionChecks } from "../../call/check-options.js";
import { AapError } from "./aap-error.js";
import type { AapErrorDetails } from "./aap-error.js";
import { SILENCE_TIMEOUT_MS } from "./read-sse.js";
import { Retries } from "./retries.js";
import { unlessAborted } from "./unless-aborted.js";

export type ConnectionOptions = {
  /** The server's base URL, with its path prefix if it has one. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Milliseconds without a sign of life after which a stream counts as cut, at servers that give such signs. */
  readonly silence?: number;
};

/** How often a request that only reads is retried. */
const MAX_READ_RETRIES = 4;

export type SendOptions = {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
};

export const CONNECTION_OPTIONS: OptionChecks<ConnectionOptions> = {
  baseUrl: required({ ...TEXT, expected: "the address of the server" }),
  apiKey: TEXT,
  fetch: FUNCTION,
  silence: AMOUNT,
};

export class Connection {
  readonly #baseUrl: string;
  readonly #apiKey: string | undefined;
  readonly #fetch: (request: Request) => Promise<Response>;
  readonly silence: number;
  #hasAnswered = false;

  constructor({ baseUrl, apiKey, fetch: send, silence = SILENCE_TIMEOUT_MS }: ConnectionOptions) {
    this.silence = silence;
    this.#baseUrl = usableUrl(baseUrl);
    this.#apiKey = usableKey(apiKey);
    // Not `globalThis.fetch` itself: browsers want it called on their window.
    this.#fetch = send ?? ((request) => fetch(request));
  }

  async json<Body>(method: string, path: string, options: SendOptions = {}): Promise<Body> {
    return this.read(await this.send(method, path, options), options.signal);
  }

  /** Reads only, so it is retried when an answer is lost; but by default not at a server that never answered. */
  async get<Body>(path: string, { retriesWhileDown = this.#hasAnswered } = {}): Promise<Body> {
    const retries = new Retries();
    for (;;) {
      try {
        return await this.json("GET", path);
      } catch (error) {
        if (!retriesWhileDown || !(error instanceof AapError) || error.code !== "UNREACHABLE") throw error;
        await retries.pause(error, { maxRetries: MAX_READ_RETRIES });
      }
    }
  }

  /** The body is taken as the protocol defines it, without further checks. */
  async read<Body>(response: Response, signal?: AbortSignal): Promise<Body> {
    let text: string;
    try {
      text = await unlessAborted(response.text(), signal);
    } catch (error) {
      throw this.#lost(error, signal);
    }
    try {
      return JSON.parse(text) as Body;
    } catch {
      const start = this.#withoutKey(text.slice(0, 200));
      throw new AapError(
        "NOT_AAP",
        `The server answered ${response.status} with something that is not JSON: ${start}`,
        { status: response.status },
      );
    }
  }

  /** Throws the signal's reason unchanged. */
  async send(method: string, path: string, options: SendOptions = {}): Promise<Response> {
    const { body, headers: more = {}, signal } = options;
    signal?.throwIfAborted();
    const headers = new Headers(more);
    if (this.#apiKey !== undefined) headers.set("authorization", `Bearer ${this.#apiKey}`);
    if (body) headers.set("content-type", "application/json");
    const request = new Request(this.#baseUrl + path, {
      method,
      headers,
      redirect: "error",
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    let response: Response;
    try {
      response = await unlessAborted(this.#fetch(request), signal);
    } catch (error) {
      throw this.#lost(error, signal);
    }
    this.#hasAnswered = true;
    if (response.ok) return response;
    throw await this.#refusal(response);
  }

  #lost(error: unknown, signal: AbortSignal | undefined): unknown {
    if (signal?.aborted) return signal.reason;
    const why = this.#withoutKey(reasonOf(error));
    const hint = this.#hasAnswered ? "" : pageHint(new URL(this.#baseUrl).origin);
    return new AapError("UNREACHABLE", `The server did not answer (${why}).${hint}`);
  }

  async #refusal(response: Response): Promise<AapError> {
    const { status } = response;
    const text = await response.text().catch(() => "");
    const { message, problem, details } = refusalIn(this.#withoutKey(text));
    const shown = message ?? this.#withoutKey(`The server answered ${status}: ${text.slice(0, 500)}`);
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    return new AapError("REFUSED", shown, {
      status,
      ...(details && { details }),
      ...(problem !== undefined && { problem }),
      ...(Number.isFinite(seconds) && { retryAfter: seconds }),
    });
  }

  #withoutKey(text: string): string {
    return this.#apiKey === undefined ? text : text.replaceAll(this.#apiKey, "***");
  }
}

/** Browsers hide the refusal of a page that the server does not allow, and report it as a failed connection. */
function pageHint(server: string): string {
  const { origin } = (globalThis as { location?: { readonly origin?: unknown } }).location ?? {};
  if (typeof origin !== "string" || origin === server) return "";
  return ` If it runs, it may not allow pages of ${origin}: a Toolgate server does with --allow-origin ${origin}.`;
}

function usableUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  // The address itself is not repeated: a wrong part of it may be a secret.
  const problem = !url
    ? "is no URL"
    : !/^https?:$/.test(url.protocol)
      ? "must begin with http:// or https://"
      : url.username !== "" || url.password !== ""
        ? "must hold no name and no password; give the key beside it"
        : url.search !== "" || url.hash !== ""
          ? "must end with a path, without a query"
          : undefined;
  if (!url || problem !== undefined)
    throw new AapError("UNUSABLE", `The server's address ${problem}. Nothing was sent.`);
  return url.href.replace(/\/+$/, "");
}

function usableKey(apiKey: string | undefined): string | undefined {
  if (apiKey === undefined || /^[!-~]+$/.test(apiKey)) return apiKey;
  throw new AapError(
    "UNUSABLE",
    "The key is empty or has characters that no header can carry, such as a line end. Nothing was sent.",
  );
}

/** Ours are `{ error: { code, message } }`; the official server's `{ error: "text" }`. */
function refusalIn(
  text: string,
): Pick<AapErrorDetails, "problem" | "details"> & { readonly message?: string } {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    if (typeof error === "string") return { message: error };
    const { message, code, ...details } = (error ?? {}) as Record<string, unknown>;
    return {
      details,
      ...(typeof message === "string" && { message }),
      ...(typeof code === "string" && { problem: code }),
    };
  } catch {
    // The response is from another program, or from a proxy: its text is reported unchanged.
    return {};
  }
}

/** `fetch` hides why it failed in a cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "no reason is known";
  const { cause } = error;
  const inner = cause instanceof Error && cause.message !== "" ? cause.message : undefined;
  return inner ?? error.message;
}
