/**
 * The web search services, each with the request and the response of its public API. A key travels in a header and
 * nowhere else: not in a URL, not in an error message.
 */
import { z } from "zod";
import { checkOptions, OBJECT, oneOf, required, TEXT } from "../../call/check-options.js";
import { htmlToText } from "./html-to-text.js";

/** `endpoint` is the whole URL of the request, for a proxy in front of the service. */
export type SearchProvider =
  | { readonly type: "searxng"; readonly url: string }
  | { readonly type: "brave"; readonly key: string; readonly endpoint?: string }
  | { readonly type: "tavily"; readonly key: string; readonly endpoint?: string };

export type SearchResult = { readonly title: string; readonly url: string; readonly snippet: string };

type SearchRequest = {
  readonly url: URL;
  readonly headers: { readonly [name: string]: string };
  /** Sent with POST; without one it is a GET. */
  readonly body?: string;
};

export type SearchService = {
  readonly name: string;
  /** The URL of the service, without a query. */
  readonly endpoint: URL;
  readonly secret?: string;
  request(query: string, count: number): SearchRequest;
  /** Throws when the response does not have the service's form. */
  read(answer: unknown): readonly SearchResult[];
  /** Advice for an HTTP status that the service itself does not explain. */
  readonly advice: ReadonlyMap<number, string>;
};

const TYPE = required(oneOf("searxng", "brave", "tavily"));
const WITH_URL = { type: TYPE, url: required(TEXT) };
const WITH_KEY = { type: TYPE, key: required(TEXT), endpoint: TEXT };

export function searchService(provider: SearchProvider): SearchService {
  checkOptions("webSearchTool", { provider }, { provider: required(OBJECT) });
  if (provider.type === "searxng") checkOptions("webSearchTool", provider, WITH_URL);
  else checkOptions("webSearchTool", provider, WITH_KEY);
  switch (provider.type) {
    case "searxng":
      return searxng(provider.url);
    case "brave":
      return brave(provider.key, provider.endpoint);
    case "tavily":
      return tavily(provider.key, provider.endpoint);
    default:
      return provider satisfies never;
  }
}

const text = () =>
  z
    .string()
    .nullish()
    .transform((value) => value ?? "");
const KEY_ADVICE: ReadonlyMap<number, string> = new Map([
  [401, "The key was not accepted: check it in the settings."],
  [403, "The key was not accepted: check it in the settings."],
  [429, "Too many searches: wait, or search less."],
]);

const searxngAnswer = () =>
  z.object({
    results: z.array(z.object({ url: z.string(), title: text(), content: text() })),
  });

function searxng(base: string): SearchService {
  const endpoint = endpointUrl(base.endsWith("/") ? `${base}search` : `${base}/search`);
  return {
    name: "SearXNG",
    endpoint,
    request: (query) => ({ url: withQuery(endpoint, { q: query, format: "json" }), headers: {} }),
    read: (answer) =>
      searxngAnswer()
        .parse(answer)
        .results.map(({ title, url, content }) => ({ title, url, snippet: content })),
    advice: new Map([
      [403, 'Its JSON format may be off: add "json" to search.formats in its settings.yml.'],
      [429, "Too many searches: wait, or search less."],
    ]),
  };
}

const braveAnswer = () =>
  z.object({
    web: z
      .object({ results: z.array(z.object({ url: z.string(), title: text(), description: text() })) })
      .nullish(),
  });

function brave(key: string, endpoint = "https://api.search.brave.com/res/v1/web/search"): SearchService {
  const url = endpointUrl(endpoint);
  return {
    name: "Brave Search",
    endpoint: url,
    secret: key,
    request: (query, count) => ({
      url: withQuery(url, { q: query, count: String(count) }),
      headers: { "x-subscription-token": key },
    }),
    // The service's texts are HTML, with the search words in <strong>.
    read: (answer) =>
      (braveAnswer().parse(answer).web?.results ?? []).map((one) => ({
        title: htmlToText(one.title),
        url: one.url,
        snippet: htmlToText(one.description),
      })),
    advice: new Map([...KEY_ADVICE, [422, "The query or the key was not accepted: check both."]]),
  };
}

const tavilyAnswer = () =>
  z.object({
    results: z.array(z.object({ url: z.string(), title: text(), content: text() })),
  });

function tavily(key: string, endpoint = "https://api.tavily.com/search"): SearchService {
  const url = endpointUrl(endpoint);
  return {
    name: "Tavily",
    endpoint: url,
    secret: key,
    request: (query, count) => ({
      url,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ query, max_results: count, search_depth: "basic" }),
    }),
    read: (answer) =>
      tavilyAnswer()
        .parse(answer)
        .results.map(({ title, url: link, content }) => ({ title, url: link, snippet: content })),
    advice: new Map([
      ...KEY_ADVICE,
      [432, "The plan's searches are used up."],
      [433, "The plan's searches are used up."],
    ]),
  };
}

class BadSearchEndpoint extends Error {
  readonly code = "BAD_SEARCH_ENDPOINT";

  constructor(why: string) {
    super(
      `The address of the search service ${why}. No search tool was made. Give an http or https URL without a user, a query or a fragment.`,
    );
    this.name = "BadSearchEndpoint";
  }
}

/** The endpoint is shown in intents and questions, so it must not contain a secret. */
function endpointUrl(written: string): URL {
  if (!URL.canParse(written)) throw new BadSearchEndpoint("is not a URL");
  const url = new URL(written);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new BadSearchEndpoint(`begins with ${url.protocol}`);
  if (url.username !== "" || url.password !== "") throw new BadSearchEndpoint("holds a user or a password");
  if (url.search !== "" || url.hash !== "") throw new BadSearchEndpoint("holds a query or a fragment");
  return url;
}

function withQuery(endpoint: URL, fields: { readonly [name: string]: string }): URL {
  const url = new URL(endpoint);
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  return url;
}
