/** Google's Gemini API, `streamGenerateContent?alt=sse`. A call's input comes whole. */
import { BROKEN_DATA, data, fieldsOf, list, pieces, textOf, USED } from "./dialect.js";
import type { Dialect, FakeAnswer, Frames } from "./dialect.js";

const STATUSES = new Map([
  [400, "INVALID_ARGUMENT"],
  [404, "NOT_FOUND"],
  [429, "RESOURCE_EXHAUSTED"],
  [500, "INTERNAL"],
  [503, "UNAVAILABLE"],
]);

/** Google calls a bad key a bad request, and says 503 when it is overloaded. */
const OWN_STATUS = new Map([
  [401, 400],
  [529, 503],
]);

export const google: Dialect = {
  path: /^\/v1beta\/models\/[^/:]+:streamGenerateContent\?alt=sse$/,
  keyOf: (headers) => [headers["x-goog-api-key"]].flat()[0],
  failure: (wanted, message) => {
    const status = OWN_STATUS.get(wanted) ?? wanted;
    const invalid = {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason: "API_KEY_INVALID",
      domain: "googleapis.com",
    };
    const details = wanted === 401 ? { details: [invalid] } : {};
    return {
      status,
      body: { error: { code: status, message, status: STATUSES.get(status) ?? "UNKNOWN", ...details } },
    };
  },
  frames,
  malformed: BROKEN_DATA,
  overloaded: data({ error: { code: 503, message: "Overloaded", status: "UNAVAILABLE" } }),
  see: (body) => {
    const parts = list(body["contents"]).flatMap((content) => list(content["parts"]));
    // Without ids, calls and results belong together by their order.
    const named = (kind: string) =>
      parts
        .filter((part) => kind in part)
        .map((part) => fieldsOf(part[kind]))
        .map((value, index) => ({
          id: "id" in value ? String(value["id"]) : String(index),
          tool: String(value["name"]),
          value,
        }));
    return {
      system: textOf(fieldsOf(body["systemInstruction"])["parts"]),
      calls: named("functionCall").map(({ id, tool, value }) => ({ id, tool, input: value["args"] })),
      results: named("functionResponse").map(({ id, value }) => ({
        id,
        text: textOf(fieldsOf(value["response"])["content"]),
      })),
    };
  },
};

function frames({ think, say, calls = [], end }: FakeAnswer): Frames {
  const finishReason = end === "max_tokens" ? "MAX_TOKENS" : end === "refusal" ? "SAFETY" : "STOP";
  const body = [
    ...pieces(think ?? "").map((text) => chunk([{ text, thought: true }])),
    ...pieces(say ?? "").map((text) => chunk([{ text }])),
    // A signature of what was thought comes with the first of the calls.
    ...calls.map(({ id, tool, input }, index) =>
      chunk([
        {
          functionCall: { id, name: tool, args: input },
          ...(index === 0 && { thoughtSignature: "c2lnbmF0dXJl" }),
        },
      ]),
    ),
  ];
  return {
    head: [],
    body: end === "cut" || end === "closed" ? body.slice(0, -1) : body,
    tail: [chunk([{ text: "" }], { finishReason })],
  };
}

const chunk = (parts: readonly object[], more: object = {}): string =>
  data({
    candidates: [{ content: { parts, role: "model" }, index: 0, ...more }],
    usageMetadata: {
      promptTokenCount: USED.input,
      cachedContentTokenCount: USED.cached,
      candidatesTokenCount: USED.output - USED.reasoning,
      thoughtsTokenCount: USED.reasoning,
      totalTokenCount: USED.input + USED.output,
    },
    modelVersion: "gemini-fake",
    responseId: "response-1",
  });
