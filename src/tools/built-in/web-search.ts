/**
 * Searches the web with a service that the user configured. The user chose its address, so it may be on this machine;
 * only the query comes from the model.
 */
import { z } from "zod";
import { AMOUNT, checkOptions } from "../../call/check-options.js";
import { oneLine } from "../../call/index.js";
import { hostReach } from "../../policy/index.js";
import { defineTool } from "../define-tool.js";
import { errorCode } from "../../call/error-code.js";
import { ToolFailure } from "../tool.js";
import type { Tool } from "../tool.js";
import { readBody, timeLimited } from "../web/network-limits.js";
import { searchService } from "../web/search-service.js";
import type { SearchProvider, SearchResult, SearchService } from "../web/search-service.js";

const MAX_RESULTS = 20;
const MAX_BYTES = 2 * 1024 * 1024;
const TIME_LIMIT_MS = 20_000;

export type { SearchProvider } from "../web/search-service.js";

export function webSearchTool(provider: SearchProvider, options: { readonly timeLimit?: number } = {}): Tool {
  checkOptions("webSearchTool", options, { timeLimit: AMOUNT });
  const { timeLimit = TIME_LIMIT_MS } = options;
  const service = searchService(provider);
  return defineTool({
    name: "web_search",
    description:
      "Searches the web and returns titles, URLs and snippets. Use it to find pages, and fetch to read one.",
    kind: "fetch",
    input: () =>
      z.object({
        query: z.string().trim().min(1).max(400).describe("The words to search for."),
        count: z.int().min(1).max(MAX_RESULTS).default(10).describe("How many results to return."),
      }),
    async intent() {
      // A service on this machine or its network is there because its owner configured it.
      const isPublic = hostReach(service.endpoint.hostname) === "public";
      return isPublic ? { hosts: [service.endpoint.origin] } : {};
    },
    async run({ query, count }, { signal }) {
      const results = await search(service, { query, count, timeLimit, signal });
      if (results.length === 0) return `Nothing was found for ${JSON.stringify(query)}. Try other words.`;
      return results.slice(0, count).map(lineOf).join("\n\n");
    },
  });
}

function lineOf({ title, url, snippet }: SearchResult, index: number): string {
  const lines = [oneLine(title, 200) || "(no title)", oneLine(url, 2000), oneLine(snippet, 500)];
  return `${index + 1}. ${lines.filter((line) => line !== "").join("\n   ")}`;
}

type Search = {
  readonly query: string;
  readonly count: number;
  readonly timeLimit: number;
  readonly signal: AbortSignal;
};

async function search(
  service: SearchService,
  { query, count, timeLimit, signal }: Search,
): Promise<readonly SearchResult[]> {
  const { url, headers, body } = service.request(query, count);
  const limit = timeLimited(signal, timeLimit);
  try {
    const { fetch } = await import("undici");
    const response = await fetch(url, {
      method: body === undefined ? "GET" : "POST",
      headers: { accept: "application/json", "user-agent": "toolgate", ...headers },
      ...(body !== undefined && { body }),
      // A key must not follow a redirect.
      redirect: "manual",
      signal: limit.signal,
    });
    const { bytes, cut } = await readBody(response.body, MAX_BYTES, limit);
    if (cut === "time") throw failure(service, `did not respond within ${timeLimit / 1000} s`);
    if (cut === "size") throw failure(service, "sent more than 2 MB");
    if (response.status !== 200) throw refused(service, response.status, bytes.toString());
    return readAnswer(service, bytes.toString());
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ToolFailure) throw error;
    const why = limit.isTimeUp()
      ? `did not respond within ${timeLimit / 1000} s`
      : `cannot be reached (${reason(error)})`;
    throw failure(service, why);
  } finally {
    limit.end();
  }
}

function readAnswer(service: SearchService, text: string): readonly SearchResult[] {
  try {
    return service.read(JSON.parse(text));
  } catch {
    throw failure(service, `sent a response that cannot be read: ${quoted(service, text)}`);
  }
}

function refused(service: SearchService, status: number, text: string): ToolFailure {
  const detail = text.trim() === "" ? "" : `: ${quoted(service, text)}`;
  return failure(service, `responded with status ${status}${detail}`, service.advice.get(status));
}

function failure(
  service: SearchService,
  why: string,
  advice = "Try again later, or other words.",
): ToolFailure {
  return new ToolFailure(`web_search: ${service.name} ${why}. Nothing was found. ${advice}`);
}

/** A service may repeat a rejected key in its error message. */
function quoted({ secret }: SearchService, text: string): string {
  return oneLine(secret === undefined || secret === "" ? text : text.replaceAll(secret, "[key]"), 200);
}

function reason(error: unknown): string {
  const inner = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return errorCode(inner) ?? "no reason given";
}
