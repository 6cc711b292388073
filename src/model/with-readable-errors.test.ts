import type { LanguageModelV3, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { withReadableErrors } from "./with-readable-errors.js";
import { TruncatedResponse } from "./reject-truncated.js";

/** The message of a response that drops after these parts. */
async function dropped(...parts: readonly LanguageModelV3StreamPart[]): Promise<string | undefined> {
  const model: Pick<LanguageModelV3, "doStream"> = {
    doStream: () =>
      Promise.resolve({
        stream: new ReadableStream<LanguageModelV3StreamPart>({
          start(controller) {
            for (const part of parts) controller.enqueue(part);
            controller.enqueue({ type: "error", error: new TruncatedResponse() });
            controller.close();
          },
        }),
      }),
  };
  // Only the stream of the model is used.
  const readable = withReadableErrors(model as LanguageModelV3, {
    name: "m",
    key: undefined,
    place: "there",
  });
  const { stream } = await readable.doStream({ prompt: [] });
  for await (const part of stream)
    if (part.type === "error" && part.error instanceof Error) return part.error.message;
  return undefined;
}

const words: LanguageModelV3StreamPart = { type: "text-delta", id: "t", delta: "I write it" };
const started: LanguageModelV3StreamPart = { type: "tool-input-start", id: "c", toolName: "write_file" };
const half: LanguageModelV3StreamPart = { type: "tool-input-delta", id: "c", delta: '{"path":"a' };
const called: LanguageModelV3StreamPart = {
  type: "tool-call",
  toolCallId: "c",
  toolName: "write_file",
  input: "{}",
};

test.each([
  ["before the first word", []],
  ["after 3 words", [words]],
  ["in the input of its call of write_file", [started, half]],
  ["after 3 words, in the input of its call of write_file", [words, started, half]],
  ["after 3 words", [words, started, half, called]],
])("says that the connection dropped %s", async (where, parts) => {
  expect(await dropped(...parts)).toBe(
    `The connection to m dropped ${where}: The stream ended before the response was complete. ` +
      "The rest of the response did not come, and none of its calls ran; try again.",
  );
});
