/** v2: prompts that are accepted, the state that says what became of them, questions, and cancellation. */
import { isJsonObject } from "../../json.js";
import type { JsonObject } from "../../json.js";
import { conversations, LOGIN, onReply, onTurn, wantsLogin, whenAdvertised } from "../evidence.js";
import type { Evidence, Turn } from "../evidence.js";
import { failed, PASS, untested } from "../requirement.js";
import type { Finding, Requirement, SceneName } from "../requirement.js";
import { fromAgent, isResponse, requestsIn, shown, shownReply, updatesIn } from "../transcript.js";
import type { Line } from "../transcript.js";

const STOP_REASONS = new Set<unknown>([
  "end_turn",
  "max_tokens",
  "max_turn_requests",
  "refusal",
  "cancelled",
  "error",
]);
const CLIENT_METHODS = new Set([
  "session/update",
  "session/request_permission",
  "elicitation/create",
  "elicitation/complete",
]);

/** The updates about the session from the prompt on, to the end of the turn. */
const updatesOf = ({ reply, end, sessionId }: Turn) =>
  updatesIn(reply.lines.slice(reply.asked, end === undefined ? undefined : end + 1)).filter(
    (update) => update.sessionId === sessionId,
  );

const lastUpdate = (turn: Turn): JsonObject | undefined => {
  const line = turn.end === undefined ? undefined : turn.reply.lines[turn.end];
  return line && updatesIn([line])[0]?.update;
};

const messageIdOf = ({ reply }: Turn): unknown =>
  reply.kind === "result" && isJsonObject(reply.result) ? reply.result["messageId"] : undefined;

const endLine = ({ reply, end }: Turn): string => {
  const line: Line | undefined = end === undefined ? undefined : reply.lines[end];
  return line ? shown(line) : `no idle state: ${shownReply(reply)}`;
};

const reached =
  (scene: SceneName, step: string) =>
  (evidence: Evidence): Finding =>
    onTurn(evidence, [scene, step], (turn) => {
      if (wantsLogin(turn.reply)) return untested(LOGIN);
      return turn.reply.kind === "result" && turn.end !== undefined ? PASS : failed(endLine(turn));
    });

const TOO_LATE = "the turn was over before it could be interrupted; give a longer one with --cancel-prompt";

const onInterrupted =
  (scene: SceneName, judge: (turn: Turn, stopReason: unknown) => Finding) =>
  (evidence: Evidence): Finding =>
    onTurn(evidence, [scene, "prompt"], (turn) =>
      turn.interruptedAt === undefined ? untested(TOO_LATE) : judge(turn, lastUpdate(turn)?.["stopReason"]),
    );

const isCancelled = (turn: Turn, stopReason: unknown): Finding =>
  stopReason === "cancelled" ? PASS : failed(endLine(turn));

const takes = (id: string, what: string, capability: string): Requirement => ({
  id,
  level: "capability",
  text: `A prompt with ${what} is taken when session.prompt.${capability} is advertised.`,
  scenes: ["contents"],
  check: (evidence) =>
    whenAdvertised(evidence, ["contents", `session.prompt.${capability}`], () =>
      reached("contents", `prompt with ${capability}`)(evidence),
    ),
});

function validUpdates(evidence: Evidence): Finding {
  return onTurn(evidence, ["turn", "prompt"], ({ reply, end, sessionId }) => {
    for (const line of fromAgent(reply.lines.slice(reply.asked, end))) {
      if (!isJsonObject(line.message) || line.message["method"] !== "session/update") continue;
      const { params } = line.message;
      const problem = evidence.schema.problem("UpdateSessionNotification", params);
      if (problem !== undefined) return failed(`${problem}: ${shown(line)}`);
      if (isJsonObject(params) && params["sessionId"] !== sessionId)
        return failed(`not the session that was prompted: ${shown(line)}`);
    }
    return PASS;
  });
}

function reportsThePrompt(turn: Turn): Finding {
  const messageId = messageIdOf(turn);
  const isReported = updatesOf(turn).some(
    ({ update }) =>
      (update["sessionUpdate"] === "user_message" || update["sessionUpdate"] === "user_message_chunk") &&
      update["messageId"] === messageId,
  );
  return isReported ? PASS : failed(`no user_message with messageId ${JSON.stringify(messageId)}`);
}

const isState = (update: JsonObject, state: string): boolean =>
  update["sessionUpdate"] === "state_update" && update["state"] === state;

const hasRun = (turn: Turn): boolean => updatesOf(turn).some(({ update }) => isState(update, "running"));

/** Judges a turn that was seen to run. */
const whenRunning =
  (judge: (turn: Turn) => Finding) =>
  (evidence: Evidence): Finding =>
    onTurn(evidence, ["turn", "prompt"], (turn) =>
      hasRun(turn) ? judge(turn) : untested("no state running was seen"),
    );

function goodQuestions(evidence: Evidence): Finding {
  const asked = conversations(evidence, ["turn"])
    .flatMap(requestsIn)
    .filter(({ method }) => method === "session/request_permission");
  if (asked.length === 0)
    return untested("the agent asked for no permission; give it a --prompt that makes it do so");
  for (const { line, params } of asked) {
    const problem = evidence.schema.problem("RequestPermissionRequest", params);
    if (problem !== undefined) return failed(`${problem}: ${shown(line)}`);
    if (params["title"] === "") return failed(`the title is empty: ${shown(line)}`);
  }
  return reached("turn", "prompt")(evidence);
}

const session = { level: "capability", scenes: ["turn"] } as const;
const cancelled = { level: "capability", scenes: ["cancelled"] } as const;

export const PROMPTS_V2: readonly Requirement[] = [
  {
    ...session,
    id: "ACP-PROMPT-201",
    text: "A prompt is accepted with a messageId that is not empty.",
    check: (evidence) =>
      onTurn(evidence, ["turn", "prompt"], (turn) => {
        if (wantsLogin(turn.reply)) return untested(LOGIN);
        const messageId = messageIdOf(turn);
        return typeof messageId === "string" && messageId !== "" ? PASS : failed(shownReply(turn.reply));
      }),
  },
  {
    ...session,
    id: "ACP-PROMPT-203",
    text: "The prompt is reported as a user message with the messageId of its answer.",
    check: (evidence) => onTurn(evidence, ["turn", "prompt"], reportsThePrompt),
  },
  {
    ...session,
    id: "ACP-PROMPT-205",
    text: "Every update of a turn is valid and carries the id of the prompted session.",
    check: validUpdates,
  },
  {
    id: "ACP-PROMPT-003",
    level: "advisory",
    text: "A prompt with a resource_link is taken.",
    scenes: ["contents"],
    check: reached("contents", "prompt with link"),
  },
  takes("ACP-PROMPTCAP-001", "an image", "image"),
  takes("ACP-PROMPTCAP-002", "audio", "audio"),
  takes("ACP-PROMPTCAP-003", "an embedded resource", "embeddedContext"),
  {
    id: "ACP-META-001",
    level: "advisory",
    text: "A prompt with _meta is taken.",
    scenes: ["contents"],
    check: reached("contents", "prompt with meta"),
  },
  {
    ...session,
    id: "ACP-STATE-201",
    text: "The idle state that ends a turn comes after a running one.",
    check: (evidence) =>
      onTurn(evidence, ["turn", "prompt"], (turn) => {
        if (turn.end === undefined) return untested("no idle state with a stopReason was seen");
        return hasRun(turn) ? PASS : failed(endLine(turn));
      }),
  },
  {
    ...session,
    id: "ACP-STATE-202",
    text: "A turn that runs becomes idle.",
    check: whenRunning((turn) => (turn.end === undefined ? failed("it did not become idle in time") : PASS)),
  },
  {
    ...session,
    id: "ACP-STATE-203",
    text: "The idle state that ends a turn has a stopReason of the protocol, or one that begins with _.",
    check: whenRunning((turn) => {
      const reason = lastUpdate(turn)?.["stopReason"];
      return STOP_REASONS.has(reason) || (typeof reason === "string" && reason.startsWith("_"))
        ? PASS
        : failed(endLine(turn));
    }),
  },
  {
    ...session,
    id: "ACP-PERM-201",
    text: "A permission request has a title and options, and the turn goes on to its end when it is answered.",
    check: goodQuestions,
  },
  {
    ...session,
    id: "ACP-CLIENTCAP-201",
    text: "elicitation/create is never called on a client that does not offer it.",
    check: (evidence) => neverAsks(evidence, (method) => method === "elicitation/create"),
  },
  {
    ...session,
    id: "ACP-CLIENTCAP-202",
    text: "Only methods of the protocol are called on the client, or such as begin with _.",
    check: (evidence) =>
      neverAsks(evidence, (method) => !CLIENT_METHODS.has(method) && !/^(?:_|\$\/)/.test(method)),
  },
  {
    ...cancelled,
    id: "ACP-CANCEL-201",
    text: "A cancelled turn becomes idle with stopReason cancelled.",
    check: onInterrupted("cancelled", isCancelled),
  },
  {
    ...cancelled,
    id: "ACP-CANCEL-202",
    text: "After the idle state of a cancelled turn no other state follows.",
    check: onInterrupted("cancelled", ({ reply, end, sessionId }) => {
      if (end === undefined) return untested("the turn did not become idle");
      const late = updatesIn(reply.lines.slice(end + 1)).find(
        (one) => one.sessionId === sessionId && one.update["sessionUpdate"] === "state_update",
      );
      return late ? failed(shown(late.line)) : PASS;
    }),
  },
  {
    ...cancelled,
    id: "ACP-CANCEL-203",
    text: "A cancelled turn does not end with an error or with another stopReason.",
    check: onInterrupted("cancelled", (turn, stopReason) => {
      if (turn.reply.kind === "error") return failed(shownReply(turn.reply));
      return STOP_REASONS.has(stopReason) && stopReason !== "cancelled" ? failed(endLine(turn)) : PASS;
    }),
  },
  {
    ...cancelled,
    id: "ACP-CANCEL-205",
    text: "session/cancel is not answered.",
    check: onInterrupted("cancelled", ({ reply: { lines } }) => {
      const ids = new Set(
        lines.map(({ from, message }) => (from === "client" && isJsonObject(message) ? message["id"] : "")),
      );
      const odd = fromAgent(lines).find(
        ({ message }) => isResponse(message) && !ids.has(message["id"] ?? null),
      );
      return odd ? failed(shown(odd)) : PASS;
    }),
  },
  {
    id: "ACP-CANCEL-206",
    level: "capability",
    text: "session/cancel with _meta works as without.",
    scenes: ["cancelled-question"],
    check: onInterrupted("cancelled-question", isCancelled),
  },
  {
    ...cancelled,
    id: "ACP-CANCEL-207",
    text: "A stopReason that is not of the protocol begins with _, also after a cancel.",
    check: onInterrupted("cancelled", (turn, stopReason) =>
      typeof stopReason === "string" && !STOP_REASONS.has(stopReason) && !stopReason.startsWith("_")
        ? failed(endLine(turn))
        : PASS,
    ),
  },
  ...["ACP-CANCEL-208", "ACP-CLOSE-202"].map((id): Requirement => ({
    id,
    level: "capability",
    text: "session/close cancels the turn that is under way.",
    scenes: ["closed"],
    check: onInterrupted("closed", isCancelled),
  })),
  {
    id: "ACP-CLOSE-201",
    level: "capability",
    text: "session/close of a session without a turn succeeds.",
    scenes: ["hello"],
    check: (evidence) =>
      onReply(evidence, ["hello", "close"], (reply) =>
        reply.kind === "result" && isJsonObject(reply.result) ? PASS : failed(shownReply(reply)),
      ),
  },
];

function neverAsks(evidence: Evidence, isForbidden: (method: string) => boolean): Finding {
  const said = conversations(evidence, ["turn"])
    .flatMap(fromAgent)
    .find(
      ({ message }) =>
        isJsonObject(message) && typeof message["method"] === "string" && isForbidden(message["method"]),
    );
  return said ? failed(shown(said)) : onTurn(evidence, ["turn", "prompt"], () => PASS);
}
