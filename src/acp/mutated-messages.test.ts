/** Messages with something wrong in them: the strict reader and the SDK's schema must agree, or the difference has a name. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { calls, CWD, SESSION_ID } from "../call/calls.samples.js";
import type { SessionEvent } from "../call/index.js";
import { SessionBook } from "../call/index.js";
import { schemaCheck, VERSIONS } from "./codec.samples.js";
import type { Codec } from "./codec.samples.js";
import { encodeV1Event } from "./v1/agent-dialect.js";
import { encodeV2Event } from "./v2/agent-dialect.js";

const RUNS = { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 60) };

const otherEvents: readonly SessionEvent[] = [
  { type: "message-chunk", at: 0, messageId: "m1", role: "agent", block: { type: "text", text: "hello" } },
  {
    type: "message-chunk",
    at: 0,
    messageId: "m2",
    role: "thought",
    block: { type: "image", data: "aaaa", mimeType: "image/png" },
  },
  { type: "mode-changed", at: 0, modeId: "ask" },
  { type: "info-changed", at: 0, info: { title: "A session" } },
  {
    type: "plan-updated",
    at: 0,
    entries: [
      { content: "one", priority: "high", status: "cancelled", toolCallIds: ["call_1"] },
      { content: "two", priority: "low", status: "in_progress" },
    ],
  },
];

function messages({ version, encoder }: Codec): fc.Arbitrary<unknown> {
  const encodeEvent = version === 1 ? encodeV1Event : encodeV2Event;
  const others = otherEvents.flatMap((event) => encodeEvent(event) ?? []);
  const updates = fc.tuple(calls, calls).chain(([before, after]) => {
    const twice = encoder();
    return fc.constantFrom(...twice.encode(before), ...twice.encode({ ...after, state: before.state }));
  });
  return fc.oneof({ weight: 5, arbitrary: updates }, { weight: 1, arbitrary: fc.constantFrom(...others) });
}

type Mutation = {
  readonly where: number;
  readonly how: "replace" | "delete" | "null" | "rename";
  readonly value: unknown;
};

/** Values that are nearly right, and values that are not. */
const values = fc.oneof(
  fc.constantFrom<unknown>(
    "",
    "text",
    "_vendor",
    0,
    1,
    -1,
    1.5,
    2 ** 40,
    true,
    [],
    {},
    [null],
    [{}],
    "/abs",
    "rel/path",
  ),
  fc.constantFrom<unknown>(
    { type: "text", text: "bare" },
    [{ type: "text", text: "bare" }],
    { _meta: 5 },
    "completed",
    "cancelled",
    "browse",
  ),
  fc.jsonValue({ maxDepth: 1 }),
);

const mutations: fc.Arbitrary<Mutation> = fc.record({
  where: fc.nat(),
  how: fc.constantFrom("replace", "delete", "null", "rename"),
  value: values,
});

type Spot = { readonly owner: Record<string, unknown>; readonly key: string };

function spots(value: unknown): Spot[] {
  if (typeof value !== "object" || value === null) return [];
  // Arrays are objects with index keys here.
  const owner = value as Record<string, unknown>;
  return Object.keys(owner).flatMap((key) => [{ owner, key }, ...spots(owner[key])]);
}

function mutated(message: unknown, { where, how, value }: Mutation): unknown {
  const copy: unknown = JSON.parse(JSON.stringify(message));
  const all = spots(copy);
  const { owner, key } = all[where % all.length]!;
  if (how === "replace") owner[key] = value;
  else if (how === "null") owner[key] = null;
  else {
    if (how === "rename") owner[`${key}x`] = owner[key];
    if (Array.isArray(owner)) owner.splice(Number(key), 1);
    else delete owner[key];
  }
  return JSON.parse(JSON.stringify(copy));
}

/** A session that knows every call that is updated, and none that is started: only the message is judged. */
function someSession(update: unknown): SessionBook {
  const { toolCallId, sessionUpdate } = update as { toolCallId?: unknown; sessionUpdate?: unknown };
  const isKnown = typeof toolCallId === "string" && sessionUpdate !== "tool_call";
  return new SessionBook(
    SESSION_ID,
    isKnown
      ? [
          {
            type: "call-announced",
            toolCallId,
            at: 0,
            name: "",
            title: "",
            kind: "other",
            kindSource: "declared",
          },
        ]
      : [],
  );
}

/** Repairs that a valid message may need: the schema does not say all that the protocol says. */
const UNKNOWN_TO_SCHEMA = new Set(["forged-meta", "line-zero", "relative-path"]);

const repairsIn = (events: readonly SessionEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "traffic-repaired" ? event.repair.repair : []));

describe.each(VERSIONS)("ACP v$version", (codec) => {
  const check = schemaCheck(codec);

  test("the strict reader's verdict is the schema's, or a named repair", () => {
    fc.assert(
      fc.property(messages(codec), mutations, (message, mutation) => {
        const update = mutated(message, mutation);
        const session = someSession(update);
        const result = new codec.reader({ session, cwd: CWD, mode: "strict" }).read(update, 1);
        const isValid = check(update) === null;
        if (!result.ok) {
          expect({ isValid, problem: result.problem }).toMatchObject({ isValid: false });
          return;
        }
        session.applyAll(result.events);
        const repairs = repairsIn(result.events);
        if (isValid) expect(repairs.filter((name) => !UNKNOWN_TO_SCHEMA.has(name))).toEqual([]);
        else expect(repairs).not.toEqual([]);
      }),
      RUNS,
    );
  });

  test("the lenient reader takes whatever names its call, and its events can be applied", () => {
    fc.assert(
      fc.property(messages(codec), mutations, mutations, fc.boolean(), (message, first, second, isKnown) => {
        const update = mutated(mutated(message, first), second);
        const session = isKnown ? someSession(update) : new SessionBook(SESSION_ID);
        const result = new codec.reader({ session, cwd: CWD, mode: "lenient" }).read(update, 1);
        if (result.ok) session.applyAll(result.events);
        else expect(result.problem).toMatch(/must/);
      }),
      RUNS,
    );
  });
});
