/**
 * An answer that just ends is not an answer. Some providers' packages report a stream that was closed
 * half-way as finished, for a reason nobody gave; what had come of it by then must not pass for the whole,
 * least of all a tool's input. So such an end becomes an error.
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
      controller.enqueue(isSilentEnd(part) ? { type: "error", error: new CutOff() } : part);
    },
    flush(controller) {
      if (!hasEnded) controller.enqueue({ type: "error", error: new CutOff() });
    },
  });
}

/** A finish without a reason; or what one package makes of it: a complaint about data that is not there. */
const isSilentEnd = (part: LanguageModelV3StreamPart): boolean =>
  part.type === "finish"
    ? part.finishReason.unified === "other" && part.finishReason.raw === undefined
    : part.type === "error" &&
      InvalidResponseDataError.isInstance(part.error) &&
      part.error.data === undefined;

class CutOff extends Error {
  readonly isRetryable = true;

  constructor() {
    super("The stream ended before the answer did.");
    this.name = "CutOff";
  }
}
