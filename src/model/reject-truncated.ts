/**
 * Turns a truncated response into an error. Some providers' packages report a stream that was closed half-way as finished
 * without a reason; the part that arrived must not pass for the whole, least of all a tool's input.
 */
import { InvalidResponseDataError } from "@ai-sdk/provider";
import type { LanguageModelV3, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { wrapModel } from "./wrap-model.js";

export function rejectTruncated(model: LanguageModelV3): LanguageModelV3 {
  return wrapModel(model, {
    doGenerate: (options) => model.doGenerate(options),
    doStream: async (options) => {
      const result = await model.doStream(options);
      return { ...result, stream: result.stream.pipeThrough(endings()) };
    },
  });
}

function endings(): TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart> {
  let hasEnded = false;
  return new TransformStream({
    transform(part, controller) {
      hasEnded ||= part.type === "finish" || part.type === "error";
      controller.enqueue(isSilentEnd(part) ? { type: "error", error: new TruncatedResponse() } : part);
    },
    flush(controller) {
      if (!hasEnded) controller.enqueue({ type: "error", error: new TruncatedResponse() });
    },
  });
}

/** A finish without a reason; one package reports an error about missing data instead. */
const isSilentEnd = (part: LanguageModelV3StreamPart): boolean =>
  part.type === "finish"
    ? part.finishReason.unified === "other" && part.finishReason.raw === undefined
    : part.type === "error" &&
      InvalidResponseDataError.isInstance(part.error) &&
      part.error.data === undefined;

export class TruncatedResponse extends Error {
  readonly isRetryable = true;

  constructor() {
    super("The stream ended before the response was complete.");
    this.name = "TruncatedResponse";
  }
}
