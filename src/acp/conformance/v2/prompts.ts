/** v2: prompts that are accepted, the state that says what became of them, questions, and cancellation. */
import { isJsonObject } from "../../json.js";
import type { JsonObject } from "../../json.js";
import { conversations, LOGIN, onTurn, wantsLogin, whenAdvertised } from "../evidence.js";
import type { Evidence, Turn } from "../evidence.js";
import { failed, PASS, untested } from "../requirement.js";
import type { Finding, Requirement, SceneName } from "../requirement.js";
import { fromAgent, requestsIn, shown, shownReply, updatesIn } from "../transcript.js";
import { endLine, lastUpdate, STOP_REASONS } from "./turn-end.js";

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

const messageIdOf = ({ reply }: Turn): unknown =>
  reply.kind === "result" && isJsonObject(reply.result) ? reply.result["messageId"] : undefined;

const reached =
  (scene: SceneName, step: string) =>
  (evidence: Evidence): Finding =>
    onTurn(evidence, [scene, step], (turn) => {
      if (wantsLogin(turn.reply)) return untested(LOGIN);
      return turn.reply.kind === "result" && turn.end !== undefined ? PASS : failed(endLine(turn));
    });

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
];

function neverAsks(evidence: Evidence, isForbidden: (method: string) => boolean): Finding {
  const forbidden = conversations(evidence, ["turn"])
    .flatMap(fromAgent)
    .find(
      ({ message }) =>
        isJsonObject(message) && typeof message["method"] === "string" && isForbidden(message["method"]),
    );
  return forbidden ? failed(shown(forbidden)) : onTurn(evidence, ["turn", "prompt"], () => PASS);
}
