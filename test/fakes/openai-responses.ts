/** OpenAI's Responses API, streamed. */
import { bearerOf, BROKEN_DATA, data, list, pieces, textOf, USED } from "./dialect.js";
import type { Dialect, FakeAnswer, FakeCall, Frames } from "./dialect.js";

const ERRORS = new Map([
  [400, { type: "invalid_request_error", code: null }],
  [401, { type: "invalid_request_error", code: "invalid_api_key" }],
  [429, { type: "requests", code: "rate_limit_exceeded" }],
]);

/** OpenAI knows no 529: it says 503 when it is overloaded. */
export const openAiFailure = (status: number, message: string) => ({
  status: status === 529 ? 503 : status,
  body: { error: { message, param: null, ...(ERRORS.get(status) ?? { type: "server_error", code: null }) } },
});

export const openAiResponses: Dialect = {
  path: /^\/v1\/responses$/,
  keyOf: bearerOf,
  failure: openAiFailure,
  frames,
  malformed: BROKEN_DATA,
  overloaded: event("error", 900, { code: "server_error", message: "Overloaded", param: null }),
  see: (body) => {
    const items = list(body["input"]);
    return {
      system: items
        .flatMap(({ role, content }) => (role === "system" || role === "developer" ? textOf(content) : []))
        .join(""),
      calls: items.flatMap((item) =>
        item["type"] === "function_call"
          ? [
              {
                id: String(item["call_id"]),
                tool: String(item["name"]),
                input: JSON.parse(String(item["arguments"])) as unknown,
              },
            ]
          : [],
      ),
      results: items.flatMap((item) =>
        item["type"] === "function_call_output"
          ? [{ id: String(item["call_id"]), text: textOf(item["output"]) }]
          : [],
      ),
    };
  },
};

function frames(answer: FakeAnswer): Frames {
  const { think, say, calls = [], end } = answer;
  let sequence = 0;
  const next = (type: string, fields: object): string => event(type, sequence++, fields);
  const head = [
    next("response.created", response("in_progress")),
    next("response.in_progress", response("in_progress")),
  ];
  const writers = [
    ...(think === undefined ? [] : [thought(think)]),
    ...(say === undefined ? [] : [end === "refusal" ? refusal(say) : words(say)]),
    ...calls.map(functionCall),
  ];
  const body = writers.flatMap(({ started, events, done }, index) => [
    next("response.output_item.added", { output_index: index, item: started }),
    ...events.map(([type, fields]) => next(type, { output_index: index, item_id: started.id, ...fields })),
    next("response.output_item.done", { output_index: index, item: done }),
  ]);
  const output = writers.map(({ done }) => done);
  const last =
    end === "max_tokens"
      ? next(
          "response.incomplete",
          response("incomplete", {
            output,
            usage: usage(),
            incomplete_details: { reason: "max_output_tokens" },
          }),
        )
      : next("response.completed", response("completed", { output, usage: usage() }));
  return { head, body: end === "cut" || end === "closed" ? body.slice(0, -1) : body, tail: [last] };
}

/** An item of the output as it begins, the events that fill it, and as it is in the end. */
type Writer = {
  readonly started: { readonly id: string; readonly [field: string]: unknown };
  readonly events: readonly (readonly [type: string, fields: object])[];
  readonly done: object;
};

function thought(text: string): Writer {
  const item = { id: "rs_1", type: "reasoning" };
  const part = { type: "summary_text", text };
  const at = { summary_index: 0 };
  return {
    started: { ...item, summary: [] },
    events: [
      ["response.reasoning_summary_part.added", { ...at, part: { ...part, text: "" } }],
      ...pieces(text).map((delta) => ["response.reasoning_summary_text.delta", { ...at, delta }] as const),
      ["response.reasoning_summary_text.done", { ...at, text }],
      ["response.reasoning_summary_part.done", { ...at, part }],
    ],
    done: { ...item, summary: [part], encrypted_content: "ZW5jcnlwdGVk" },
  };
}

function words(text: string): Writer {
  const part = { type: "output_text", text, annotations: [] };
  return messageWriter(part, { ...part, text: "" }, [
    ...pieces(text).map(
      (delta) => ["response.output_text.delta", { content_index: 0, delta, logprobs: [] }] as const,
    ),
    ["response.output_text.done", { content_index: 0, text, logprobs: [] }],
  ]);
}

function refusal(text: string): Writer {
  const part = { type: "refusal", refusal: text };
  return messageWriter(part, { ...part, refusal: "" }, [
    ...pieces(text).map((delta) => ["response.refusal.delta", { content_index: 0, delta }] as const),
    ["response.refusal.done", { content_index: 0, refusal: text }],
  ]);
}

function messageWriter(part: object, empty: object, events: Writer["events"]): Writer {
  const item = { id: "msg_1", type: "message", role: "assistant" };
  return {
    started: { ...item, status: "in_progress", content: [] },
    events: [
      ["response.content_part.added", { content_index: 0, part: empty }],
      ...events,
      ["response.content_part.done", { content_index: 0, part }],
    ],
    done: { ...item, status: "completed", content: [part] },
  };
}

function functionCall({ id, tool, input }: FakeCall): Writer {
  const text = JSON.stringify(input);
  const item = { id: `fc_${id}`, type: "function_call", call_id: id, name: tool };
  return {
    started: { ...item, status: "in_progress", arguments: "" },
    events: [
      ...pieces(text).map((delta) => ["response.function_call_arguments.delta", { delta }] as const),
      ["response.function_call_arguments.done", { name: tool, arguments: text }],
    ],
    done: { ...item, status: "completed", arguments: text },
  };
}

const RESPONSE = {
  id: "resp_1",
  object: "response",
  created_at: 1_700_000_000,
  model: "gpt-fake",
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  parallel_tool_calls: true,
  tool_choice: "auto",
  tools: [],
  temperature: 1,
  top_p: 1,
};

const response = (status: string, more: object = {}) => ({
  response: { ...RESPONSE, status, output: [], ...more },
});

const usage = () => ({
  input_tokens: USED.input,
  input_tokens_details: { cached_tokens: USED.cached },
  output_tokens: USED.output,
  output_tokens_details: { reasoning_tokens: USED.reasoning },
  total_tokens: USED.input + USED.output,
});

function event(type: string, sequence: number, fields: object): string {
  return `event: ${type}\n${data({ type, sequence_number: sequence, ...fields })}`;
}
