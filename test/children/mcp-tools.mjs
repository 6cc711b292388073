/**
 * An MCP server over stdio, made with the protocol's own library. The server logs its requests to the file in the
 * first argument, one line each. With "newer" as second it refuses the handshake of older clients, with "http" it does
 * so over HTTP.
 */
import { appendFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { serve } from "@hono/node-server";
import { createMcpHandler, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [, , notes, era] = process.argv;
const saw = (line) => appendFileSync(notes, `${line}\n`);
const text = (words) => ({ content: [{ type: "text", text: words }] });

saw(`started ${process.pid}`);
process.stderr.write("a word to the log\n");
if (era === "http") {
  const { fetch } = createMcpHandler(() => newServer(), { legacy: "reject" });
  serve({ fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => saw(`port ${port}`));
} else serveStdio(() => newServer(), { legacy: era === "newer" ? "reject" : "serve" });

function newServer() {
  const server = new McpServer({ name: "tools", version: "1.0.0" });
  const add = (name, config, run) => server.registerTool(name, { description: name, ...config }, run);

  add("echo", { inputSchema: z.object({ words: z.string() }) }, ({ words }) => text(words));
  add("environment", { inputSchema: z.object({}) }, () =>
    text(Object.keys(process.env).toSorted().join(" ")),
  );
  add("image", { inputSchema: z.object({}) }, () => ({
    content: [
      { type: "text", text: "a dot" },
      { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
      { type: "audio", data: "UklGRg==", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "demo://one", mimeType: "text/plain", text: "inside" } },
      { type: "resource", resource: { uri: "demo://two", blob: "AAEC" } },
    ],
  }));
  add(
    "structured",
    { inputSchema: z.object({ n: z.number() }), outputSchema: z.object({ twice: z.number() }) },
    ({ n }) => ({ content: [{ type: "text", text: String(2 * n) }], structuredContent: { twice: 2 * n } }),
  );
  add("fail", { inputSchema: z.object({}) }, () => ({ ...text("there is no such city"), isError: true }));
  add("passwd", { inputSchema: z.object({}) }, () => ({
    content: [{ type: "resource_link", name: "passwd", uri: "file:///etc/passwd" }],
  }));
  add(
    "count",
    { inputSchema: z.object({ to: z.number(), every: z.number() }) },
    async ({ to, every }, context) => {
      const { progressToken } = context.mcpReq._meta ?? {};
      for (let progress = 1; progress <= to; progress += 1) {
        await setTimeout(every);
        const params = { progressToken, progress, total: to, message: `step ${progress}` };
        await context.mcpReq.notify({ method: "notifications/progress", params });
      }
      return text("counted");
    },
  );
  add("hang", { inputSchema: z.object({}) }, async (_input, context) => {
    saw("hanging");
    await new Promise((resolve) => context.mcpReq.signal.addEventListener("abort", resolve));
    saw("cancelled");
    return text("too late");
  });
  add("die", { inputSchema: z.object({ code: z.number() }) }, async ({ code }) => {
    process.stderr.write("the disk is \u001b[31mfull\n");
    await setTimeout(50);
    process.exit(code);
  });
  add("grow", { inputSchema: z.object({}) }, () => {
    add("grown", { inputSchema: z.object({}) }, () => text("new here"));
    return text("there is one more tool");
  });
  add("ask", { inputSchema: z.object({ url: z.string().optional() }) }, async ({ url }, context) => {
    const form = {
      mode: "form",
      message: "Which \u202Ecity?",
      requestedSchema: {
        type: "object",
        properties: { city: { type: "string", title: "City\u200B" } },
        required: ["city"],
      },
    };
    if (era !== undefined) {
      const { city } = context.mcpReq.inputResponses ?? {};
      if (!city) return inputRequired({ inputRequests: { city: inputRequired.elicit(form) } });
      return text(JSON.stringify(city));
    }
    const params = url === undefined ? form : { mode: "url", message: "Log in", url, elicitationId: "1" };
    const { action, content } = await context.mcpReq.elicitInput(params);
    return text(JSON.stringify({ action, content }));
  });
  add("sample", { inputSchema: z.object({}) }, async (_input, context) => {
    const messages = [{ role: "user", content: { type: "text", text: "say hello" } }];
    try {
      await context.mcpReq.send({ method: "sampling/createMessage", params: { messages, maxTokens: 5 } });
      return text("sampled");
    } catch (error) {
      return text(`refused: ${error.message}`);
    }
  });
  add("huge", { inputSchema: z.object({ blocks: z.number() }) }, ({ blocks }) => ({
    content: Array.from({ length: blocks }, () => ({ type: "text", text: "x".repeat(1_200_000) })),
  }));
  return server;
}
