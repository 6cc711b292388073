/** Checks look at what strangers wrote: whatever it is, each of them comes to a finding. */
import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { Evidence, SceneRecord, Turn } from "./evidence.js";
import type { ProtocolVersion, SceneName } from "./requirement.js";
import { requirementsOf } from "./requirements-of.js";
import type { Line, Reply } from "./transcript.js";
import { wireSchema } from "./wire-schema.js";
import type { WireSchema } from "./wire-schema.js";

const WORDS = [
  "sessionId",
  "update",
  "sessionUpdate",
  "tool_call",
  "tool_call_update",
  "state_update",
  "toolCallId",
  "status",
  "content",
  "locations",
  "path",
  "options",
  "subject",
  "toolCall",
  "configOptions",
  "modes",
  "availableModes",
  "messageId",
  "sessions",
  "plan",
  "entries",
  "_meta",
  "protocolVersion",
  "agentCapabilities",
  "capabilities",
  "session",
  "authMethods",
  "idle",
  "completed",
  "s",
];
const METHODS = [
  "session/update",
  "session/request_permission",
  "session/prompt",
  "session/new",
  "fs/x",
  "_x",
];

/** Throws when converted to a number or a text. */
const NO_PRIMITIVE = { toString: 1, valueOf: 1 };

const word = fc.constantFrom(...WORDS);
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<unknown>(null, true, 1, 2, -1.5, "", undefined, { protocolVersion: NO_PRIMITIVE }),
    word,
    fc.array(tie("json"), { maxLength: 3 }),
    fc.dictionary(word, tie("json"), { maxKeys: 4 }),
  ),
}));
const update = fc.dictionary(word, json, { maxKeys: 5 }).chain((fields) =>
  fc.constantFrom("tool_call", "tool_call_update", "state_update", "plan_update").map((sessionUpdate) => ({
    ...fields,
    sessionUpdate,
  })),
);
const params = fc.oneof(json, fc.record({ sessionId: fc.constantFrom("s", 5), update }));
const message = fc.oneof(
  json,
  fc.record({ method: fc.constantFrom(...METHODS), params, id: fc.constantFrom(0, 1, "x", null) }),
  fc.record({ method: fc.constantFrom(...METHODS), params }),
  fc.record({ id: fc.constantFrom(0, 1, null), result: json }),
  fc.record({ id: fc.constantFrom(0, 1), error: json }),
);
const lines: fc.Arbitrary<readonly Line[]> = fc
  .array(fc.tuple(fc.constantFrom<Line["from"]>("agent", "client"), message, fc.boolean()), {
    minLength: 1,
    maxLength: 8,
  })
  .map((all) =>
    all.map(([from, one, isUtf8], at) => ({
      at,
      from,
      text: JSON.stringify(one ?? null),
      message: one,
      isUtf8,
    })),
  );

const replyTo = (all: readonly Line[]): fc.Arbitrary<Reply> => {
  const head = { lines: all, asked: 0, method: "session/new" };
  const at = all.length - 1;
  return fc.oneof(
    json.map((result): Reply => ({ ...head, kind: "result", result, at })),
    json.map((error): Reply => ({ ...head, kind: "error", error, at })),
    fc.constant<Reply>({ ...head, kind: "none", why: "no answer" }),
  );
};

/** Every step that a check may ask for is there. */
class AnyStep<Value> extends Map<string, Value> {
  readonly #value: Value;
  constructor(value: Value) {
    super([["any", value]]);
    this.#value = value;
  }
  override get(): Value {
    return this.#value;
  }
}

const scene = (name: SceneName): fc.Arbitrary<SceneRecord> =>
  lines.chain((all) =>
    fc.tuple(replyTo(all), fc.option(fc.nat(all.length - 1), { nil: undefined })).map(([reply, end]) => {
      const turn: Turn = { sessionId: "s", reply, end, interruptedAt: end };
      return {
        name,
        conversations: [all, all],
        replies: new AnyStep(reply),
        turns: new AnyStep(turn),
        stopped: undefined,
        endedByItself: true,
        stderrBytes: 0,
      };
    }),
  );

describe.each<ProtocolVersion>([1, 2])("ACP v%s", (version) => {
  const requirements = requirementsOf(version);
  const names = [...new Set(requirements.flatMap(({ scenes }) => scenes))];
  let schema: WireSchema;
  beforeAll(async () => void (schema = await wireSchema(version)));

  test("returns a finding from every check, whatever the agent wrote", () => {
    fc.assert(
      fc.property(fc.tuple(...names.map(scene)), (records) => {
        const evidence: Evidence = {
          version,
          schema,
          scenes: new Map(records.map((record) => [record.name, record] as const)),
        };
        for (const { check, id } of requirements)
          expect(["pass", "fail", "not tested"], id).toContain(check(evidence).verdict);
      }),
      { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 15) },
    );
  });

  test("passes nothing without evidence, except informative requirements", () => {
    const evidence: Evidence = { version, schema, scenes: new Map() };
    const passed = requirements.filter(({ check }) => check(evidence).verdict === "pass");
    expect(passed.filter(({ level }) => level !== "info").map(({ id }) => id)).toEqual([]);
  });
});
