/**
 * One GET on the web, with limits on where it leads, how long it takes and how much it sends. A redirect to another
 * origin is reported and not followed, so that the rules decide on it.
 */
import { fetch } from "undici";
import type { Response } from "undici";
import { oneLine } from "../../call/index.js";
import { errorCode } from "../../call/error-code.js";
import { ToolFailure } from "../tool.js";
import { checkHost, guardedAgent } from "./guarded-agent.js";
import type { ReachOptions } from "./guarded-agent.js";
import { readBody, timeLimited } from "./network-limits.js";
import type { Body, Limit } from "./network-limits.js";

const MAX_HOPS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export type FetchLimits = {
  /** For everything together, in milliseconds. */
  readonly timeLimit: number;
  /** For the body, after it is decompressed. */
  readonly maxBytes: number;
};

export type Page =
  | { readonly type: "elsewhere"; readonly url: URL; readonly status: number; readonly location: string }
  | {
      readonly type: "page";
      readonly url: URL;
      readonly status: number;
      readonly statusText: string;
      readonly contentType: string;
      readonly body: Body;
    };

/** Throws ToolFailure when there is no response, and the signal's reason when the signal aborted it. */
export async function fetchPage(
  start: URL,
  options: ReachOptions & FetchLimits & { readonly signal: AbortSignal },
): Promise<Page> {
  const limit = timeLimited(options.signal, options.timeLimit);
  // One agent for one page: a connection is never used for a call on which others decided.
  const agent = guardedAgent(options);
  try {
    return await followed(
      start,
      (url) => {
        checkHost(url, options);
        return fetch(url, { dispatcher: agent, redirect: "manual", signal: limit.signal, headers: HEADERS });
      },
      (response) => readBody(response.body, options.maxBytes, limit),
    );
  } catch (error) {
    options.signal.throwIfAborted();
    throw error instanceof ToolFailure ? error : noAnswer(start, error, limit, options.timeLimit);
  } finally {
    limit.end();
    await agent.destroy();
  }
}

const HEADERS = {
  "user-agent": "toolgate",
  accept: "text/html, text/markdown, text/plain, application/json, */*;q=0.8",
};

async function followed(
  start: URL,
  get: (url: URL) => Promise<Response>,
  read: (response: Response) => Promise<Body>,
): Promise<Page> {
  let url = start;
  for (let hop = 0; hop <= MAX_HOPS; hop += 1) {
    const response = await get(url);
    const { status, statusText, headers } = response;
    const location = REDIRECTS.has(status) ? headers.get("location") : null;
    if (location === null) {
      const contentType = headers.get("content-type") ?? "";
      return { type: "page", url, status, statusText, contentType, body: await read(response) };
    }
    await response.body?.cancel();
    const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
    if (next?.origin !== url.origin || next.username !== "" || next.password !== "")
      return { type: "elsewhere", url, status, location: next?.href ?? location };
    url = next;
  }
  throw new ToolFailure(
    `fetch: ${shown(start)} redirects more than ${MAX_HOPS} times. Nothing was fetched. Try another URL.`,
  );
}

function noAnswer(url: URL, error: unknown, limit: Limit, timeLimit: number): ToolFailure {
  const failure = causes(error).find((one) => one instanceof ToolFailure);
  if (failure) return failure;
  const code = causes(error)
    .map(errorCode)
    .find((one) => one !== undefined && !one.startsWith("UND_ERR_ABORTED"));
  const why = limit.isTimeUp()
    ? `did not respond within ${timeLimit / 1000} s`
    : `could not be fetched (${code ?? causes(error).at(-1)?.message ?? "no reason given"})`;
  return new ToolFailure(
    `fetch: ${shown(url)} ${why}. Nothing was fetched. Check the URL, or try again later.`,
  );
}

/** fetch says "fetch failed"; what happened is the cause of that, or one of several. */
function causes(error: unknown): readonly Error[] {
  if (!(error instanceof Error)) return [];
  const inner = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [error.cause];
  return [error, ...inner.flatMap(causes)];
}

const shown = (url: URL) => oneLine(url.href, 200);
