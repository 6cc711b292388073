/** OpenAI's chat completions, streamed, with the `reasoning_content` that open models' servers add. */
import { bearerOf, BROKEN_DATA, data, fieldsOf, list, pieces, textOf, USED } from "./dialect.js";
import type { Dialect, FakeAnswer, Frames } from "./dialect.js";
import { openAiFailure } from "./openai-responses.js";

export const openAiChat: Dialect = {
  path: /^\/v1\/chat\/completions$/,
  keyOf: bearerOf,
  failure: openAiFailure,
  frames,
  malformed: BROKEN_DATA,
  overloaded: data({ error: { message: "Overloaded", type: "server_error", param: null, code: null } }),
  see: (body) => {
    const messages = list(body["messages"]);
    return {
      system: messages
        .flatMap((message) => (message["role"] === "system" ? textOf(message["content"]) : []))
        .join(""),
      calls: messages.flatMap((message) =>
        list(message["tool_calls"]).map((call) => {
          const asked = fieldsOf(call["function"]);
          const input: unknown = JSON.parse(String(asked["arguments"]));
          return { id: String(call["id"]), tool: String(asked["name"]), input };
        }),
      ),
      results: messages.flatMap((message) =>
        message["role"] === "tool"
          ? [{ id: String(message["tool_call_id"]), text: textOf(message["content"]) }]
          : [],
      ),
    };
  },
};

function frames({ think, say, calls = [], end }: FakeAnswer): Frames {
  const finish =
    end === "max_tokens"
      ? "length"
      : end === "refusal"
        ? "content_filter"
        : calls.length > 0
          ? "tool_calls"
          : "stop";
  const body = [
    ...pieces(think ?? "").map((text) => chunk({ reasoning_content: text })),
    ...pieces(say ?? "").map((content) => chunk({ content })),
    ...calls.flatMap(({ id, tool, input }, index) => [
      chunk({ tool_calls: [{ index, id, type: "function", function: { name: tool, arguments: "" } }] }),
      ...pieces(JSON.stringify(input)).map((text) =>
        chunk({ tool_calls: [{ index, function: { arguments: text } }] }),
      ),
    ]),
  ];
  return {
    head: [chunk({ role: "assistant", content: "" })],
    body: end === "cut" || end === "closed" ? body.slice(0, -1) : body,
    tail: [chunk({}, finish), data({ ...CHUNK, choices: [], usage: usage() }), "data: [DONE]\n\n"],
  };
}

const CHUNK = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_700_000_000, model: "fake" };

const chunk = (delta: object, finish: string | null = null): string =>
  data({ ...CHUNK, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] });

const usage = () => ({
  prompt_tokens: USED.input,
  completion_tokens: USED.output,
  total_tokens: USED.input + USED.output,
  prompt_tokens_details: { cached_tokens: USED.cached },
  completion_tokens_details: { reasoning_tokens: USED.reasoning },
});
