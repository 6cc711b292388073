/** Every JSON example of the documents that Toolgate is made from: read, folded, written again. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Receiver, VERSIONS, withoutToolgate } from "../codec.samples.js";
import type { Question, QuestionOption } from "../../call/index.js";
import { V1Encoder } from "./encoder.js";
import { encodeV1Event } from "./agent-dialect.js";
import { encodeV1Permission, readV1Outcome, readV1Permission } from "./permission.js";

/** The shapes of the examples: a message's params, a result, or just an update. */
type Example = {
  readonly params: { readonly update: Record<string, unknown>; readonly options: readonly QuestionOption[] };
  readonly update: { readonly content: readonly unknown[]; readonly entries: readonly unknown[] };
  readonly result: unknown;
};

const seed = (name: string): Record<string, Example> =>
  JSON.parse(readFileSync(new URL(`../../../test/fixtures/seeds/${name}.json`, import.meta.url), "utf8"));

const [v1] = VERSIONS;

describe("the ACP tool-calls page", () => {
  const examples = seed("acp-tool-calls");
  const example = (name: string): Example => examples[name]!;
  const creating = example("creating");
  const updating = example("updating");
  const requestingPermission = example("requestingPermission");

  test("creating and updating a call", () => {
    const far = new Receiver(v1);
    const encoder = new V1Encoder();
    far.receive([creating.params.update]);
    expect(encoder.encode(far.call("call_001")!).map(withoutToolgate)).toEqual([creating.params.update]);
    far.receive([updating.params.update]);
    expect(encoder.encode(far.call("call_001")!).map(withoutToolgate)).toEqual([updating.params.update]);
    expect(far.call("call_001")).toMatchObject({
      title: "Reading configuration file",
      kind: "read",
      state: { status: "running" },
    });
    expect(far.repairs()).toEqual([]);
  });

  const question: Question = {
    questionId: "q1",
    sessionId: "sess_abc123def456",
    toolCallId: "call_001",
    intentHash: "",
    title: "Reading configuration file",
    options: requestingPermission.params.options,
    askedAt: 0,
  };

  test("requesting permission offers the options, with the call repeated for clients that show nothing else", () => {
    const asked = readV1Permission(requestingPermission.params)!;
    expect(asked).toEqual(requestingPermission.params);
    const far = new Receiver(v1);
    far.receive([creating.params.update]);
    const request = encodeV1Permission({ ...question, options: asked.options }, far.call("call_001")!);
    expect(withoutToolgate(request)).toEqual({
      ...requestingPermission.params,
      toolCall: {
        toolCallId: "call_001",
        title: "Reading configuration file",
        kind: "read",
        status: "pending",
      },
    });
  });

  test("the client's answers", () => {
    expect(readV1Outcome(example("selected").result, question)).toEqual({
      type: "selected",
      optionId: "allow-once",
    });
    expect(readV1Outcome(example("cancelled").result, question)).toBe("cancelled");
  });

  test.each(["regularContent", "diff", "terminal"])("%s as a call's content", (name) => {
    const far = new Receiver(v1);
    const update = {
      sessionUpdate: "tool_call",
      toolCallId: "call_001",
      title: "A call",
      status: "pending",
      content: [example(name)],
    };
    far.receive([update]);
    expect(new V1Encoder().encode(far.call("call_001")!).map(withoutToolgate)).toEqual([update]);
  });

  test("a location to follow", () => {
    const far = new Receiver(v1);
    const update = {
      sessionUpdate: "tool_call",
      toolCallId: "call_001",
      title: "A call",
      status: "pending",
      locations: [example("location")],
    };
    far.receive([update]);
    expect(new V1Encoder().encode(far.call("call_001")!).map(withoutToolgate)).toEqual([update]);
  });
});

describe("crow-agent's tool-calls page", () => {
  const examples = seed("crow-agent-tool-calls");
  const update = (name: string): Example["update"] => examples[name]!.update;

  test.each([
    ["a file that is read", "readStarted", "readCompleted", "call_abc123"],
    ["a command that is run", "commandStarted", "commandCompleted", "call_def456"],
  ])("%s: its bare text is wrapped, and the repair is on record", (_, started, completed, toolCallId) => {
    const far = new Receiver(v1, "lenient");
    const encoder = new V1Encoder();
    far.receive([update(started)]);
    expect(encoder.encode(far.call(toolCallId)!).map(withoutToolgate)).toEqual([update(started)]);
    far.receive([update(completed)]);
    const { content, ...rest } = update(completed);
    expect(encoder.encode(far.call(toolCallId)!).map(withoutToolgate)).toEqual([
      { ...rest, content: [{ type: "content", content: content[0] }] },
    ]);
    expect(far.repairs()).toEqual(["bare-block"]);
  });

  test("a bare text is not taken from our own traffic", () => {
    const far = new Receiver(v1);
    far.receive([update("readStarted")]);
    expect(() => far.receive([update("readCompleted")])).toThrow("bare-block");
  });

  test("a failure for a call that was never announced is shown, and both repairs are on record", () => {
    const far = new Receiver(v1, "lenient");
    far.receive([update("failed")]);
    expect(far.call("call_xyz789")).toMatchObject({
      title: "Tool call",
      state: { status: "failed", error: "Error: file not found", assumed: false },
    });
    expect(far.repairs()).toEqual(["bare-block", "unknown-id"]);
  });

  test("a plan", () => {
    const far = new Receiver(v1);
    const [event] = far.receive([update("plan")]);
    expect(far.book.snapshot().plan).toEqual(update("plan").entries);
    expect(encodeV1Event(event!)).toEqual(update("plan"));
  });
});
