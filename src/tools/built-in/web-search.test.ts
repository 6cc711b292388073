import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { aContext, aWorkspace, failureOf, parsed, resultOf } from "../tools.samples.js";
import type { Tool } from "../tool.js";
import { aServer, sends } from "../web/web.samples.js";
import { webSearchTool } from "./web-search.js";

const KEY = "sk-very-secret-key";

async function search(tool: Tool, input: object, signal?: AbortSignal) {
  const { workspace } = await aWorkspace();
  return (await resultOf(tool, input, aContext(workspace, signal).context)).output;
}

const json = (value: unknown, status = 200) => sends(JSON.stringify(value), "application/json", status);

// The answers below have the fields that the services' own pages show.
const SEARXNG = {
  query: "rust regex",
  number_of_results: 0,
  results: [
    { url: "https://docs.rs/regex", title: "regex", content: "Linear time.", engine: "ddg", score: 1.5 },
    { url: "https://a.example/", title: "A\nB", content: null, engine: "bing", category: "general" },
  ],
  answers: [],
  suggestions: [],
};
const BRAVE = {
  type: "search",
  query: { original: "rust regex" },
  web: {
    type: "search",
    results: [
      {
        title: "regex - Rust",
        url: "https://docs.rs/regex",
        is_source_local: false,
        description: "A <strong>regex</strong> engine &amp; more",
        profile: { name: "Docs.rs" },
      },
    ],
  },
};
const TAVILY = {
  query: "rust regex",
  follow_up_questions: null,
  answer: null,
  images: [],
  results: [
    {
      title: "regex",
      url: "https://docs.rs/regex",
      content: "x".repeat(5000),
      score: 0.9,
      raw_content: null,
    },
  ],
  response_time: 1.1,
};

describe("each service is asked in its own way", () => {
  test("SearXNG", async () => {
    const { address, requests } = await aServer(json(SEARXNG));
    const tool = webSearchTool({ type: "searxng", url: `${address}/searx/` });
    expect(await search(tool, { query: "rust & regex" })).toBe(
      "1. regex\n   https://docs.rs/regex\n   Linear time.\n\n2. A\\nB\n   https://a.example/",
    );
    expect(requests[0]).toMatchObject({ method: "GET", url: "/searx/search?q=rust+%26+regex&format=json" });
  });

  test("Brave", async () => {
    const { address, requests } = await aServer(json(BRAVE));
    const tool = webSearchTool({ type: "brave", key: KEY, endpoint: `${address}/res/v1/web/search` });
    expect(await search(tool, { query: "rust regex", count: 3 })).toBe(
      "1. regex - Rust\n   https://docs.rs/regex\n   A regex engine & more",
    );
    expect(requests[0]).toMatchObject({ method: "GET", url: "/res/v1/web/search?q=rust+regex&count=3" });
    expect(requests[0]?.headers).toMatchObject({ "x-subscription-token": KEY, accept: "application/json" });
  });

  test("Tavily", async () => {
    let body: Promise<string> | undefined;
    const { address, requests } = await aServer((request, response) => {
      body = text(request);
      void body.then(() => json(TAVILY)(request, response));
    });
    const tool = webSearchTool({ type: "tavily", key: KEY, endpoint: `${address}/search` });
    const output = String(await search(tool, { query: "rust regex" }));
    expect(output.startsWith("1. regex\n   https://docs.rs/regex\n   xxx")).toBe(true);
    expect(output.length).toBeLessThan(600);
    expect(requests[0]).toMatchObject({ method: "POST", url: "/search" });
    expect(requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      "content-type": "application/json",
    });
    expect(JSON.parse((await body) ?? "")).toEqual({
      query: "rust regex",
      max_results: 10,
      search_depth: "basic",
    });
  });

  test("their own addresses are the usual ones", async () => {
    const { workspace } = await aWorkspace();
    const hostsOf = async (tool: Tool) =>
      (await tool.intent?.(parsed(tool, { query: "x" }), workspace))?.hosts;
    expect(await hostsOf(webSearchTool({ type: "brave", key: KEY }))).toEqual([
      "https://api.search.brave.com",
    ]);
    expect(await hostsOf(webSearchTool({ type: "tavily", key: KEY }))).toEqual(["https://api.tavily.com"]);
    // One that was configured on this machine is its owner's own choice, and no rule need name it.
    expect(await hostsOf(webSearchTool({ type: "searxng", url: "http://localhost:8888/s" }))).toBeUndefined();
  });
});

test("says that nothing was found, and lists no more results than requested", async () => {
  const { address } = await aServer(json({ results: [] }));
  expect(await search(webSearchTool({ type: "searxng", url: address }), { query: "zzz" })).toBe(
    'Nothing was found for "zzz". Try other words.',
  );
  const without = await aServer(json({ type: "search" }));
  const brave = webSearchTool({ type: "brave", key: KEY, endpoint: without.address });
  expect(await search(brave, { query: "zzz" })).toContain("Nothing was found");
  const many = await aServer(json(SEARXNG));
  const tool = webSearchTool({ type: "searxng", url: many.address });
  expect(await search(tool, { query: "x", count: 1 })).not.toContain("2. ");
});

describe("reports errors, never with the key", () => {
  async function failure(handler: Parameters<typeof aServer>[0], timeLimit = 20_000) {
    const { address } = await aServer(handler);
    const tool = webSearchTool({ type: "brave", key: KEY, endpoint: address }, { timeLimit });
    const words = await failureOf(search(tool, { query: "x" }));
    expect(words).not.toContain(KEY);
    return words;
  }

  test("a key that is refused", async () => {
    const error = {
      type: "ErrorResponse",
      error: { code: "SUBSCRIPTION_TOKEN_INVALID", detail: `no ${KEY}` },
    };
    expect(await failure(json(error, 401))).toBe(
      `ToolFailure: web_search: Brave Search responded with status 401: ${JSON.stringify(error).replace(KEY, "[key]")}. ` +
        "Nothing was found. The key was not accepted: check it in the settings.",
    );
  });

  test("too many searches, and a server that has none", async () => {
    expect(await failure(sends("", "text/plain", 429))).toBe(
      "ToolFailure: web_search: Brave Search responded with status 429. Nothing was found. Too many searches: wait, or search less.",
    );
    expect(await failure(sends("oops", "text/plain", 500))).toContain("status 500: oops. Nothing was found.");
  });

  test("SearXNG without JSON", async () => {
    const { address } = await aServer(sends("Forbidden", "text/html", 403));
    const tool = webSearchTool({ type: "searxng", url: address });
    expect(await failureOf(search(tool, { query: "x" }))).toContain(
      'add "json" to search.formats in its settings.yml',
    );
  });

  test("an answer that is none", async () => {
    for (const body of ["<html>", '{"web": {"results": [{"title": 1}]}}', "[]"])
      expect(await failure(sends(body, "application/json"))).toContain("a response that cannot be read: ");
    expect(await failure(sends(`no ${KEY} here`))).toContain("cannot be read: no [key] here");
  });

  test("a redirect is not followed, for it would take the key along", async () => {
    const other = await aServer(json(BRAVE));
    const words = await failure((_request, response) => {
      response.writeHead(307, { location: other.address });
      response.end();
    });
    expect(words).toContain("responded with status 307");
    expect(other.connections()).toBe(0);
  });

  test("too much, too late, not there", async () => {
    expect(await failure(sends("x".repeat(3_000_000)))).toContain("sent more than 2 MB");
    expect(await failure(() => undefined, 200)).toContain("did not respond within 0.2 s");
    expect(
      await failure((_request, response) => {
        response.write("[");
      }, 200),
    ).toContain("did not respond within 0.2 s");
    expect(await failure(({ socket }) => socket.destroy())).toContain("cannot be reached (");
  });

  test("ends with the reason of the cancel", async () => {
    const reason = new Error("the user pressed stop");
    const { address } = await aServer(() => setTimeout(() => cancel.abort(reason), 20));
    const cancel = new AbortController();
    const tool = webSearchTool({ type: "searxng", url: address });
    await expect(search(tool, { query: "x" }, cancel.signal)).rejects.toBe(reason);
  });

  test.each(["nowhere", "file:///etc", "https://me:hunter2@a.example", "https://a.example/?key=hunter2"])(
    "%s is no address of a service",
    (url) => {
      expect(() => webSearchTool({ type: "searxng", url })).toThrow(/^The address of the search service /);
      expect(() => webSearchTool({ type: "searxng", url })).not.toThrow(/hunter2/);
    },
  );
});

test.each([{}, { query: " " }, { query: "x", count: 21 }, { query: "x".repeat(401) }])(
  "%j is no input",
  (input) => {
    expect(webSearchTool({ type: "brave", key: KEY }).parse(input)).toMatchObject({ ok: false });
  },
);

test("never shows the key", () => {
  expect(JSON.stringify(webSearchTool({ type: "brave", key: KEY }))).not.toContain(KEY);
});
