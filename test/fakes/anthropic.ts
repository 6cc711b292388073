/** Anthropic's Messages API, streamed. */
import { bearerOf, BROKEN_DATA, data, list, pieces, textOf, USED } from "./dialect.js";
import type { Dialect, FakeAnswer, Frames } from "./dialect.js";

const ERROR_TYPES = new Map([
  [400, "invalid_request_error"],
  [401, "authentication_error"],
  [404, "not_found_error"],
  [429, "rate_limit_error"],
  [529, "overloaded_error"],
]);

export const anthropic: Dialect = {
  path: /^\/v1\/messages(?:\?|$)/,
  // Anthropic's own SDK sends the key as a bearer, others as they always have.
  keyOf: (headers) => [headers["x-api-key"]].flat()[0] ?? bearerOf(headers),
  failure: (status, message) => ({
    status,
    body: { type: "error", error: { type: ERROR_TYPES.get(status) ?? "api_error", message } },
  }),
  frames,
  malformed: `event: content_block_delta\n${BROKEN_DATA}`,
  overloaded: event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
  see: (body) => {
    const content = list(body["messages"]).flatMap(({ content: blocks }) => list(blocks));
    return {
      system: textOf(body["system"]),
      calls: content.flatMap((block) =>
        block["type"] === "tool_use"
          ? [{ id: String(block["id"]), tool: String(block["name"]), input: block["input"] }]
          : [],
      ),
      results: content.flatMap((block) =>
        block["type"] === "tool_result"
          ? [
              {
                id: String(block["tool_use_id"]),
                text: textOf(block["content"]),
                isError: Boolean(block["is_error"]),
              },
            ]
          : [],
      ),
    };
  },
};

function frames({ think, say, calls = [], end }: FakeAnswer): Frames {
  const stopReason =
    end === "max_tokens" || end === "refusal" ? end : calls.length > 0 ? "tool_use" : "end_turn";
  const blocks: string[][] = [];
  const block = (start: object, deltas: readonly object[]) => {
    const index = blocks.length;
    blocks.push([
      event({ type: "content_block_start", index, content_block: start }),
      ...deltas.map((delta) => event({ type: "content_block_delta", index, delta })),
      event({ type: "content_block_stop", index }),
    ]);
  };
  if (think !== undefined)
    block({ type: "thinking", thinking: "", signature: "" }, [
      ...pieces(think).map((thinking) => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature: "c2lnbmF0dXJl" },
    ]);
  if (say !== undefined)
    block(
      { type: "text", text: "" },
      pieces(say).map((text) => ({ type: "text_delta", text })),
    );
  for (const { id, tool, input } of calls)
    block(
      { type: "tool_use", id, name: tool, input: {} },
      ["", ...pieces(JSON.stringify(input))].map((text) => ({
        type: "input_json_delta",
        partial_json: text,
      })),
    );
  const usage = {
    input_tokens: USED.input - USED.cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: USED.cached,
  };
  return {
    head: [
      event({
        type: "message_start",
        message: {
          id: "msg_1",
          type: "message",
          role: "assistant",
          model: "claude-fake",
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { ...usage, output_tokens: 1 },
        },
      }),
      event({ type: "ping" }),
    ],
    body: end === "cut" || end === "closed" ? blocks.flat().slice(0, -1) : blocks.flat(),
    tail: [
      event({
        type: "message_delta",
        delta: { stop_reason: stopReason, stop_sequence: null },
        usage: {
          ...usage,
          output_tokens: USED.output,
          output_tokens_details: { thinking_tokens: USED.reasoning },
        },
      }),
      event({ type: "message_stop" }),
    ],
  };
}

function event(value: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${value.type}\n${data(value)}`;
}
