/** Our terminals in the `_meta.terminal_*` dialect, the client's own terminals, and other agents' `_meta` read back. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { callAfter, lives } from "../../call/calls.samples.js";
import { appendText, boundText, EMPTY_TEXT, SessionBook, shownText } from "../../call/index.js";
import type { SessionEvent, TerminalContent, ToolCall } from "../../call/index.js";
import { Receiver, READ_AT, schemaCheck, VERSIONS } from "../codec.samples.js";
import { expectedCall } from "../expected-call.samples.js";
import { V1Encoder } from "./encoder.js";

const RUNS = { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 40) };
const [v1] = VERSIONS;
const check = schemaCheck(v1);
const toolCallId = "call_1";

/** The call that a v1 reader gets, with terminals as terminals and not as text. */
function seenWithTerminals(call: ToolCall): ToolCall {
  const seen = expectedCall(1, call, { withToolgate: true, at: READ_AT });
  // A diff with hunks is one item for each.
  const owners = call.content.flatMap((item) =>
    item.type === "diff" && item.hunks ? item.hunks.map(() => item) : [item],
  );
  const content = seen.content.map((item, index) => {
    const own = owners[index];
    return own?.type === "terminal" && own.output
      ? { ...own, output: boundText(shownText(own.output)) }
      : item;
  });
  return { ...seen, content };
}

const steps = (...events: object[]): readonly SessionEvent[] =>
  [
    { type: "call-announced", name: "terminal", title: "Run ls", kind: "execute", kindSource: "declared" },
    { type: "input-ready", rawInput: { command: "ls" } },
    { type: "call-cleared" },
    { type: "run-started" },
    ...events,
    // Written out with what all of them have.
  ].map((event, index) => ({ toolCallId, at: index, ...event }) as SessionEvent);

const shows = (content: Partial<TerminalContent>) => ({
  type: "content-appended",
  content: { type: "terminal", terminalId: toolCallId, ...content },
});
const prints = (text: string) => ({ type: "terminal-output", terminalId: toolCallId, text });

/** The messages to the client after each event. */
function sent(encoder: V1Encoder, events: readonly SessionEvent[]): object[] {
  const book = new SessionBook("s");
  return events.flatMap((event) => {
    book.apply(event);
    return encoder.encode(book.call(toolCallId)!).map(inShort);
  });
}

function inShort(update: object): object {
  const { sessionUpdate, status, content, _meta } = update as Record<string, unknown>;
  const { toolgate: _, ...meta } = (_meta ?? {}) as Record<string, unknown>;
  return {
    sessionUpdate,
    ...(status !== undefined && { status }),
    ...(content !== undefined && { content }),
    ...meta,
  };
}

describe("Toolgate's terminals for a client that asked for them in _meta", () => {
  test("opens a terminal in a tool_call and sends its output in pieces, each once", () => {
    const messages = sent(
      new V1Encoder({ terminalDialect: "meta" }),
      steps(
        shows({ output: EMPTY_TEXT }),
        prints("one\n"),
        prints("two\n"),
        { type: "terminal-exited", terminalId: toolCallId, exit: { exitCode: 3 } },
        { type: "call-done" },
      ),
    );
    const content = [{ type: "terminal", terminalId: toolCallId }];
    const of = { terminal_id: toolCallId };
    expect(messages.slice(4)).toEqual([
      { sessionUpdate: "tool_call", status: "in_progress", content, terminal_info: of },
      { sessionUpdate: "tool_call_update", terminal_output: { ...of, data: "one\n" } },
      { sessionUpdate: "tool_call_update", terminal_output: { ...of, data: "two\n" } },
      { sessionUpdate: "tool_call_update", terminal_exit: { ...of, exit_code: 3, signal: null } },
      { sessionUpdate: "tool_call_update", status: "completed", content },
    ]);
  });

  test("sends the terminal before the end of a call that is sent only when it is over", () => {
    const call = callAfter(steps(shows({ output: EMPTY_TEXT }), prints("all\n"), { type: "call-done" }));
    expect(new V1Encoder({ terminalDialect: "meta" }).encode(call).map(inShort)).toEqual([
      {
        sessionUpdate: "tool_call",
        status: "pending",
        content: [{ type: "terminal", terminalId: toolCallId }],
        terminal_info: { terminal_id: toolCallId },
      },
      { sessionUpdate: "tool_call_update", terminal_output: { terminal_id: toolCallId, data: "all\n" } },
      {
        sessionUpdate: "tool_call_update",
        status: "completed",
        content: [{ type: "terminal", terminalId: toolCallId }],
      },
    ]);
  });

  test("says so when a terminal printed more than is kept", () => {
    const encoder = new V1Encoder({ terminalDialect: "meta" });
    const messages = sent(
      encoder,
      steps(shows({ output: EMPTY_TEXT }), prints("a"), {
        ...prints("z"),
        skipped: 1_000_000,
      }),
    );
    expect(JSON.stringify(messages.at(-1))).toContain("left out");
  });

  test("folds terminals to the same call at the receiver, for any events and any batching", () => {
    fc.assert(
      fc.property(lives(), fc.array(fc.boolean(), { maxLength: 40 }), (life, sends) => {
        const encoder = new V1Encoder({ terminalDialect: "meta" });
        const far = new Receiver(v1);
        const book = new SessionBook("session-1");
        life.forEach((event: SessionEvent, index) => {
          book.apply(event);
          if (sends[index] === false && index < life.length - 1) return;
          const updates = encoder.encode(book.call(toolCallId)!);
          far.receive(updates);
          for (const update of updates) expect(check(JSON.parse(JSON.stringify(update)))).toBeNull();
        });
        expect(far.repairs()).toEqual([]);
        expect(far.call()).toEqual(seenWithTerminals(callAfter(life)));
      }),
      RUNS,
    );
  });
});

test("shows a reported change as done when the call ends without a start", () => {
  const encoder = new V1Encoder({ terminalDialect: "meta" });
  const added = {
    type: "content-appended",
    toolCallId,
    at: 2,
    content: { type: "diff", operation: "add", path: "/a", fileType: "binary" },
  } as const;
  const events = steps({ type: "child-awaited", childSessionId: "child-1" }, { type: "call-done" });
  const messages = sent(encoder, events.filter(({ type }) => type !== "run-started").toSpliced(2, 0, added));
  expect(JSON.stringify(messages.at(-2))).not.toContain("Added binary");
  expect(JSON.stringify(messages.at(-1))).toContain("Added binary /a");
});

describe("the client's own terminals", () => {
  const running = steps(shows({ clientTerminalId: "term_7", output: EMPTY_TEXT }), prints("x\n"));

  test.each(["text", "meta"] as const)(
    "names the client's terminal while the call runs (%s), and does not send it again when it prints",
    (terminalDialect) => {
      const content = [{ type: "terminal", terminalId: "term_7" }];
      const messages = sent(new V1Encoder({ terminalDialect }), [
        ...running,
        ...steps({ type: "call-done" }).slice(-1),
      ]);
      expect(messages.slice(4)).toEqual([
        { sessionUpdate: "tool_call_update", content },
        { sessionUpdate: "tool_call_update", status: "completed", content },
      ]);
    },
  );

  test("shows the client's terminal as text when it belongs to an earlier connection", () => {
    const call = callAfter([...running, ...steps({ type: "call-done" }).slice(-1)]);
    expect(new V1Encoder().encode(call)).toMatchObject([
      { content: [{ type: "content", content: { type: "text", text: "x\n" } }] },
    ]);
  });
});

describe("another agent's terminals in _meta", () => {
  const start = { sessionUpdate: "tool_call", toolCallId: "c1", title: "Bash", kind: "execute" };
  const update = { sessionUpdate: "tool_call_update", toolCallId: "c1" };
  const content = [{ type: "terminal", terminalId: "c1" }];

  function after(...updates: object[]) {
    const far = new Receiver(v1, "lenient");
    far.receive(updates);
    return { call: far.call("c1")!, repairs: far.repairs() };
  }

  test("claude-agent-acp's: all of the output just before the end", () => {
    const { call, repairs } = after(
      {
        ...start,
        content,
        rawInput: {},
        _meta: { terminal_info: { terminal_id: "c1" }, claudeCode: { toolName: "Bash" } },
      },
      { ...update, status: "in_progress" },
      { ...update, _meta: { terminal_output: { terminal_id: "c1", data: "hi\n" } } },
      {
        ...update,
        status: "completed",
        content,
        _meta: { terminal_exit: { terminal_id: "c1", exit_code: 0, signal: null } },
      },
    );
    expect(call.content).toEqual([
      { type: "terminal", terminalId: "c1", output: boundText("hi\n"), exit: { exitCode: 0 } },
    ]);
    expect(call).toMatchObject({ state: { status: "done" }, _meta: { claudeCode: { toolName: "Bash" } } });
    expect(repairs).toEqual([]);
  });

  test("codex-acp's: pieces under either name, for a terminal that no content shows", () => {
    const { call } = after(
      { ...start, status: "in_progress", _meta: { terminal_info: { terminal_id: "t" } } },
      { ...update, _meta: { terminal_output: { terminal_id: "t", data: "a" } } },
      { ...update, _meta: { terminal_output_delta: { terminal_id: "t", data: "b" } } },
      { ...update, status: "failed", _meta: { terminal_exit: { terminal_id: "t", exit_code: 2 } } },
    );
    expect(call.content).toEqual([
      { type: "terminal", terminalId: "t", output: appendText(boundText("a"), "b"), exit: { exitCode: 2 } },
    ]);
    expect(call._meta).toBeUndefined();
  });

  test("output and the end in one message: the output is there", () => {
    const { call } = after(
      { ...start, status: "in_progress" },
      {
        ...update,
        status: "completed",
        content,
        _meta: {
          terminal_output: { terminal_id: "c1", data: "x" },
          terminal_exit: { terminal_id: "c1", exit_code: 0 },
        },
      },
    );
    expect(call.content).toMatchObject([{ output: boundText("x"), exit: { exitCode: 0 } }]);
  });

  test("output that comes when the call has ended changes nothing", () => {
    const { call, repairs } = after(
      { ...start, status: "in_progress", content },
      { ...update, status: "completed" },
      { ...update, _meta: { terminal_output: { terminal_id: "c1", data: "late" } } },
    );
    expect(call.content).toEqual(content);
    expect(repairs).toEqual(["late-update"]);
  });

  test("a _meta of another shape is somebody's, and stays as it came", () => {
    const _meta = { terminal_output: true, terminal_exit: { terminal_id: 5 } };
    expect(after({ ...start, _meta }).call).toMatchObject({ _meta, content: [] });
  });
});
