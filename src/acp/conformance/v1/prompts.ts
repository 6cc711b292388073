/** v1: prompts, what they may contain, what the agent may ask of the client, and their cancellation. */
import { isJsonObject } from "../../json.js";
import { conversations, LOGIN, onTurn, wantsLogin, whenAdvertised } from "../evidence.js";
import type { Evidence, Turn } from "../evidence.js";
import { failed, PASS, untested } from "../requirement.js";
import type { Finding, Requirement, SceneName } from "../requirement.js";
import { fromAgent, requestsIn, shown, shownReply, updatesIn } from "../transcript.js";

const STOP_REASONS = new Set<unknown>([
  "end_turn",
  "max_tokens",
  "max_turn_requests",
  "refusal",
  "cancelled",
]);

const stopReason = ({ reply }: Turn): unknown =>
  reply.kind === "result" && isJsonObject(reply.result) ? reply.result["stopReason"] : undefined;

const ended =
  (scene: SceneName, step: string) =>
  (evidence: Evidence): Finding =>
    onTurn(evidence, [scene, step], (turn) => {
      if (wantsLogin(turn.reply)) return untested(LOGIN);
      return STOP_REASONS.has(stopReason(turn)) ? PASS : failed(shownReply(turn.reply));
    });

export const TOO_LATE =
  "the turn was over before it could be interrupted; give a longer one with --cancel-prompt";

const isCancelled = (turn: Turn): Finding => {
  if (turn.interruptedAt === undefined) return untested(TOO_LATE);
  return stopReason(turn) === "cancelled" ? PASS : failed(shownReply(turn.reply));
};

function updatesOfTurn(evidence: Evidence): Finding {
  return onTurn(evidence, ["turn", "prompt"], ({ reply, end, sessionId }) => {
    const updates = fromAgent(reply.lines.slice(reply.asked, end)).filter(
      ({ message }) => isJsonObject(message) && message["method"] === "session/update",
    );
    for (const line of updates) {
      const params = isJsonObject(line.message) ? line.message["params"] : undefined;
      const problem = evidence.schema.problem("SessionNotification", params);
      if (problem !== undefined) return failed(`${problem}: ${shown(line)}`);
      if (isJsonObject(params) && params["sessionId"] !== sessionId)
        return failed(`not the session that was prompted: ${shown(line)}`);
    }
    return PASS;
  });
}

/** The client of these scenes advertised nothing. */
const neverAsks = (id: string, text: string, isForbidden: (method: string) => boolean): Requirement => ({
  id,
  level: "mandatory",
  text,
  scenes: ["turn"],
  check: (evidence) => {
    const asked = conversations(evidence, ["turn"])
      .flatMap(requestsIn)
      .find(({ method }) => isForbidden(method));
    if (asked) return failed(shown(asked.line));
    return onTurn(evidence, ["turn", "prompt"], () => PASS);
  },
});

const takes = (id: string, what: string, capability: string): Requirement => ({
  id,
  level: "capability",
  text: `A prompt with ${what} is taken when promptCapabilities.${capability} is advertised.`,
  scenes: ["contents"],
  check: (evidence) =>
    whenAdvertised(evidence, ["contents", `promptCapabilities.${capability}`], () =>
      ended("contents", `prompt with ${capability}`)(evidence),
    ),
});

export const PROMPTS: readonly Requirement[] = [
  {
    id: "ACP-PROMPT-001",
    level: "mandatory",
    text: "A prompt of text ends with a stopReason of the protocol.",
    scenes: ["turn"],
    check: ended("turn", "prompt"),
  },
  {
    id: "ACP-PROMPT-002",
    level: "mandatory",
    text: "Every update of a turn is valid and carries the id of the prompted session.",
    scenes: ["turn"],
    check: updatesOfTurn,
  },
  {
    id: "ACP-PROMPT-003",
    level: "advisory",
    text: "A prompt with a resource_link is taken.",
    scenes: ["contents"],
    check: ended("contents", "prompt with link"),
  },
  takes("ACP-PROMPTCAP-001", "an image", "image"),
  takes("ACP-PROMPTCAP-002", "audio", "audio"),
  takes("ACP-PROMPTCAP-003", "an embedded resource", "embeddedContext"),
  {
    id: "ACP-META-001",
    level: "advisory",
    text: "A prompt with _meta is taken.",
    scenes: ["contents"],
    check: ended("contents", "prompt with meta"),
  },
  neverAsks("ACP-CLIENTCAP-001", "fs/* is never called on a client that does not offer it.", (method) =>
    method.startsWith("fs/"),
  ),
  neverAsks("ACP-CLIENTCAP-002", "terminal/* is never called on a client that does not offer it.", (method) =>
    method.startsWith("terminal/"),
  ),
  neverAsks(
    "ACP-CLIENTCAP-003",
    "elicitation/create is never called on a client that does not offer it.",
    (method) => method === "elicitation/create",
  ),
  {
    id: "ACP-CANCEL-001",
    level: "mandatory",
    text: "A cancelled prompt ends with stopReason cancelled, not with an error.",
    scenes: ["cancelled"],
    check: (evidence) => onTurn(evidence, ["cancelled", "prompt"], isCancelled),
  },
  {
    id: "ACP-CANCEL-002",
    level: "mandatory",
    text: "All updates of a cancelled prompt come before its answer.",
    scenes: ["cancelled"],
    check: (evidence) =>
      onTurn(evidence, ["cancelled", "prompt"], ({ reply, end, sessionId, interruptedAt }) => {
        if (interruptedAt === undefined) return untested(TOO_LATE);
        if (end === undefined) return untested(`the prompt was not answered: ${shownReply(reply)}`);
        const late = updatesIn(reply.lines.slice(end)).find((update) => update.sessionId === sessionId);
        return late ? failed(shown(late.line)) : PASS;
      }),
  },
  {
    id: "ACP-CLOSE-002",
    level: "capability",
    text: "session/close cancels the prompt that is under way.",
    scenes: ["closed"],
    check: (evidence) =>
      whenAdvertised(evidence, ["closed", "sessionCapabilities.close"], () =>
        onTurn(evidence, ["closed", "prompt"], isCancelled),
      ),
  },
];
