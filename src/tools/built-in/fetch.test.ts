import { getEventListeners } from "node:events";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { aContext, aWorkspace, failureOf, parsed, resultOf } from "../tools.samples.js";
import type { Tool } from "../tool.js";
import { aFetch, aServer, sends } from "../web/web.samples.js";
import type { Handler } from "../web/web.samples.js";
import { fetchTool } from "./fetch.js";

async function run(tool: Tool, input: object, signal?: AbortSignal) {
  const { workspace } = await aWorkspace();
  return resultOf(tool, input, aContext(workspace, signal).context);
}

/** The tool's text for a page, without the lines on its status. */
async function bodyOf(handler: Handler, input: object = {}): Promise<string> {
  const { url } = await aServer(handler);
  const { output } = await run(aFetch(), { url, ...input });
  return String(output).split("\n\n").slice(1).join("\n\n");
}

const HTML = `<!doctype html><html><head><title>Guide</title><style>p{}</style><script>evil()</script></head>
<body><h1>Fish &amp; chips</h1><p>Some <b>bold</b> text, <a href="/next?a=1">more</a>.</p>
<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table><a href="javascript:x()">no</a></body></html>`;

describe("the content of a page", () => {
  test("is Markdown for HTML, after its status, type and URL", async () => {
    const { url, requests } = await aServer(sends(HTML, "text/html; charset=utf-8"));
    const { output, content, isError } = await run(aFetch(), { url: `${url}/guide#part` });
    expect(output).toBe(
      `HTTP 200 OK\nContent-Type: text/html; charset=utf-8\nURL: ${url}/guide\n\n` +
        `Guide\n\n# Fish & chips\n\nSome **bold** text, [more](${url}/next?a=1).\n\n` +
        "| a   | b   |\n| --- | --- |\n| 1   | 2   |\n\nno",
    );
    expect(content).toEqual([{ type: "content", content: { type: "text", text: output } }]);
    expect(isError).toBeUndefined();
    expect(requests[0]?.headers).toMatchObject({ "user-agent": "toolgate", host: new URL(url).host });
  });

  test("is text or unchanged, when requested", async () => {
    const handler = sends(HTML, "text/html");
    expect(await bodyOf(handler, { format: "text" })).toBe(
      "Guide\n\nFish & chips\n\nSome bold text, more.\n\na b\n\n1 2\n\nno",
    );
    expect(await bodyOf(handler, { format: "raw" })).toBe(HTML);
  });

  test.each([
    ["application/json", '{"a": "<b>"}'],
    ["text/plain", "a <b> c"],
    ["application/ld+json; charset=utf-8", "{}"],
    ["image/svg+xml", "<svg></svg>"],
    ["application/yaml", "a: 1"],
    [undefined, "no type"],
  ])("is unchanged for %s", async (type, text) => {
    expect(await bodyOf(sends(text, type))).toBe(text);
  });

  test.each<[string, string | undefined, Buffer, string]>([
    ["the header", "text/plain; charset=iso-8859-1", Buffer.from("caf\xe9", "latin1"), "café"],
    [
      "the page",
      "text/html",
      Buffer.from('<meta charset="windows-1252"><p>caf\xe9 \x80', "latin1"),
      "café €",
    ],
    ["the mark", "text/plain; charset=utf-8", Buffer.from("\uFEFFcafé", "utf16le"), "café"],
    ["nobody", "text/plain", Buffer.from("café"), "café"],
    ["an unknown name", "text/plain; charset=klingon", Buffer.from("café"), "café"],
  ])("is decoded as %s says", async (_who, type, bytes, expected) => {
    expect(await bodyOf(sends(bytes, type))).toBe(expected);
  });

  test("reports a page that is not text instead of showing it", async () => {
    const bytes = Buffer.from([1, 0, 2, 0]);
    const words = "of 4 bytes, which cannot be shown as text. Get it with a command, if a file is wanted.]";
    expect(await bodyOf(sends(bytes, "application/zip"))).toBe(`[This is application/zip ${words}`);
    expect(await bodyOf(sends(bytes))).toBe(`[This is binary data ${words}`);
    expect(await bodyOf(sends(Buffer.alloc(6_000_000), "image/png"))).toContain("image/png of 6000000 bytes");
  });

  test("is an image for an image", async () => {
    const { url } = await aServer(sends(Buffer.from("PNG"), "image/png"));
    const { output } = await run(aFetch(), { url });
    expect(output).toEqual([
      { type: "text", text: `HTTP 200 OK\nContent-Type: image/png\nURL: ${url}/` },
      { type: "image", data: "UE5H", mimeType: "image/png" },
    ]);
  });

  test("fails with the server's message when the server answers with an error", async () => {
    const { url } = await aServer(sends("no such page", "text/plain", 404));
    const { output, isError } = await run(aFetch(), { url });
    expect(output).toBe(`HTTP 404 Not Found\nContent-Type: text/plain\nURL: ${url}/\n\nno such page`);
    expect(isError).toBe(true);
  });

  test("comes in parts when it is long, and each says how to get the next", async () => {
    const text = `${"x".repeat(99_999)}😀${"y".repeat(50_000)}`;
    const handler = sends(text, "text/plain");
    const first = await bodyOf(handler);
    expect(first).toBe(`${"x".repeat(99_999)}\n[Characters 0-99999 of 150001. Use from=99999 to continue.]`);
    expect(await bodyOf(handler, { from: 99_999 })).toBe(`😀${"y".repeat(50_000)}`);
    expect(await bodyOf(handler, { from: 150_001 })).toBe(
      "\n[The page has only 150001 characters. Use a smaller from.]",
    );
    expect(await bodyOf(sends("x", "text/plain"), { from: 5 })).toBe(
      "\n[The page has only 1 character. Use a smaller from.]",
    );
  });

  test("is text when it cannot become Markdown", async () => {
    expect(await bodyOf(sends("<b><i>x".repeat(20_000), "text/html"))).toBe(
      `${"x".repeat(20_000)}\n[The page is built in a way that cannot be turned into Markdown, so this is its plain text.]`,
    );
  });

  test("converts only the beginning of a very long page, and says how to get the rest", async () => {
    const html = `<p>first</p>${`<b>${" ".repeat(793)}</b>`.repeat(800)}<p>last</p>`;
    const notice = '[This is made from the first 512 kB of the page. Use format="raw" for all of it.]';
    for (const format of ["text", "markdown"])
      expect(await bodyOf(sends(html, "text/html"), { format })).toBe(`first\n${notice}`);
    expect(await bodyOf(sends(html, "text/html"), { format: "raw", from: 640_000 })).toContain("<p>last</p>");
  });

  test("sends no cookie of one page to the next", async () => {
    const { url, requests } = await aServer((_request, response) => {
      response.writeHead(200, { "set-cookie": "id=1; Path=/", "content-type": "text/plain" });
      response.end("x");
    });
    const tool = aFetch();
    await run(tool, { url });
    await run(tool, { url });
    expect(requests.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined]);
  });
});

describe("the address", () => {
  test("is named in the intent as it was written", async () => {
    const { workspace } = await aWorkspace();
    const tool = fetchTool();
    const input = parsed(tool, { url: "HTTPS://Example.com/a#b" });
    expect(await tool.intent?.(input, workspace)).toEqual({ hosts: ["HTTPS://Example.com/a#b"] });
  });

  test.each([
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "0",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "localhost",
    "localhost.",
    "LOCALHOST",
    "app.localhost",
    "127.0.0.1.nip.io",
    "169.254.169.254",
    "metadata.google.internal",
    "10.0.0.1",
    "192.168.0.1",
    "100.64.0.1",
    "[fd00::1]",
    "[fe80::1]",
    "intranet",
    "１２７.０.０.１",
  ])("is refused before anything is sent: http://%s", async (host) => {
    const { port, connections } = await aServer(sends("secret"));
    const failure = await failureOf(run(fetchTool(), { url: `http://${host}:${port}/` }));
    expect(failure).toMatch(
      /^ToolFailure: fetch: .* is not on the public internet \(.*\), and fetch connects to nothing else\. Nothing was fetched\./,
    );
    expect(connections()).toBe(0);
  });

  const answering = (...addresses: readonly string[]) =>
    Promise.resolve(addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })));

  test.each([
    ["127.0.0.1"],
    ["93.184.216.34", "127.0.0.1"],
    ["127.0.0.1", "93.184.216.34"],
    ["::1"],
    ["::ffff:127.0.0.1"],
    ["fe80::1%lo"],
    ["169.254.169.254"],
  ])("is refused when a public name resolves to %s %s", async (...addresses) => {
    const { port, connections } = await aServer(sends("secret"));
    const tool = fetchTool({ lookup: () => answering(...addresses) });
    const failure = await failureOf(run(tool, { url: `http://rebind.example:${port}/` }));
    expect(failure).toContain("rebind.example is not on the public internet (");
    expect(await failureOf(run(tool, { url: `https://rebind.example:${port}/` }))).toBe(failure);
    expect(connections()).toBe(0);
  });

  test("is resolved once: the connection uses the checked address", async () => {
    const { url } = await aServer(sends("fine", "text/plain"));
    let asked = 0;
    const tool = aFetch({
      lookup: () => {
        asked += 1;
        return asked === 1 ? answering("127.0.0.1") : answering("10.0.0.1");
      },
    });
    expect((await run(tool, { url })).output).toContain("fine");
    expect(asked).toBe(1);
  });

  test("is checked again after a redirect", async () => {
    const { url, requests } = await aServer((_request, response) => {
      response.writeHead(302, { location: "/again", connection: "close" });
      response.end();
    });
    let asked = 0;
    const tool = aFetch({
      lookup: () => {
        asked += 1;
        return asked === 1 ? answering("127.0.0.1") : answering("127.0.0.2");
      },
    });
    expect(await failureOf(run(tool, { url }))).toContain(
      "site.test is not on the public internet (127.0.0.2, loopback)",
    );
    expect(requests.length).toBe(1);
  });

  test("lets through exactly the private host that the embedding program allows", async () => {
    const { address, port } = await aServer(sends("mine", "text/plain"));
    const tool = fetchTool({ reach: (host) => host === "127.0.0.1" });
    expect((await run(tool, { url: address })).output).toContain("mine");
    expect(await failureOf(run(tool, { url: `http://127.0.0.2:${port}` }))).toContain(
      "127.0.0.2 is not on the public",
    );
    expect(await failureOf(run(tool, { url: `http://localhost:${port}` }))).toContain(
      "localhost is not on the public",
    );
  });

  test.each([
    "file:///etc/passwd",
    "ftp://example.com/",
    "data:text/plain,x",
    "javascript:1",
    "gopher://a.example/",
  ])("%s cannot be fetched", (url) => {
    expect(fetchTool().parse({ url })).toMatchObject({
      ok: false,
      problem: expect.stringContaining("Only http and https URLs can be fetched"),
    });
  });

  test.each(["example.com", "", "https://", "https://evil.test%00.allowed.example/", "/x"])(
    "%j is no URL",
    (url) => {
      expect(fetchTool().parse({ url })).toMatchObject({ ok: false });
    },
  );

  test("is refused with a password, which is not repeated", () => {
    const result = fetchTool().parse({ url: "https://me:hunter2@example.com/" });
    expect(result).toMatchObject({
      ok: false,
      problem: expect.stringContaining("a user name or a password"),
    });
    expect(JSON.stringify(result)).not.toContain("hunter2");
    expect(fetchTool().parse({ url: "https://allowed.example@evil.test/" })).toMatchObject({ ok: false });
  });
});

describe("redirects", () => {
  const redirects =
    (location: string): Handler =>
    ({ url: path }, response) => {
      if (path === "/there") return sends("there", "text/plain")({} as never, response);
      response.writeHead(302, { location });
      response.end();
    };

  test("follows one on the same origin, and reports the last URL", async () => {
    const { url } = await aServer(redirects("/there"));
    expect((await run(aFetch(), { url })).output).toBe(
      `HTTP 200 OK\nContent-Type: text/plain\nURL: ${url}/there\n\nthere`,
    );
  });

  test.each([
    "http://169.254.169.254/latest/",
    "http://[::1]/",
    "https://site.test/",
    "file:///etc/passwd",
    "http://u:p@other.test/",
  ])("reports one to %s and does not follow it", async (location) => {
    const { url } = await aServer(redirects(location));
    const { output, isError } = await run(aFetch(), { url });
    expect(output).toBe(
      `${url}/ redirects (302) to ${location}\nThat is another origin, so it was not followed. Call fetch with that URL to go there.`,
    );
    expect(isError).toBeUndefined();
  });

  test("does not follow one to another port of this machine", async () => {
    const secret = await aServer(sends("secret"));
    const { url } = await aServer(redirects(secret.address));
    expect((await run(aFetch(), { url })).output).toContain(`redirects (302) to ${secret.address}/`);
    expect(secret.connections()).toBe(0);
  });

  test("a loop ends after ten hops", async () => {
    const { url, requests } = await aServer(redirects("/loop"));
    expect(await failureOf(run(aFetch(), { url }))).toContain("more than 10 times. Nothing was fetched.");
    expect(requests.length).toBe(11);
  });
});

describe("a limit", () => {
  const endless: Handler = (_request, response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    const more = () => {
      while (response.write("x".repeat(64 * 1024)));
    };
    response.on("drain", more);
    more();
  };

  test("cuts an endless page at 10 MiB and closes the connection", async () => {
    const closed = withResolvers();
    const { url } = await aServer((request, response) => {
      request.socket.once("close", () => closed.resolve(undefined));
      endless(request, response);
    });
    const { output } = await run(aFetch(), { url });
    expect(String(output).slice(-200)).toContain(
      "[The page is longer than 10485760 bytes. This is its beginning.]",
    );
    await closed.promise;
  });

  test("cuts a page at the requested size", async () => {
    expect(await bodyOf(endless, { maxBytes: 10 })).toBe(
      `${"x".repeat(10)}\n[The page is longer than 10 bytes. This is its beginning.]`,
    );
    expect(fetchTool().parse({ url: "https://a.example", maxBytes: 10 * 1024 * 1024 + 1 })).toMatchObject({
      ok: false,
    });
  });

  test("cuts a compressed page at the same unpacked size", async () => {
    // Two hundred megabytes: the same one, packed once.
    const bomb = Buffer.concat(Array(200).fill(gzipSync(Buffer.alloc(1024 * 1024, "x"))));
    expect(bomb.length).toBeLessThan(300_000);
    const before = process.memoryUsage().rss;
    const output = await bodyOf((_request, response) => {
      response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" });
      response.end(bomb);
    });
    expect(output.slice(-200)).toContain("[The page is longer than 10485760 bytes. This is its beginning.]");
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });

  test("cuts a slow page at the time limit", async () => {
    const { url } = await aServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      response.write("drop");
      const timer = setInterval(() => response.write("."), 50);
      response.once("close", () => clearInterval(timer));
    });
    const { output } = await run(aFetch({ timeLimit: 400 }), { url });
    expect(output).toMatch(
      /drop\.+\n\[The page was not complete after 0\.4 s\. This is what had come by then\.\]$/,
    );
  });

  test("ends the wait for a server that never answers", async () => {
    const { url } = await aServer(() => undefined);
    expect(await failureOf(run(aFetch({ timeLimit: 200 }), { url }))).toBe(
      `ToolFailure: fetch: ${url}/ did not respond within 0.2 s. Nothing was fetched. Check the URL, or try again later.`,
    );
  });

  test("ends with the reason of a cancel, before and during the response", async () => {
    const reason = new Error("the user pressed stop");
    for (const handler of [() => undefined, endless] as const) {
      const cancel = new AbortController();
      const { url } = await aServer((request, response) => {
        handler(request, response);
        setTimeout(() => cancel.abort(reason), 20);
      });
      const tool = aFetch({ maxBytes: Number.MAX_SAFE_INTEGER });
      await expect(run(tool, { url }, cancel.signal)).rejects.toBe(reason);
    }
    await expect(run(aFetch(), { url: "http://site.test/" }, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  test("leaves no timer and no listener", async () => {
    const { url } = await aServer(sends(HTML, "text/html"));
    const { signal } = new AbortController();
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    for (let count = 0; count < 5; count += 1) await run(aFetch(), { url }, signal);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(timers() - before).toBeLessThan(5);
  });

  test("reports a server that is missing or hangs up", async () => {
    const { url } = await aServer(({ socket }) => socket.destroy());
    expect(await failureOf(run(aFetch(), { url }))).toMatch(
      /could not be fetched \(\w+\)\. Nothing was fetched\./,
    );
    expect(await failureOf(run(aFetch(), { url: "http://nowhere.test/" }))).toBe(
      "ToolFailure: fetch: http://nowhere.test/ could not be fetched (ENOTFOUND). Nothing was fetched. Check the URL, or try again later.",
    );
    const none = aFetch({ lookup: () => Promise.resolve([]) });
    expect(await failureOf(run(none, { url }))).toContain("site.test has no address");
  });
});

function withResolvers() {
  let resolve: (value: unknown) => void = () => undefined;
  const promise = new Promise((settle) => (resolve = settle));
  return { promise, resolve };
}
