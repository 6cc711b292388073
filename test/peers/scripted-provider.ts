/**
 * A provider on loopback that agents reach in their vendor's own wire format. The answer depends on the request alone: the
 * step of the script is the number of tool results in the conversation, since agents also send requests of their own
 * (titles, summaries), which have no tools and get a short text.
 */
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { fieldsOf, list } from "../fakes/dialect.js";
import type { Dialect, FakeAnswer, Fields } from "../fakes/dialect.js";

export const PROVIDER_KEY = "test-key-0123456789";

export type ModelCall = { readonly tool: string; readonly input: object };

export type ScriptedProvider = {
  readonly url: string;
  /** The calls that the model makes, one in each response; then it says that it is done. */
  play(calls: readonly ModelCall[]): void;
  /** The requests since `play`, as text. */
  requests(): readonly string[];
  /** The names of the tools that the agent offered last. */
  tools(): readonly string[];
  close(): void;
};

export async function startProvider(dialect: Dialect): Promise<ScriptedProvider> {
  let calls: readonly ModelCall[] = [];
  let requests: string[] = [];
  let tools: readonly string[] = [];
  let round = 0;

  const answerTo = (body: Fields): FakeAnswer => {
    const offered = list(body["tools"]);
    if (offered.length === 0) return { say: "A short title" };
    tools = offered.map((tool) => String(tool["name"] ?? fieldsOf(tool["function"])["name"] ?? tool["type"]));
    const done = resultCount(dialect, body);
    const call = calls[done];
    if (call === undefined) return { say: "All done." };
    round += 1;
    return { say: "Next.", calls: [{ id: `call_${done}_${round}`, ...call }] };
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const path = request.url ?? "";
    const json = (value: unknown): void => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(value));
    };
    if (request.method === "HEAD") return void response.end();
    if (request.method === "GET") return json({ object: "list", data: [{ id: "fake", object: "model" }] });
    if (path.includes("count_tokens")) return json({ input_tokens: 100 });
    if (!dialect.path.test(path)) return json({});
    const text = Buffer.concat(chunks).toString();
    requests.push(text);
    const body = fieldsOf(JSON.parse(text));
    const answer = answerTo(body);
    if (body["stream"] !== true) return json(wholeAnswer(answer.say ?? ""));
    const { head, body: frames, tail } = dialect.frames(answer);
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    response.end([...head, ...frames, ...tail].join(""));
  }

  return {
    ...(await listenOnLoopback(serve)),
    play: (next) => {
      calls = next;
      requests = [];
    },
    requests: () => requests,
    tools: () => tools,
  };
}

/** Serves on a free port of loopback. */
export async function listenOnLoopback(
  serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The provider has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A vendor's reader may refuse what an agent sends beside calls and results; nothing of that is counted. */
function resultCount(dialect: Dialect, body: Fields): number {
  const outputs = list(body["input"]).filter(({ type }) => String(type).endsWith("_call_output"));
  return outputs.length > 0 ? outputs.length : dialect.see(body).results.length;
}

/** A response that is not streamed, with the fields of every vendor. */
const wholeAnswer = (text: string) => ({
  id: "whole_1",
  type: "message",
  role: "assistant",
  model: "fake",
  object: "chat.completion",
  stop_reason: "end_turn",
  content: [{ type: "text", text }],
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: text } }],
  usage: { input_tokens: 10, output_tokens: 5, prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
});
