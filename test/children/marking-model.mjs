/**
 * A model whose steps follow from the prompt alone, in any process: so many calls of the tool `mark`, each with a word of
 * its own, and then the end. The first message of the user is the session's name.
 */
export function markingModel(steps) {
  return {
    specificationVersion: "v3",
    provider: "toolgate",
    modelId: "marking",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("This model only streams.")),
    doStream: ({ prompt }) => Promise.resolve({ stream: ReadableStream.from(parts(prompt, steps)) }),
  };
}

function* parts(prompt, steps) {
  const name = prompt.find(({ role }) => role === "user").content[0].text;
  const step = prompt.filter(({ role }) => role === "assistant").length;
  const isOver = step >= steps;
  yield { type: "stream-start", warnings: [] };
  if (isOver) {
    yield { type: "text-start", id: "text" };
    yield { type: "text-delta", id: "text", delta: "The end." };
    yield { type: "text-end", id: "text" };
  } else {
    const input = JSON.stringify({ word: `${name} ${step}` });
    yield { type: "tool-call", toolCallId: `step-${step}`, toolName: "mark", input };
  }
  const none = { total: undefined };
  yield {
    type: "finish",
    finishReason: { unified: isOver ? "stop" : "tool-calls", raw: undefined },
    usage: { inputTokens: none, outputTokens: none },
  };
}
