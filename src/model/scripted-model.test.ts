import type { LanguageModelV3Prompt, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { RequestNotes } from "./scripted-model.js";
import { BadScript, parseScript } from "./script.js";
import { asProviderOptions, scriptedModel } from "./scripted-model.js";

const script = parseScript({
  steps: [
    {
      think: "Hm.",
      say: "I look at it.",
      calls: [{ tool: "read_file", input: { path: "a/long/path/to/a/file.txt" } }],
    },
    { calls: [{ tool: "edit_file", input: {} }], otherwise: [{ say: "Then not." }] },
    { say: "Done." },
  ],
});

const user: LanguageModelV3Prompt[number] = { role: "user", content: [{ type: "text", text: "go" }] };

/** A response of the model in the history, and the result of its call. */
const answered = (type: "text" | "error-text"): LanguageModelV3Prompt => [
  { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "t", input: {} }] },
  {
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "c", toolName: "t", output: { type, value: "" } }],
  },
];

async function parts(
  prompt: LanguageModelV3Prompt,
  abortSignal?: AbortSignal,
  notes: RequestNotes = {},
): Promise<LanguageModelV3StreamPart[]> {
  const { stream } = await scriptedModel(script).doStream({
    prompt,
    providerOptions: asProviderOptions(notes),
    ...(abortSignal && { abortSignal }),
  });
  const all: LanguageModelV3StreamPart[] = [];
  for await (const part of stream) all.push(part);
  return all;
}

const said = (all: readonly LanguageModelV3StreamPart[]) =>
  all.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");

test("plays the first step for an empty history, in chunks like a real model", async () => {
  const all = await parts([user]);
  expect(all.map(({ type }) => type)).toEqual([
    "stream-start",
    "reasoning-start",
    "reasoning-delta",
    "reasoning-end",
    "text-start",
    "text-delta",
    "text-delta",
    "text-delta",
    "text-delta",
    "text-end",
    "tool-input-start",
    "tool-input-delta",
    "tool-input-delta",
    "tool-input-end",
    "tool-call",
    "finish",
  ]);
  expect(said(all)).toBe("I look at it.");
  const input = all.map((part) => (part.type === "tool-input-delta" ? part.delta : "")).join("");
  expect(all.find(({ type }) => type === "tool-call")).toMatchObject({ toolName: "read_file", input });
  expect(JSON.parse(input)).toEqual({ path: "a/long/path/to/a/file.txt" });
});

test("counts each response in the history as a finished step", async () => {
  expect(said(await parts([user, ...answered("text"), ...answered("text")]))).toBe("Done.");
});

test("continues with `otherwise` when a call was not done, if the step has one", async () => {
  expect(said(await parts([user, ...answered("text"), ...answered("error-text")]))).toBe("Then not.");
  expect(said(await parts([user, ...answered("error-text"), ...answered("text")]))).toBe("Done.");
});

test("says that the script is over after the last step", async () => {
  expect(said(await parts([user, ...answered("text"), ...answered("text"), ...answered("text")]))).toBe(
    "(The script is over.)",
  );
});

test("gives the same response for the same history", async () => {
  const histories = fc.array(fc.constantFrom("text" as const, "error-text" as const), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(histories, async (outcomes) => {
      const prompt = [user, ...outcomes.flatMap(answered)];
      expect(await parts(prompt)).toEqual(await parts(structuredClone(prompt)));
    }),
    { numRuns: 30 },
  );
});

test("stops when aborted", async () => {
  await expect(parts([user], AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
});

test.each([
  ["nothing", undefined],
  ["no steps", { steps: [] }],
  ["a field nobody knows", { steps: [{ says: "hi" }] }],
  ["a call without a tool", { steps: [{ calls: [{ input: {} }] }] }],
])("refuses a script with %s and says what is wrong", (_, json) => {
  expect(() => parseScript(json)).toThrow(BadScript);
  expect(() => parseScript(json)).toThrow(/Nothing was started/);
});

test("recognises a sub-agent by its first prompt and plays the steps of its call", async () => {
  const model = scriptedModel(
    parseScript({
      steps: [
        {
          calls: [
            { tool: "task", input: { prompt: "Look." }, subAgent: [{ say: "I see." }, { say: "Over." }] },
          ],
          otherwise: [
            { calls: [{ tool: "task", input: { prompt: "Look again." }, subAgent: [{ say: "Again." }] }] },
          ],
        },
        { say: "Done." },
      ],
    }),
  );
  const words = async (...prompt: LanguageModelV3Prompt) => {
    const { stream } = await model.doStream({ prompt });
    const all: LanguageModelV3StreamPart[] = [];
    for await (const part of stream) all.push(part);
    return said(all);
  };
  const userMessage = (text: string) => ({
    role: "user" as const,
    content: [{ type: "text" as const, text }],
  });
  expect(await words({ role: "system", content: "x" }, userMessage("Look."))).toBe("I see.");
  expect(await words(userMessage("Look."), ...answered("text"))).toBe("Over.");
  expect(await words(userMessage("Look again."))).toBe("Again.");
  expect(await words(user, ...answered("text"))).toBe("Done.");
});

test("goes on after the steps that a summary replaces, and knows how they ended", async () => {
  const after = async (compacted: readonly boolean[], prompt: LanguageModelV3Prompt) =>
    said(await parts([user, ...prompt], undefined, { compacted }));
  expect(await after([false], [])).toBe("");
  expect(await after([false, false], [])).toBe("Done.");
  expect(await after([false, true], [])).toBe("Then not.");
  expect(await after([false], answered("text"))).toBe("Done.");
  expect(await after([false, true], answered("text"))).toBe("(The script is over.)");
});

test("spends no step on a summary", async () => {
  const summary = await parts([user, ...answered("text"), user], undefined, { isSummary: true });
  expect(said(summary)).toBe("(Steps of the script so far: 1.)");
  expect(summary.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "stop" } });
});
